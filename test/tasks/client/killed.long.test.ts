import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { tasks as serverTasks } from "@mcpgen/tasks";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const program = builtProgram("test/tasks/client/programs/durable-client.ts");

const requestedSchema = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
} as const;

/** A server whose tool asks the user, and the events of its tasks. */
async function serving() {
  const events: string[] = [];
  let heard: (type: string) => unknown = () => {};
  const extension = serverTasks(serverExtension, {
    pollMs: 20,
    onEvent: ({ type }) => {
      events.push(type);
      heard(type);
    },
  });
  onTestFinished(() => extension.close());
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, extensions: [extension] },
  );
  server.tool("greet", { task: { support: "required" } }, async (_, { ask, task }) => {
    task?.detach();
    const answer = await ask.elicit("name", { message: "Your name?", requestedSchema });
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  const http = await serveHttp(server, { port: 0 });
  onTestFinished(() => http.close());
  return { url: String(http.url), events, onEvent: (listener: typeof heard) => void (heard = listener) };
}

/** A running client, and its output after it has ended. */
function started(args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (word) => said.push(word));
  const ended = once(child, "close").then(() => ({ said, signal: child.signalCode }));
  return { lines, ended, kill: () => void child.kill("SIGKILL") };
}

test.each([
  ["after the user has answered, before the answer is sent", "answered", ["asked"], []],
  ["before the user is asked", "started", [], ["asked"]],
  // The user sees the question again, for it has no answer.
  ["while the user is asked", "asked", ["asked"], ["asked"]],
] as const)(
  "B17: a client is killed %s; another process delivers the result",
  async (_, stop, first, second) => {
    const { url } = await serving();
    const folder = temporaryFolder({});
    const { lines, kill, ended } = started([url, folder, stop]);
    lines.on("line", (word) => word === "stopped" && kill());
    const killed = await ended;
    expect(killed.signal).toBe("SIGKILL");
    expect(killed.said).toEqual([...first, "stopped"]);
    const resumed = await started([url, folder]).ended;
    expect(resumed.said).toEqual([...second, "result Hello, Ada", "left 0"]);
  },
);

test("B17: a client is killed after the server has its answer, before the client knows", async () => {
  const { url, onEvent, events } = await serving();
  const folder = temporaryFolder({});
  const { kill, ended } = started([url, folder, "never"]);
  onEvent((type) => type === "answered" && kill());
  const killed = await ended;
  expect(killed.said).toEqual(["asked"]);
  expect(killed.signal).toBe("SIGKILL");
  expect(events).toContain("answered");
  const resumed = await started([url, folder]).ended;
  expect(resumed.said).toEqual(["result Hello, Ada", "left 0"]);
});
