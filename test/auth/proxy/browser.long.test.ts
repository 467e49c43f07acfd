import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { expect, onTestFinished } from "vitest";
import { minted } from "../../support/auth/secrets.js";
import { Page } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { builtProgram } from "../../support/built-program.js";
import { freePorts } from "../../support/free-ports.mjs";
import { loopback } from "../../support/listen.js";

const program = builtProgram("examples/proxied/main.ts");
const verifier = "v".repeat(43);
/** A folder for screenshots, if they are wanted. */
const shots = process.env["MCPGEN_SCREENSHOTS"];

/** The example, a client with a loopback redirect, and a browser in which no script runs. */
async function started() {
  const [port] = await freePorts(1);
  const issuer = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [program, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stderr, "data");
  const received: URL[] = [];
  const origin = await loopback((request, response) => {
    if (request.url!.startsWith("/callback")) received.push(new URL(request.url!, origin));
    response.setHeader("content-type", "text/html");
    response.end("<title>done</title><h1>You can close this page.</h1>");
  });
  const redirectUri = `${origin}/callback`;
  const response = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Notes for the terminal, with a name that is somewhat long",
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
    }),
  });
  const { client_id: id } = (await response.json()) as { client_id: string };
  const query = new URLSearchParams({
    ...{
      response_type: "code",
      client_id: id,
      redirect_uri: redirectUri,
      state: "s",
      code_challenge_method: "S256",
    },
    ...{
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      resource: `${issuer}/mcp`,
    },
  });
  const page = await Page.open(320);
  onTestFinished(() => page.close());
  await page.send("Emulation.setScriptExecutionDisabled", { value: true });
  const login = `${issuer}/authorize?${query}`;
  return { issuer, id, origin, redirectUri, received, page, login };
}

async function shoot(page: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  writeFileSync(`${shots}/${name}.png`, await page.screenshot());
}

const focused = async (page: Page): Promise<string> =>
  (await page.roles()).findLast((node) => node.focused)?.name ?? "";

browserTest(
  "a login by keyboard, in 320 pixels, without script: consent, login, loopback, call",
  async () => {
    const { issuer, id, origin, redirectUri, received, page, login } = await started();
    await page.go(login);
    await page.at(`${issuer}/authorize`);
    await shoot(page, "consent");
    expect(await page.contentWidth()).toBeLessThanOrEqual(320);
    const roles = await page.roles();
    expect(roles.filter(({ role }) => role === "heading").map(({ name }) => name)).toEqual([
      "Allow Notes for the terminal, with a name that is somewhat long to use GitHub for you?",
    ]);
    expect(roles.filter(({ role }) => role === "button").map(({ name }) => name)).toEqual(["Deny", "Allow"]);
    await page.press("Tab");
    expect(await focused(page)).toBe("Deny");
    await page.press("Tab");
    expect(await focused(page)).toBe("Allow");
    await shoot(page, "focus");
    await page.press("Enter");
    await page.at("http://127.0.0.1:");
    for (let waits = 0; (await focused(page)) !== "Log in as ada" && waits < 20; waits += 1)
      await page.press("Tab");
    await shoot(page, "login");
    await page.press("Enter");
    await page.at(`${origin}/callback`);
    await shoot(page, "done");
    const [callback] = received;
    expect(callback!.searchParams.get("iss")).toBe(issuer);
    const form = {
      ...{
        grant_type: "authorization_code",
        code: minted(callback!.searchParams.get("code")!),
        redirect_uri: redirectUri,
      },
      ...{ client_id: id, code_verifier: verifier },
    };
    const answer = await fetch(`${issuer}/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${minted(token)}` };
    const client = await connect(`${issuer}/mcp`, { revisions: clientRevisions, http: { headers } });
    onTestFinished(() => client.close());
    expect((await client.callTool("whoami", {})).content).toEqual([{ type: "text", text: "You are ada." }]);
  },
);

browserTest("denial goes to the client, and the next login asks again", async () => {
  const { issuer, origin, received, page, login } = await started();
  await page.go(login);
  await page.at(`${issuer}/authorize`);
  await page.press("Tab");
  await page.press("Enter");
  await page.at(`${origin}/callback`);
  expect(Object.fromEntries(received[0]!.searchParams)).toMatchObject({
    error: "access_denied",
    state: "s",
    iss: issuer,
  });
  await page.go(login);
  await page.at(`${issuer}/authorize`);
});

browserTest("the consent page is not shown in a frame; a wrong redirect is a page", async () => {
  const { issuer, page, login } = await started();
  const frame = await loopback((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(
      `<h1>A page that frames</h1><iframe src="${login.replaceAll("&", "&amp;")}" width="300" height="300"></iframe>`,
    );
  });
  await page.go(frame);
  await page.at(frame);
  for (let waits = 0; (await page.frames())[0] === "" && waits < 50; waits += 1) await page.url();
  await shoot(page, "framed");
  expect(await page.frames()).toEqual(["chrome-error://chromewebdata/"]);
  const wrong = new URL(login);
  wrong.searchParams.set("redirect_uri", "https://attacker.example/");
  await page.go(wrong.href);
  await page.at(`${issuer}/authorize`);
  await shoot(page, "error");
  expect(await page.contentWidth()).toBeLessThanOrEqual(320);
  expect((await page.roles()).some(({ name }) => name === "This login cannot continue")).toBe(true);
});
