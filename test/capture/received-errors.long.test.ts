import { expect, test } from "vitest";
import { initialized, scripted as scriptedProcess } from "../support/live-server.js";
import { scripted } from "../support/scripted-http-server.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The request of a command, and its words after the SOURCE. */
const commands = {
  call: ["tools/call", "echo"],
  read: ["resources/read", "x://y"],
  prompt: ["prompts/get", "greet"],
  list: ["tools/list"],
} as const;
const names = Object.keys(commands) as (keyof typeof commands)[];

/** Runs a command whose request the server answers with an error. */
async function run(name: keyof typeof commands, error: object, ...more: string[]) {
  const [method, ...words] = commands[name];
  const failing = (incoming: { reply(members: object): void }): void => incoming.reply({ error });
  const { url } = await scripted("2025-11-25", {
    "tools/list": (incoming) =>
      incoming.reply({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    "resources/list": failing,
    "resources/templates/list": failing,
    "prompts/list": (incoming) =>
      name === "list" ? failing(incoming) : incoming.reply({ prompts: [{ name: "greet" }] }),
    [method]: failing,
  });
  return { url, ...(await mcpgen(temporaryFolder(), [name, url, ...words, ...more])) };
}

const page = {
  mode: "url",
  elicitationId: "e",
  url: "https://example.com/connect?case=1",
  message: "Connect.",
};
const needed = (...elicitations: object[]): object => ({
  ...{ code: -32042, message: "More is needed.", data: { elicitations } },
});

test.each(names)("%s: the pages of -32042 are shown, with the next step", async (name) => {
  const ran = await run(name, needed(page, { ...page, url: "https://other.example/", message: "And here." }));
  expect([ran.code, ran.stdout]).toEqual([4, ""]);
  expect(ran.stderr).toBe(
    [
      `${ran.url}: error MG4109: ${commands[name][0]}: More is needed.`,
      "  → Open each page yourself, if you trust its host; then run the command again.",
      "    Connect.",
      "    https://example.com/connect?case=1",
      "    its host is example.com",
      "    And here.",
      "    https://other.example/",
      "    its host is other.example",
      "",
    ].join("\n"),
  );
});

test("--json has code and data of the error", async () => {
  const { stdout } = await run("call", needed(page), "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    exit: 4,
    error: { code: "MG4109", rpc: { code: -32042, data: { elicitations: [page] } } },
  });
});

test.each<[string, object, RegExp]>([
  [
    "a page that is not to be opened",
    needed({ ...page, url: "http://example.com/" }),
    /http:\/\/example\.com\/\n {4}do not open it: http:/,
  ],
  [
    "a script",
    needed({ ...page, url: "javascript:alert(1)" }),
    /javascript:alert\(1\)\n {4}do not open it: /,
  ],
  [
    "a URL that acts in a terminal",
    needed({ ...page, url: "https://x/\u001b[2J" }),
    /https:\/\/x\/\\u001b\[2J\n {4}do not open it: /,
  ],
  [
    "a host under another name",
    needed({ ...page, url: "https://a@b.example/" }),
    /do not open it: it holds credentials/,
  ],
  ["no page at all", needed(), /MG4105[^]*data: \{"elicitations":\[\]\}/],
  [
    "pages that are none",
    { code: -32042, message: "x", data: { elicitations: [null, 1, { url: 1 }] } },
    /MG4105[^]*data: \{/,
  ],
  [
    "data of another kind",
    { code: -32042, message: "x", data: "https://x" },
    /MG4105[^]*data: "https:\/\/x"/,
  ],
])("%s", async (_, error, shown) => {
  const { code, stderr } = await run("call", error);
  expect([code, stderr]).toEqual([4, expect.stringMatching(shown)]);
  expect(stderr).not.toContain("\u001b");
});

test.each<[string, object, string, RegExp]>([
  [
    "an error",
    { code: -32000, data: { reason: "quota", left: 0 } },
    "MG4105",
    /data: \{"reason":"quota","left":0\}/,
  ],
  ["a status", { code: -32000, data: { status: 401 } }, "MG4105", /data: \{"status":401\}/],
  ["wrong arguments", { code: -32602, data: { field: "city" } }, "MG6306", /data: \{"field":"city"\}/],
  ["much data", { code: -32000, data: "x".repeat(5000) }, "MG4105", /data: "x{990,998}…\n/],
])("the data of %s is shown, and programs get all of it", async (_, error, code, shown) => {
  const failed = { message: "No.", ...error };
  expect((await run("call", failed)).stderr).toMatch(shown);
  const { stdout } = await run("call", failed, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ error: { code, rpc: error } });
});

test("an error without data is shown without the line for data", async () => {
  const { stderr } = await run("call", { code: -32000, message: "No." });
  expect(stderr).not.toContain("data");
});

test.each([401, 403])("the status %i in an error of a process is not one of HTTP", async (status) => {
  const error = { code: -32000, message: "upstream", data: { status } };
  const source = scriptedProcess({ initialize: initialized({ tools: {} }), "tools/list": { error } });
  const { code, stderr } = await mcpgen(temporaryFolder(), ["list", source]);
  expect([code, stderr]).toEqual([4, expect.stringContaining("error MG4105: tools/list: upstream")]);
  expect(stderr).not.toContain("--header");
});

test("credentials of --header that the server refuses are the advice", async () => {
  const { url } = await scripted("2025-11-25", { initialize: (incoming) => incoming.status(401) });
  const header = ["--header", "Authorization: Bearer abcdefgh12345"];
  const { code, stderr } = await mcpgen(temporaryFolder(), ["list", url, ...header]);
  expect([code, stderr]).toEqual([4, expect.stringContaining("error MG4107: the server answered 401")]);
  expect(stderr).toContain("→ Check the credentials in Authorization: the server refuses them.\n");
});

test("a status in the data of an error says nothing about the token of the environment", async () => {
  const error = { code: -32000, message: "upstream", data: { status: 401 } };
  const { url } = await scripted("2025-11-25", { "resources/read": (incoming) => incoming.reply({ error }) });
  const { stderr } = await mcpgen(temporaryFolder(), ["read", url, "x://y"], {
    env: { MCPGEN_TOKEN: "abcdefgh12345" },
  });
  expect(stderr).toContain("error MG4105: resources/read: upstream");
});
