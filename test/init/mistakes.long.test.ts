import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { packageName } from "../../generator/contract/project-name.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { loopback } from "../support/listen.js";

const files = {
  file: "",
  "folder/mcp.contract.yaml": 'name: x\nversion: "1"\n',
  "empty/keep": "",
  "bad.yaml": 'name: x\nversion: "1\n',
  "bad.json": '{ "name": "x", }',
  "key.yaml": 'name: x\nversion: "1"\ntols: []\n',
  "schema.yaml":
    'name: x\nversion: "1"\ntools:\n  - name: t\n    inputSchema: { type: object, properties: { a: { type: text } } }\n',
};

/** Mistakes of the first hour: the command, its error, and the next step that the error names. */
const mistakes: readonly (readonly [line: string, exit: number, error: string, next: RegExp])[] = [
  ["sever", 2, "MG2001: there is no command", /`mcpgen init server`/],
  ["server --nam x", 2, "MG2002: there is no option --nam", /--name/],
  ["server --server", 2, "MG2003: expected a value after --server", /--help/],
  ["server my server", 2, 'MG2002: unexpected argument "server"', /value with spaces in quotes/],
  ["server --name my§server", 2, "MG2015: expected a name of letters", /--name my-server\?/],
  ["server --name ../../x", 2, "MG2015", /--name x\?/],
  ["server --name -rf", 2, "MG2002", /--help/],
  ["server --name=__proto__", 2, "MG2015", /--name proto\?/],
  ["server --name \u202eevil", 2, "MG2015", /--name evil\?/],
  [`server --name ${"x".repeat(65)}`, 2, "MG2015", /--name x{64}\?/],
  ["server --name 天気", 2, "MG2015", /another --name/],
  ["server 天気", 2, "MG2015: no name can be made of that of the folder", /--name NAME/],
  ["server file", 2, "MG2004: expected DIR to be a folder, got a file", /another folder/],
  ["server file/below", 2, "MG2004: expected DIR to be a folder, got a file", /another folder/],
  ["server a\tb", 2, "MG2004: expected DIR to be a path that shows", /another name/],
  ["server --contract none.yaml", 3, "MG1001: there is no such file", /path/],
  [
    "server --contract folder",
    2,
    "MG2004: expected --contract to be a file",
    /folder\/mcp\.contract\.yaml\?/,
  ],
  ["server --contract empty", 2, "MG2004: expected --contract to be a file", /Name the file/],
  ["server --contract bad.yaml", 3, "MG6001", /Correct/],
  ["server --contract bad.json", 3, "MG1002", /./],
  ["server --contract key.yaml", 3, 'MG6002: there is no key "tols"', /"tools"\?/],
  ["server --contract schema.yaml", 3, 'MG6005: the tool "t"', /explain MG6005/],
  ["server --contract http://x/y", 2, "MG2004: expected --contract to be a file", /--server/],
  [
    "server --contract key.yaml --server x",
    2,
    "MG2005: --server and --contract exclude",
    /--server or --contract/,
  ],
  ["server --contract folder/mcp.contract.yaml --name n", 2, "MG2005: --name and a contract", /contract/],
  [
    "server folder --contract key.yaml",
    2,
    "MG2005: the folder already has a contract: folder/",
    /another folder/,
  ],
  [
    "server folder --server stdio:x",
    2,
    "MG2005: the folder already has a contract: folder/",
    /another folder/,
  ],
  ["server --header A:b", 2, "MG2005: --header needs --server", /Name the server/],
  ["server --revision 2025-11-24", 2, "MG2010: there is no revision", /2025-11-25\?/],
  ["client", 2, "MG2003: expected the contract of the server", /--contract FILE.*--server SOURCE/],
  ["client --server node§x.js", 2, "MG2014: expected a server", /"stdio:node x\.js"/],
  ["client --server stdio:no-such-program-anywhere", 4, "MG4101: cannot start", /Check the command/],
  ["client --server STRANGE/mcp", 4, "MG41", /Check the address/],
];

test("every mistake of the first hour gets the next step, a code and an exit code, and no file is written", async () => {
  const folder = temporaryFolder(files);
  const before = readdirSync(folder, { recursive: true }).sort();
  const strange = await loopback((_, response) => response.writeHead(404).end("not here"));
  for (const [line, exit, error, next] of mistakes) {
    // § is a space inside a word.
    const words = line.split(" ").map((word) => word.replaceAll("§", " ").replace("STRANGE", strange));
    const { code, stdout, stderr } = await mcpgen(folder, ["init", ...words]);
    expect({ line, code, stderr }).toEqual({ line, code: exit, stderr: expect.stringContaining(error) });
    expect(stderr.split("→")[1], line).toMatch(next);
    expect(stdout).toBe("");
  }
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
});

test("a server that exits is reported with its last output", async () => {
  const source = `stdio:${process.execPath} -e "console.error('no database');process.exit(3)"`;
  const { code, stderr } = await mcpgen(temporaryFolder(), ["init", "client", "--server", source]);
  expect(code).toBe(4);
  expect(stderr).toContain("error MG4102: the server exited with code 3\n");
  expect(stderr).toContain("\n    no database\n");
});

test.each([
  ["Weather Station", "server", "weather-station"],
  ["Wetter für Köln", "server", "wetter-fur-koln"],
  ["@scope/weather", "client", "scope-weather-client"],
  ["typescript", "server", "typescript-server"],
  ["mcpgen", "server", "mcpgen-server"],
  ["node_modules", "server", "node_modules-server"],
  ["天気", "server", "mcp-server"],
  ["..", "client", "mcp-client"],
] as const)("the package of %s, a %s, is called %s", (name, role, expected) => {
  expect(packageName(name, role)).toBe(expected);
});
