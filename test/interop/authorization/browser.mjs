// A browser as a program: it goes to the URL, and on to the redirect URI of a client, which may not listen yet.
import { setTimeout } from "node:timers/promises";
import { UserAgent } from "./user-agent.mjs";

const redirect = await new UserAgent().visit(process.argv[2], (url) => new URL(url).pathname === "/callback");
for (let tries = 0; tries < 100; tries++) {
  const response = await fetch(redirect).catch(() => undefined);
  if (response) break;
  await setTimeout(100);
}
