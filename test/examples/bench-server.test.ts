import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.js";

const program = builtProgram("examples/bench-server/main.ts");

const opening = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

/** The answer to `initialize` of a process that serves over HTTP with these options. */
async function opened(...options: readonly string[]): Promise<Response> {
  const child = spawn(process.execPath, [program, "--http", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return fetch(`http://127.0.0.1:${Number(port.toString())}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(opening),
  });
}

test("the server of the benchmarks prints its port, and answers with JSON in a session", async () => {
  const response = await opened();
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("mcp-session-id")).not.toBeNull();
  expect(await response.json()).toMatchObject({ id: 1, result: { serverInfo: { name: "bench" } } });
});

test("the server of the benchmarks answers with events and without sessions, if it is asked to", async () => {
  const response = await opened("--stateless", "--responses=sse");
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("mcp-session-id")).toBeNull();
  expect(await response.text()).toContain('data: {"jsonrpc":"2.0","id":1,"result":');
});
