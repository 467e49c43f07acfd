import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ran, mcpgen } from "../support/in-process.js";
import { loopback } from "../support/listen.js";
import { newServer, serve } from "../support/live-server.js";
import { scripted } from "../support/scripted-http-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Expects that no eight characters of a secret are in the output of a command. */
function expectHidden(ran: Ran, ...secrets: readonly string[]): void {
  for (const secret of secrets)
    for (let at = 0; at + 8 <= secret.length; at++)
      for (const text of [ran.stdout, ran.stderr]) expect(text).not.toContain(secret.slice(at, at + 8));
}

/** An address that answers every request by sending its headers, its query and its body back. */
const echo = (status: number, cut = 100_000): Promise<string> =>
  loopback((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const said = JSON.stringify({ error: "refused", headers: request.headers, url: request.url, body });
      response.writeHead(status, { "content-type": "application/json" }).end(said.slice(0, cut));
    });
  });

const formats = [[], ["--json"], ["--format=github"], ["--verbose"]];
/** Commands that send no other request before the server has refused the connection. */
const commands = [["list"], ["call", "tool"], ["capture"], ["docs"], ["check", "--server"]] as const;

test.each(formats)("a header that the server echoes in an error is hidden (%s)", async (...format) => {
  const secrets = ["tok-3f9a8b7c6d5e4f", "api-99887766554433"];
  const url = await echo(400);
  for (const [command, ...more] of commands) {
    const words = command === "check" ? [command, ...more, url] : [command, url, ...more];
    const headers = [
      "--header",
      `Authorization: Bearer ${secrets[0]}`,
      "--header",
      `X-Api-Key: ${secrets[1]}`,
    ];
    const ran = await mcpgen(temporaryFolder(), [...words, ...headers, ...format]);
    expect(ran.code).not.toBe(0);
    expectHidden(ran, ...secrets);
  }
});

test.each(formats)("a password and a key in a URL are hidden, also in base64 (%s)", async (...format) => {
  const [password, key] = ["pa55-word-of-mine", "k3y-0123456789abcdef"];
  const url = `${(await echo(403)).replace("//", `//me:${password}@`)}/mcp?api_key=${key}&v=2025-11-25`;
  for (const command of ["list", "capture", "docs"]) {
    const ran = await mcpgen(temporaryFolder(), [command, url, ...format]);
    expect(ran.code).not.toBe(0);
    expectHidden(ran, password, key, Buffer.from(`me:${password}`).toString("base64").slice(0, -1));
  }
});

test("a password in the URL of a download is hidden, and in no file", async () => {
  const password = "pa55-word-of-mine";
  const missing = `${(await loopback((_, response) => response.writeHead(404).end())).replace("//", `//me:${password}@`)}/schema.json`;
  const folder = temporaryFolder();
  for (const words of [
    ["revision", "add", missing],
    ["extension", "add", missing],
    ["lint", missing],
    ["validate", missing],
    ["diff", missing, missing],
  ])
    for (const format of formats) {
      const ran = await mcpgen(folder, [...words, ...format]);
      expect(ran.code).not.toBe(0);
      expectHidden(ran, password);
    }
});

test.each(formats)("a variable of a host's file that the server echoes is hidden (%s)", async (...format) => {
  const url = await echo(401);
  const folder = temporaryFolder({
    ".mcp.json": JSON.stringify({
      mcpServers: {
        shop: { url: "${SHOP_URL}", headers: { "X-Who": "${WHO}", Cookie: "sid=${SHOP_SESSION}" } },
      },
    }),
  });
  const env = { SHOP_URL: url, WHO: "someone-in-particular", SHOP_SESSION: "s3ssion-0123456" };
  const ran = await mcpgen(folder, ["list", "shop", ...format], { env });
  expect(ran.code).not.toBe(0);
  expectHidden(ran, env.WHO, env.SHOP_SESSION);
});

test.each(formats)(
  "a token of the environment is hidden, also where a long body is cut (%s)",
  async (...format) => {
    const token = "environment-token-0123456789";
    for (const cut of [150, 190, 230, 260]) {
      const url = await echo(400, cut);
      const ran = await mcpgen(temporaryFolder(), ["list", url, ...format], { env: { MCPGEN_TOKEN: token } });
      expect(ran.code).not.toBe(0);
      expectHidden(ran, token);
    }
  },
);

test("secrets are hidden in a result and a contract that repeat them", async () => {
  const secret = "tok-3f9a8b7c6d5e4f";
  const server = newServer();
  server.tool("whoami", { description: `you sent ${secret}`, inputSchema: { type: "object" } }, () => ({
    content: [{ type: "text", text: `you sent ${secret}` }],
    structuredContent: { sent: `Bearer ${secret}` },
  }));
  const url = await serve(server);
  const folder = temporaryFolder();
  const header = ["--header", `Authorization: Bearer ${secret}`];
  const called = await mcpgen(folder, ["call", url, "whoami", ...header, "--json"]);
  expect(called.code).toBe(0);
  expectHidden(called, secret);
  expect(JSON.parse(called.stdout)).toMatchObject({
    content: [{ type: "text", text: "you sent …" }],
    structuredContent: { sent: "…" },
  });
  for (const out of ["contract.yaml", "contract.json"]) {
    expect((await mcpgen(folder, ["capture", url, ...header, "--out", out])).code).toBe(0);
    expect(readFileSync(join(folder, out), "utf8")).toContain("you sent …");
  }
  expect((await mcpgen(folder, ["docs", url, ...header, "--out", "page.html"])).code).toBe(0);
  expect(readFileSync(join(folder, "page.html"), "utf8")).not.toContain(secret);
});

test("values of variables that a server's process prints are hidden, in pieces, too", async () => {
  const secret = "value-0123456789abc";
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "server.cjs"),
    `const secret = process.env.API_TOKEN;
     process.stderr.write("token: " + secret.slice(0, 7));
     setTimeout(() => process.stderr.write(secret.slice(7) + "\\n::set-output name=x::y\\n##vso[task.complete]\\n", () => process.exit(3)), 50);`,
  );
  const words = ["list", "stdio:node server.cjs", "--env", `API_TOKEN=${secret}`];
  for (const format of formats) {
    const ran = await mcpgen(folder, [...words, ...format]);
    expect(ran.code).not.toBe(0);
    expect(ran.stdout + ran.stderr).toContain("token: …");
    expectHidden(ran, secret);
    const lines = `${ran.stdout}\n${ran.stderr}`
      .split("\n")
      .filter((line) => !line.startsWith("::error file="));
    for (const line of lines) expect(line).not.toMatch(/^\s*::|##vso\[/);
  }
});

test("a server's own error shows no secret in its data", async () => {
  const secret = "tok-3f9a8b7c6d5e4f";
  const server = await scripted("2025-11-25", {
    "tools/list": (incoming) =>
      incoming.reply({
        error: {
          code: -32000,
          message: `bad ${incoming.headers.authorization}`,
          data: { ...incoming.headers },
        },
      }),
  });
  for (const format of formats) {
    const ran = await mcpgen(temporaryFolder(), [
      ...["list", server.url, "--revision", "2025-11-25", "--header", `Authorization: Bearer ${secret}`],
      ...format,
    ]);
    expect(ran.stdout + ran.stderr).toContain("MG6327");
    expectHidden(ran, secret);
  }
});
