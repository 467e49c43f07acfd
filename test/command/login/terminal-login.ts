import { PassThrough } from "node:stream";
import { expect } from "vitest";
import type { Ran } from "../../support/in-process.js";
import type { Protected } from "./protected-server.js";

/** How a user follows the address of a login. */
export type Visit = (url: string, input: PassThrough, site: Protected) => Promise<void>;

/** In a browser on this machine. */
export const browse: Visit = async (url, _input, { as }) => {
  const page = await fetch(await as.visit(url));
  expect(page.status).toBe(200);
};

/** In a browser elsewhere, whose address is pasted. */
export const paste: Visit = async (url, input, { as }) => {
  const redirect = await as.visit(url);
  input.write(`http://elsewhere.example/callback?code=1\n${redirect}\n`);
};

/** Runs a command at a terminal whose user follows each login. */
export async function atTerminal(
  site: Protected,
  words: readonly string[],
  visit: Visit = browse,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran & { readonly logins: number }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let logins = 0;
  let text = "";
  const visits: Promise<void>[] = [];
  const stderr = {
    isTTY: true,
    write: (more: string) => {
      text += more;
      const url = /^\s+(https?:\S+\/authorize\?\S+)$/m.exec(text)?.[1];
      if (url === undefined) return;
      text = "";
      logins++;
      // The listener is there before the address is shown.
      visits.push(visit(url, input, site));
    },
  };
  let shown = "";
  const both = { ...stderr, write: (more: string) => ((shown += more), stderr.write(more)) };
  const ran = await site.run([...words], env, { terminal: { input, output }, stderr: both });
  await Promise.all(visits);
  // The address has a state and a challenge; the state is a secret while the login lasts.
  site.printed.push(shown.replace(/^\s+https?:\S+\/authorize\?\S+$/gm, ""));
  return { ...ran, stderr: shown, logins };
}
