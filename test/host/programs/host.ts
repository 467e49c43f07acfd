import { connect } from "@mcpgen/runtime/all";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { spawn } from "node:child_process";

// A small host: starts the server of its settings, offers some of its tools to a model, and plays what the model says. It does
// what hosts do: renames, drops and simplifies tools, asks another machine, leaves a process behind, passes errors and times on to
// its model. Its arguments choose an old revision, an end at the first error, whether a list is read again (when it changes,
// before each call, or never), whether invalid tools are offered, too, and the API of Gemini, which marks errors: then it takes texts
// that are JSON for errors.

interface Settings {
  readonly model: string;
  readonly server: { readonly command: string; readonly args: string[] } | { readonly url: string };
}

const { model, server } = existsSync("settings.json")
  ? (JSON.parse(readFileSync("settings.json", "utf8")) as Settings)
  : settingsOf(readFileSync(".codex/config.toml", "utf8"));
const modes = new Set(process.argv.slice(2));
const isHanging = modes.has("hang");
const began = performance.now();
// Whatever a host writes stays in its folder.
for (const folder of ["HOME", "TMPDIR", "XDG_CONFIG_HOME"]) {
  mkdirSync(process.env[folder]!, { recursive: true });
  writeFileSync(`${process.env[folder]}/host.log`, "started");
}

const asked = new URL(process.env["HTTPS_PROXY"]!);
await new Promise((resolve) => {
  const request = http.request({
    host: asked.hostname,
    port: asked.port,
    method: "CONNECT",
    path: "example.com:443",
  });
  request.on("connect", (_, socket) => resolve(socket.destroy()));
  request.end();
});
const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
writeFileSync(
  1,
  `left behind: ${left.pid}\nhome: ${process.env["HOME"]}\nvariables: ${Object.keys(process.env).toSorted().join(" ")}\n`,
);
if (isHanging && "url" in server) await fetch(`${server.url}?${left.pid}`);

const old = modes.has("old") ? { revision: "2025-06-18" } : {};
const client = await connect("url" in server ? server.url : server, { ...old, onEvent: () => true });
let tools = await offered();
if (modes.has("listen")) listen().catch(() => {});
const messages: Messages["messages"][number][] = [{ role: "user", content: "go" }];
// A title, without tools.
await say({ messages });
for (;;) {
  const { message } = (await say({ messages, tools })).choices[0]!;
  messages.push(message);
  if (!message.tool_calls) break;
  if (modes.has("again")) tools = await offered();
  for (const { id, function: called } of message.tool_calls) {
    const name = called.name.replace("mcp__tested__", "");
    const result = client.callTool(name, JSON.parse(called.arguments) as object);
    const { content, isError } = modes.has("fragile")
      ? await result
      : await result.catch((error: unknown) => ({
          content: [{ type: "text", text: String(error) }],
          isError: true,
        }));
    const [part] = content as readonly { readonly text?: string }[];
    const isJson = part?.text?.startsWith("[");
    const time = `Wall time: ${((performance.now() - began) / 1000).toFixed(4)} seconds`;
    messages.push({
      role: "tool",
      tool_call_id: id,
      ...(modes.has("gemini") && { fails: isError === true || isJson === true }),
      content: `${time}\nOutput:\n${JSON.stringify(content)}`,
    });
  }
}
await client.close();
process.exit(0);

async function listen(): Promise<void> {
  for await (const _ of await client.subscribe({ tools: true }))
    if (!modes.has("deaf")) tools = await offered();
}

async function offered(): Promise<NonNullable<Messages["tools"]>[number][]> {
  const { items, rejected } = await client.listTools();
  const invalid = modes.has("careless") ? rejected.map(({ name = "" }) => ({ name, inputSchema: {} })) : [];
  const all: { readonly name: string; readonly description?: string; readonly inputSchema: object }[] = [
    ...items,
    ...invalid,
  ];
  return all
    .filter(({ name }) => /^\w+$/.test(name))
    .map(({ name, description, inputSchema }) => {
      const { additionalProperties: _, ...parameters } = inputSchema as Record<string, unknown>;
      return { type: "function", function: { name: `mcp__tested__${name}`, description, parameters } };
    });
}

/** The settings of Codex, as far as they are written on a line each. */
function settingsOf(toml: string): Settings {
  const value = (key: string): unknown => {
    const [, text] = new RegExp(`^${key} = (.*)$`, "m").exec(toml) ?? [];
    return text === undefined ? undefined : JSON.parse(text);
  };
  const url = value("url") as string | undefined;
  const command = { command: value("command") as string, args: value("args") as string[] };
  return {
    model: (value("base_url") as string).replace(/\/v1$/, ""),
    server: url === undefined ? command : { url },
  };
}

interface Said {
  readonly choices: readonly {
    readonly message: {
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { name: string; arguments: string };
      }[];
    };
  }[];
}

interface Messages {
  readonly messages: readonly {
    readonly tool_calls?: Said["choices"][number]["message"]["tool_calls"];
    readonly role?: string;
    readonly content?: string;
    readonly tool_call_id?: string;
    readonly fails?: boolean;
  }[];
  readonly tools?: readonly { readonly function: { readonly parameters: object } }[];
}

async function say(body: Messages): Promise<Said> {
  return modes.has("gemini") ? sayToGemini(body) : sayToOpenAi(body);
}

async function sayToOpenAi(body: object): Promise<Said> {
  const response = await fetch(`${model}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", ...body }),
  });
  return (await response.json()) as Said;
}

async function sayToGemini({ messages, tools = [] }: Messages): Promise<Said> {
  const contents = messages.map(({ content: text = "", tool_call_id: id, fails }) => ({
    role: "user",
    parts: [id ? { functionResponse: { id, response: { [fails ? "error" : "output"]: text } } } : { text }],
  }));
  const functionDeclarations = tools.map(({ function: { parameters, ...each } }) => ({
    ...each,
    parametersJsonSchema: parameters,
  }));
  const response = await fetch(`${model}/v1beta/models/m:generateContent`, {
    method: "POST",
    body: JSON.stringify({ contents, tools: [{ functionDeclarations }] }),
  });
  const { candidates } = (await response.json()) as {
    readonly candidates: readonly [
      {
        readonly content: {
          readonly parts: readonly [
            { readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object } },
          ];
        };
      },
    ];
  };
  const { functionCall: call } = candidates[0].content.parts[0];
  if (!call) return { choices: [{ message: {} }] };
  const named = { name: call.name, arguments: JSON.stringify(call.args) };
  return { choices: [{ message: { tool_calls: [{ id: call.id, function: named }] } }] };
}
