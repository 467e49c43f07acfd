import { expect, test } from "vitest";
import { mcpgen } from "../../command/in-process.js";
import { loopback } from "../../loopback.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { initialized, scripted } from "./live.js";

const broken = `console.error("one\\n\\u001b[31mtwo"); process.exit(3);`;
const fine = initialized({ tools: {} });

test.each<[string, () => string | Promise<string>, string, RegExp, RegExp]>([
  ["is not there", () => "stdio:no-such-program", "MG4101", /no such program/, /Check the command/],
  ["has an open quote", () => `stdio:node 'x`, "MG4101", /not closed/, /Check the command/],
  [
    "ends at once",
    () => scripted({}, broken),
    "MG4102",
    /exited with code 3/,
    /by hand[^]*one\n +\\u001b\[31mtwo$/,
  ],
  [
    "knows no revision",
    () => scripted({ initialize: { ...fine, protocolVersion: "1999-01-01" } }),
    "MG4104",
    /1999/,
    /MCP server/,
  ],
  ["does not answer", () => scripted({}, "answer = () => {};"), "MG4103", /./, /--timeout/],
  [
    "answers nonsense",
    () => scripted({ initialize: fine, "tools/list": { tools: 1 } }),
    "MG4105",
    /tools\/list/,
    /logs/,
  ],
  [
    "wants authorization",
    () => loopback((_, response) => void response.writeHead(401).end("who?")),
    "MG4102",
    /401/,
    /--header/,
  ],
])("a server that %s ends with 4, a code and what to do", async (_, source, code, message, next) => {
  // Any time is too short for a server that never answers.
  const seconds = code === "MG4103" ? "0.2" : "20";
  const ran = await mcpgen(temporaryFolder(), ["capture", await source(), "--timeout", seconds]);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trimEnd().split("→")[1]).toMatch(next);
  expect(ran).toMatchObject({ code: 4, stdout: "" });
});

test.each([
  ["server.js", "MG2014", /stdio:server\.js/],
  ["ftp://example.com", "MG2014", /http, https/],
  ["stdio:node x --revision 2025-11-26", "MG2010", /2025-11-25/],
  ["stdio:node x --timeout soon", "MG2004", /above 0/],
  ["stdio:node x --header secret", "MG2004", /Authorization/],
  ["stdio:node x --env MCPGEN_TEST_UNSET", "MG2004", /NAME=VALUE/],
])("capture %s is refused before anything is started", async (line, code, next) => {
  const [, source, ...words] = /^(stdio:node x|\S+)(?: (\S+) (\S+))?$/.exec(line)!;
  const ran = await mcpgen(temporaryFolder(), ["capture", source!, ...words.filter(Boolean)]);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr.split("→")[1]).toMatch(next);
  expect(ran.code).toBe(2);
});

test("secrets of the address are not shown", async () => {
  const ran = await mcpgen(temporaryFolder(), ["capture", "http://user:pa55@127.0.0.1:1/mcp?key=s3cret"]);
  expect(ran.stderr).toContain("http://127.0.0.1:1/mcp?key=…: error MG4102");
  expect(ran.stderr).not.toMatch(/pa55|s3cret/);
});

test("headers and variables reach the server", async () => {
  const authorizations = new Set<string | undefined>();
  const url = await loopback((request, response) => {
    authorizations.add(request.headers.authorization);
    response.writeHead(404).end();
  });
  await mcpgen(temporaryFolder(), ["capture", url, "--header", "Authorization: Bearer x"]);
  await mcpgen(temporaryFolder(), ["capture", url.replace("//", "//me:p%40ss@")]);
  expect([...authorizations]).toEqual(["Bearer x", `Basic ${btoa("me:p@ss")}`]);
  const loud = `console.error(process.env.A + process.env.B + process.env.C); process.exit(1);`;
  const env = { A: "one", C: "three" };
  const words = ["capture", scripted({}, loud), "--env", "A", "--env", "B=two"];
  expect((await mcpgen(temporaryFolder(), words, { env })).stderr).toContain("onetwoundefined");
});
