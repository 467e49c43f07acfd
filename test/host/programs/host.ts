import { connect } from "@mcpgen/runtime/all";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { spawn } from "node:child_process";

// A small host: starts the server of its settings, offers some of its tools to a model, and plays what the model says. It does
// what hosts do: renames, drops and simplifies tools, asks another machine, leaves a process behind.

interface Settings {
  readonly model: string;
  readonly server: { readonly command: string; readonly args: string[] } | { readonly url: string };
}

const { model, server } = JSON.parse(readFileSync("settings.json", "utf8")) as Settings;
const isHanging = process.argv[2] === "hang";

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

const client = await connect("url" in server ? server.url : server);
const { items } = await client.listTools();
const tools = items
  .filter(({ name }) => /^\w+$/.test(name))
  .map(({ name, description, inputSchema }) => {
    const { additionalProperties: _, ...parameters } = inputSchema as Record<string, unknown>;
    return { type: "function", function: { name: `mcp__tested__${name}`, description, parameters } };
  });
const messages: object[] = [{ role: "user", content: "go" }];
// A title, without tools.
await say({ messages });
for (;;) {
  const { message } = (await say({ messages, tools })).choices[0]!;
  messages.push(message);
  if (!message.tool_calls) break;
  for (const { id, function: called } of message.tool_calls) {
    const name = called.name.replace("mcp__tested__", "");
    const { content } = await client.callTool(name, JSON.parse(called.arguments) as object);
    messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(content) });
  }
}
await client.close();
process.exit(0);

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

async function say(body: object): Promise<Said> {
  const response = await fetch(`${model}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", ...body }),
  });
  return (await response.json()) as Said;
}
