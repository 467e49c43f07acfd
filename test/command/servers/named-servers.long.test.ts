import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostFiles } from "../../../generator/command/servers/host-files.js";
import { initialized, newServer, scripted, serve } from "../../support/live-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { atTerminal, enter } from "../at-terminal.js";
import { mcpgen } from "../../support/in-process.js";
import { loopback } from "../../support/listen.js";
import { trustOf } from "../../support/trust.js";

const tools = { tools: [{ name: "echo", inputSchema: { type: "object" } }] };

/** A server whose tool returns the arguments, folder and environment of its process. */
function program(): { readonly command: string; readonly args: readonly string[] } {
  const state = `{ cwd: process.cwd(), args: process.argv.slice(2), env: process.env.TOKEN, left: process.env.LEFT }`;
  const source = scripted(
    { initialize: initialized({ tools: {} }), "tools/list": tools, "tools/call": "REPORT" },
    `const report = () => ({ content: [{ type: "text", text: JSON.stringify(${state}) }] });\n` +
      `const write = process.stdout.write.bind(process.stdout);\n` +
      `process.stdout.write = (text) => write(text.replace('"REPORT"', JSON.stringify(report())));\n`,
  );
  const file = /"(.*)"/.exec(source)![1]!;
  return { command: process.execPath, args: [file] };
}

const json = (value: object): string => JSON.stringify(value);

test("a server is started with the values in its host's file, with each ${…} replaced", async () => {
  const { command, args } = program();
  const folder = temporaryFolder({
    ".mcp.json": json({
      mcpServers: {
        weather: {
          command,
          args: [...args, "a b", "${MODE:-fast}", "${HOME}"],
          env: { TOKEN: "t-${SECRET}" },
        },
      },
    }),
    "deep/er/.gitkeep": "",
  });
  const ran = await mcpgen(join(folder, "deep/er"), ["call", "weather", "echo", "--env", "LEFT=1"], {
    env: { SECRET: "s", HOME: "/home/ada", ...(await trustOf(folder)) },
  });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect(JSON.parse(ran.stdout)).toEqual({
    cwd: folder,
    args: ["a b", "fast", "/home/ada"],
    env: "t-s",
    left: "1",
  });
});

test("VS Code's file: comments, its variables, its inputs", async () => {
  const { command, args } = program();
  const text = `{
    // servers of this workspace
    "inputs": [{ "id": "token", "type": "promptString", "password": true, "description": "Token" }],
    "servers": {
      "weather": {
        "type": "stdio", "command": ${json(command as unknown as object)}, "cwd": "\${workspaceFolder}/sub",
        "args": ${json([...args, "${workspaceFolderBasename}", "${env:MODE}"])},
        "env": { "TOKEN": "\${input:token}", },
      },
    },
  }`;
  const folder = temporaryFolder({ ".vscode/mcp.json": text, "sub/.gitkeep": "" });
  const env = { MODE: "slow", token: "short", ...(await trustOf(folder)) };
  const call = ["call", "weather", "echo"];
  const given = await mcpgen(folder, [...call, "--input", "token=x=y"], { env });
  const expected = { cwd: join(folder, "sub"), args: [folder.split("/").at(-1), "slow"], env: "x=y" };
  expect([given.stderr, JSON.parse(given.stdout || "{}")]).toEqual(["", expected]);
  expect((await mcpgen(folder, [...call, "--input", "token"], { env })).stdout).toContain('"env":"short"');
  // A value of eight characters or more is hidden.
  const long = { ...env, token: "a-long-secret" };
  expect((await mcpgen(folder, [...call, "--input", "token"], { env: long })).stdout).toContain('"env":"…"');
  const missing = await mcpgen(folder, call, { env });
  expect([missing.code, missing.stderr]).toEqual([
    2,
    '.vscode/mcp.json /servers/weather: error MG2203: the input "token" has no value\n  → Pass it: --input token=VALUE.\n',
  ]);
});

test("at a terminal an input is asked for, once, without showing a secret", async () => {
  const { command, args } = program();
  const inputs = [{ id: "token", password: true, description: "The\u0007 token" }];
  const entry = { command, args: [...args, "${input:token}"], env: { TOKEN: "${input:token}" } };
  const folder = temporaryFolder({ ".vscode/mcp.json": json({ inputs, servers: { weather: entry } }) });
  const ran = await atTerminal(
    folder,
    ["call", "weather", "echo"],
    [["The\\u0007 token", `geheim${enter}`]],
    await trustOf(folder),
  );
  expect([ran.code, ran.unasked]).toEqual([0, []]);
  expect(JSON.parse(ran.stdout)).toMatchObject({ args: ["geheim"], env: "geheim" });
  expect(ran.shown).not.toContain("geheim");
});

test("an address has headers, and --header takes precedence", async () => {
  const headers: (string | undefined)[] = [];
  const inner = await serve(newServer());
  const url = await loopback((request, response) => {
    headers.push(`${request.headers["x-key"]} ${request.headers["x-other"]}`);
    void proxied(inner, request, response);
  });
  const folder = temporaryFolder({
    ".cursor/mcp.json": json({
      mcpServers: {
        weather: { url: `${url}/mcp`, headers: { "X-Key": "Bearer ${env:KEY}", "X-Other": "1" } },
      },
    }),
  });
  const ran = await mcpgen(folder, ["list", "weather", "--header", "X-Other: 2"], {
    env: { KEY: "k", ...(await trustOf(folder)) },
  });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect(ran.stdout).toContain("weather: nothing");
  expect(new Set(headers)).toEqual(new Set(["Bearer k 2"]));
});

async function proxied(to: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { host: _, connection: __, ...rest } = request.headers;
  const body = request.method === "POST" ? { body: Buffer.concat(chunks) } : {};
  const answer = await fetch(to, {
    method: request.method!,
    headers: rest as Record<string, string>,
    ...body,
  });
  const type = answer.headers.get("content-type");
  response.writeHead(answer.status, { ...(type && { "content-type": type }) });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

test("the nearest file wins; in one folder, the file of Claude Code; the desktop's file comes last", async () => {
  const entry = (name: string) => ({ command: "node", args: [name] });
  const home = temporaryFolder({
    ".config/Claude/claude_desktop_config.json": json({ mcpServers: { a: entry("d"), far: entry("d") } }),
  });
  const folder = temporaryFolder({
    ".mcp.json": json({ mcpServers: { a: entry("top"), top: entry("top") } }),
    "in/.vscode/mcp.json": json({ servers: { a: entry("code"), b: entry("code") } }),
    "in/.mcp.json": json({ mcpServers: { b: entry("claude") } }),
  });
  const { stdout } = await mcpgen(join(folder, "in"), ["list", "--json"], { env: { HOME: home } });
  const { servers } = JSON.parse(stdout) as { servers: { name: string; host: string; file: string }[] };
  const rows = servers.map(({ name, host, file }) => [name, host, file.startsWith("/") ? "~" : file]);
  const desktop = process.platform === "linux" ? [["far", "Claude Desktop", "~"]] : [];
  expect(rows).toEqual([
    ["b", "Claude Code", ".mcp.json"],
    ["a", "VS Code", ".vscode/mcp.json"],
    ["top", "Claude Code", "~"],
    ...desktop,
  ]);
});

test("the desktop's file is found at its place on each platform", () => {
  const home = temporaryFolder({
    "Library/Application Support/Claude/claude_desktop_config.json": "{}",
    "Roaming/Claude/claude_desktop_config.json": "{}",
    ".config/Claude/claude_desktop_config.json": "{}",
    "xdg/Claude/claude_desktop_config.json": "{}",
  });
  const found = (env: object, platform: NodeJS.Platform): string[] =>
    hostFiles(home, env as Record<string, string>, platform).map(({ path }) => path.slice(home.length + 1));
  expect(found({ HOME: home }, "darwin")).toEqual([
    "Library/Application Support/Claude/claude_desktop_config.json",
  ]);
  expect(found({ APPDATA: join(home, "Roaming") }, "win32")).toEqual([
    "Roaming/Claude/claude_desktop_config.json",
  ]);
  expect(found({ HOME: home }, "linux")).toEqual([".config/Claude/claude_desktop_config.json"]);
  expect(found({ HOME: home, XDG_CONFIG_HOME: join(home, "xdg") }, "linux")).toEqual([
    "xdg/Claude/claude_desktop_config.json",
  ]);
  expect(found({}, "linux")).toEqual([]);
});

test("every command that takes a server takes its name; a file of that name comes first", async () => {
  const server = newServer("served", "1");
  server.tool("echo", { inputSchema: { type: "object" } }, async () => "x");
  const hosts = json({ mcpServers: { weather: { url: await serve(server) } } });
  const folder = temporaryFolder({ ".mcp.json": hosts, "old.yaml": "name: served\nversion: '1'\n" });
  const codeOf = async (...words: string[]): Promise<number> => (await mcpgen(folder, words)).code;
  expect(await codeOf("list", "weather")).toBe(0);
  expect((await mcpgen(folder, ["lint", "weather"])).stdout).toContain("1 tool, about");
  const captured = await mcpgen(folder, ["capture", "weather", "--out", "new.yaml"]);
  expect(captured.stderr + captured.stdout).toContain("new.yaml: written; served 1 offers 1 tool");
  expect(await codeOf("check", "--server", "weather", "--contract", "new.yaml")).toBe(0);
  const drifted = await mcpgen(folder, ["check", "--server", "weather", "--contract", "old.yaml"]);
  expect(drifted.stdout).toContain("Run: mcpgen capture --out old.yaml --replace weather");
  expect((await mcpgen(folder, ["diff", "old.yaml", "weather"])).stdout).toContain("tool-added");
  expect(await codeOf("init", "client", "client", "--server", "weather", "--dry-run")).toBe(0);
  const taken = temporaryFolder({ ".mcp.json": hosts, weather: "x" });
  expect((await mcpgen(taken, ["call", "weather", "echo"])).stderr).toContain("MG2014");
  expect((await mcpgen(taken, ["list", "weather"])).stderr).not.toContain("MG22");
});

test.each(["lint", "list", "diff"])("%s: a similar server name is suggested", async (command) => {
  const folder = temporaryFolder({
    ".mcp.json": json({ mcpServers: { weather: { command: "node" } } }),
    "a.yaml": "name: a\nversion: '1'\n",
  });
  const words = command === "diff" ? ["diff", "a.yaml", "wether"] : [command, "wether"];
  const ran = await mcpgen(folder, words);
  expect([ran.code, ran.stderr]).toEqual([
    2,
    expect.stringMatching(/MG2201.*"wether"\n.*Did you mean weather/),
  ]);
});

test("a name may contain spaces; words that are not a name are a command", async () => {
  const servers = { "my weather": { command: "none-such" } };
  const folder = temporaryFolder({ ".mcp.json": json({ mcpServers: servers }) });
  const env = await trustOf(folder);
  expect((await mcpgen(folder, ["list", "my weather"], { env })).stderr).toMatch(/^my weather: error MG4101/);
  expect((await mcpgen(folder, ["call", "node server.js", "t"])).stderr).toMatch(/MG2014.*\n.*"stdio:node/);
});

test("an address that is invalid after its variables are filled in is refused at its place", async () => {
  const folder = temporaryFolder({
    ".mcp.json": json({ mcpServers: { weather: { url: "${NONE:-nowhere}" } } }),
  });
  const env = await trustOf(folder);
  expect((await mcpgen(folder, ["call", "weather", "t"], { env })).stderr).toMatch(
    /^\.mcp\.json \/mcpServers\/weather\/url: error MG2202: expected an http or https URL/,
  );
});

test.each<[string, string, RegExp]>([
  ["nothere", "error MG1001: there is no such file", /Check the path\. A server is .*`mcpgen list` shows/],
  ["./nothere.json", "error MG1001: there is no such file", /Check the path\. A server is /],
  ["ftp://example.com", "error MG1008: expected a path", /Download the file/],
])("list %s reports that there is no such source", async (source, message, next) => {
  const ran = await mcpgen(temporaryFolder(), ["list", source]);
  expect(ran.stderr).toContain(message);
  expect(ran.stderr.split("→")[1]).toMatch(next);
});

const one = { mcpServers: { weather: { command: "node" } } };
test.each<[string, string[], string, string, RegExp]>([
  [
    json(one),
    ["call", "wether", "t"],
    "MG2201",
    'there is no server "wether"',
    /Did you mean weather \(\.mcp\.json\)\?/,
  ],
  [
    json({ mcpServers: { my: { command: "node" } } }),
    ["call", "zz", "t"],
    "MG2201",
    'there is no server "zz"',
    /The named servers are my;/,
  ],
  [
    json(one),
    ["capture", "zzzzz"],
    "MG2201",
    "there is no server",
    /names? (?:is|are) weather|weather; give others/,
  ],
  [json({}), ["call", "weather", "t"], "MG2014", "expected a server", /stdio:weather.*`mcpgen list`/],
  ["{ nonsense", ["call", "weather", "t"], "MG2202", "not JSON: ", /Correct/],
  ["[]", ["call", "weather", "t"], "MG2202", "expected object, got array", /Correct/],
  [json({ mcpServers: [] }), ["call", "weather", "t"], "MG2202", "expected object, got array", /Correct/],
  [
    json({ mcpServers: { weather: {} } }),
    ["call", "weather", "t"],
    "MG2202",
    'expected a "command" or a "url"',
    /Correct/,
  ],
  [
    json({ mcpServers: { weather: { url: "ftp://x" } } }),
    ["call", "weather", "t"],
    "MG2202",
    'expected an http or https URL, got "ftp://x"',
    /Correct/,
  ],
  [
    json({ mcpServers: { weather: { url: "weather.example" } } }),
    ["call", "weather", "t"],
    "MG2202",
    'expected an http or https URL, got "weather.example"',
    /Correct/,
  ],
  [
    json({ mcpServers: { weather: { command: "x", args: [1] } } }),
    ["call", "weather", "t"],
    "MG2202",
    "expected string, got 1 (number)",
    /Correct/,
  ],
  [
    json({ mcpServers: { weather: { command: "x", envFile: ".env" } } }),
    ["call", "weather", "t"],
    "MG2202",
    "envFile is not supported",
    /--env NAME/,
  ],
  [
    json({ mcpServers: { weather: { command: "x", env: { A: "${NONE}" } } } }),
    ["call", "weather", "t"],
    "MG2203",
    "${NONE} has no value",
    /Set the variable: NONE=/,
  ],
  [
    json({ mcpServers: { weather: { command: "${input:x}" } } }),
    ["call", "weather", "t"],
    "MG2203",
    "${input:x} has no value",
    /Claude Code supports \$\{NAME\}/,
  ],
  [json(one), ["call", "stdio:x", "t", "--input", "a=b"], "MG2005", "--input needs a server", /Leave it out/],
])("%s: %j is refused with %s", async (text, words, code, message, next) => {
  const folder = temporaryFolder({ ".mcp.json": text });
  const ran = await mcpgen(folder, words, { env: await trustOf(folder) });
  expect(ran.stderr).toContain(`error ${code}: ${message}`);
  expect(ran.stderr.split("→")[1]).toMatch(next);
  expect([ran.code, ran.stdout]).toEqual([2, ""]);
});

test("the list of servers names a file that cannot be read, and shows the others", async () => {
  const folder = temporaryFolder({
    ".mcp.json": json({ mcpServers: { weather: { command: "weather" } } }),
    ".cursor/mcp.json": '{ "mcpServers": {',
  });
  const ran = await mcpgen(folder, ["list"]);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^\.cursor\/mcp\.json:1:18: warning MG2202: .*\nweather  Claude Code/su);
});
