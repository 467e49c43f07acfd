import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { tasks } from "@mcpgen/tasks";
import { expect, onTestFinished, test } from "vitest";
import { resultText } from "../../generator/command/content.js";
import { newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Ran, mcpgen } from "../support/in-process.js";

const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

async function weather(): Promise<string> {
  const server = newServer();
  server.tool<{ city: string }>("get_weather", { inputSchema }, async ({ city }, context) => {
    if (city === "nowhere") return { isError: true, content: [{ type: "text", text: "there is none" }] };
    context.progress(1, 2, "asking\u001b");
    return { content: [{ type: "text", text: `mild in ${city}` }], structuredContent: { celsius: 9 } };
  });
  return serve(server);
}

async function call(args: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return mcpgen(temporaryFolder(files), ["call", await weather(), ...args]);
}

test("a call prints the result, and progress on standard error", async () => {
  const ran = await call(["get_weather", "--args", '{"city":"Bergen"}']);
  expect(ran.stdout).toBe('mild in Bergen\n{\n  "celsius": 9\n}\n');
  expect(ran.stderr).toBe("1/2 asking\\u001b\n");
  expect(ran.code).toBe(0);
});

test.each(["2025-11-25", "2026-07-28"])(
  "--verbose names the revision of the session: %s",
  async (revision) => {
    const source = await weather();
    for (const words of [
      ["list", source],
      ["call", source, "get_weather", "city=Bergen"],
    ])
      for (const [more, said] of [
        [["-v"], true],
        [[], false],
      ] as const) {
        const { stderr } = await mcpgen(temporaryFolder(), [...words, "--revision", revision, ...more]);
        expect(stderr.includes(`connected: revision ${revision}\n`)).toBe(said);
      }
  },
);

test("a question of the tool is declined and shown", async () => {
  const server = newServer();
  server.tool("ask", { inputSchema: { type: "object" } }, async (_, { ask }) => {
    const fields = { type: "object", properties: { name: { type: "string" } } } as const;
    return (await ask.elicit("name", { message: "Who are\u0007 you?", requestedSchema: fields })).action;
  });
  const source = await serve(server);
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const ran = await mcpgen(temporaryFolder(), ["call", source, "ask", "--revision", revision]);
    expect(ran).toEqual({
      code: 0,
      stdout: "decline\n",
      stderr:
        "declined: the server asked the user: Who are\\u0007 you?\n" +
        "there is no terminal; answer it in advance: --answer name=…\n",
    });
    const declined = ["call", source, "ask", "--revision", revision, "--decline"];
    expect((await mcpgen(temporaryFolder(), declined)).stderr).not.toContain("terminal; answer");
  }
});

test("a sampling request of the tool is rejected as by the user", async () => {
  const server = newServer();
  server.tool("ask", { inputSchema: { type: "object" } }, async (_, { ask }) => {
    const messages = [{ role: "user", content: { type: "text", text: "hello" } }] as const;
    await ask.sample("text", { messages: [...messages], maxTokens: 9 });
    return "written";
  });
  const ran = await mcpgen(temporaryFolder(), ["call", await serve(server), "ask"]);
  expect(ran.stderr).toContain("declined: the server asked a model for a message");
  expect(ran.stdout + ran.stderr).toMatch(/reject/);
  expect(ran.stdout).not.toContain("written");
});

test("arguments come from a file or standard input, too", async () => {
  const ran = await call(["get_weather", "--args", "@a.json"], { "a.json": '{"city":"Cairo"}' });
  expect(ran.stdout).toContain("mild in Cairo");
  const stdin = (async function* () {
    yield '{"city":"Lima"}';
  })();
  const words = ["call", await weather(), "get_weather", "--args", "@-"];
  expect((await mcpgen(temporaryFolder(), words, { stdin })).stdout).toContain("mild in Lima");
});

test("--json prints one document", async () => {
  const ran = await call(["get_weather", "--args", '{"city":"Bergen"}', "--json"]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    exit: 0,
    tool: "get_weather",
    content: [{ type: "text", text: "mild in Bergen" }],
    structuredContent: { celsius: 9 },
    isError: false,
  });
});

test("a call that becomes a task is left to the server with --detach, and waited for without", async () => {
  const extension = tasks(tasksExtension, { pollMs: 1 });
  onTestFinished(() => extension.close());
  const server = createServer(
    { name: "reports", version: "1" },
    { revisions: serverRevisions, extensions: [extension] },
  );
  server.tool("report", { task: { support: "optional" } }, async (_, { task }) => {
    task?.detach();
    return "two pages";
  });
  const source = await serve(server);
  const [directory, env] = [temporaryFolder(), { XDG_STATE_HOME: temporaryFolder() }];
  const ran = await mcpgen(directory, ["call", source, "report"], { env });
  expect(ran).toMatchObject({
    code: 0,
    stdout: "two pages\n",
    stderr: expect.stringMatching(/^task /) as string,
  });
  const left = await mcpgen(directory, ["call", source, "report", "--detach"], { env });
  expect(left).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{40,64}\n$/) as string });
  expect(await mcpgen(directory, ["task", "result", source], { env })).toMatchObject({
    stdout: "two pages\n",
  });
});

test("a tool that ends with an error makes the command end with 1", async () => {
  const ran = await call(["get_weather", "--args", '{"city":"nowhere"}']);
  expect(ran).toMatchObject({ code: 1, stdout: "there is none\n" });
  expect(ran.stderr).toContain('error MG6304: the tool "get_weather" returned an error');
  const json = await call(["get_weather", "--args", '{"city":"nowhere"}', "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ exit: 1, isError: true, findings: [{ code: "MG6304" }] });
});

test.each<[string, string[], string, RegExp, number]>([
  ["a tool that is not there", ["get_wether"], "MG6305", /Did you mean get_weather/, 2],
  ["a name that is like none", ["x"], "MG6305", /Its tools are get_weather/, 2],
  ["arguments that a shell has eaten", ["get_weather", "--args", "{city:x}"], "MG2004", /single quotes/, 2],
  ["arguments that are no object", ["get_weather", "--args", "[1]"], "MG2004", /Name each/, 2],
  ["a file that is not there", ["get_weather", "--args", "@none.json"], "MG1001", /path/, 3],
  ["no tool", [], "MG2003", /call --help/, 2],
  [
    "wrong arguments, before 2025-11-25",
    ["get_weather", "--args", "{}", "--revision", "2025-06-18"],
    "MG6306",
    /schema/,
    2,
  ],
])("%s is reported, with the next step", async (_, words, code, next, exit) => {
  const ran = await call(words);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr.split("→")[1]).toMatch(next);
  expect(ran).toMatchObject({ code: exit, stdout: "" });
});

test("every kind of content has a separate line", () => {
  const content = [
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "resource_link", name: "stations", uri: "weather://stations" },
    { type: "resource", resource: { uri: "x:a", mimeType: "text/plain", text: "hello" } },
    { type: "resource", resource: { uri: "x:b", blob: "AAA=" } },
    { type: "text", text: '{ "celsius": 9 }' },
    { type: "hologram", depth: 3 },
  ];
  expect(resultText({ content, structuredContent: { celsius: 9 } })).toBe(
    [
      "[image image/png, 3 bytes]",
      "[resource stations: weather://stations]",
      "[resource x:a text/plain]\nhello",
      "[resource x:b, 2 bytes]",
      '{ "celsius": 9 }',
      '{"type":"hologram","depth":3}',
    ].join("\n"),
  );
});
