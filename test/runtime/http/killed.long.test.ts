import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Client, McpError } from "@mcpgen/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../support/scripted-http-server.js";
import { builtProgram } from "../../support/built-program.js";

interface Report {
  readonly ready?: true;
  readonly port?: number;
  readonly began?: true;
  readonly handshake?: true;
}

const program = builtProgram("test/runtime/http/programs/mortal.ts");

/** A server in a separate process, and its reports. */
class Mortal {
  private readonly process: ChildProcess;
  isReady = false;
  port = 0;
  began = 0;
  handshakes = 0;

  constructor() {
    this.process = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    onTestFinished(() => void this.process.kill("SIGKILL"));
    this.process.on("message", ({ ready, port, began, handshake }: Report) => {
      this.isReady ||= ready ?? false;
      this.port = port ?? this.port;
      this.began += began ? 1 : 0;
      this.handshakes += handshake ? 1 : 0;
    });
  }

  async listen(port: number, answers: boolean): Promise<void> {
    this.process.send({ port, answers });
    await this.until(() => this.port !== 0);
  }

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await once(this.process, "message");
  }

  async kill(): Promise<void> {
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }
}

/**
 * Kills a server while `calls` are in flight, and starts another at its port. Resolves with the outcomes of the calls.
 */
async function killedUnder(
  calls: readonly string[],
  connect: (url: string) => Promise<Client>,
): Promise<{ outcomes: string[]; second: Mortal; client: Client }> {
  const [first, second] = [new Mortal(), new Mortal()];
  await first.listen(0, false);
  const client = await connect(`http://127.0.0.1:${first.port}/mcp`);
  await client.listTools();
  const outcomes = calls.map((name) =>
    client.callTool(name).then(
      ({ content }) => (content[0] as { text: string }).text,
      ({ code, data }: McpError) => `${code} ${JSON.stringify(data)}`,
    ),
  );
  await first.until(() => first.began === calls.length);
  // The client waits a few seconds for a server that listens again: the start of a process may take longer.
  await second.until(() => second.isReady);
  await first.kill();
  await second.listen(first.port, true);
  return { outcomes: await Promise.all(outcomes), second, client };
}

const connecting =
  (revision: string, resend?: "safe" | "hinted" | "always" | "never") =>
  (url: string): Promise<Client> =>
    clientOf(url, {
      revision,
      http: { reconnects: { attempts: 100, delayMs: 50 }, ...(resend === undefined ? {} : { resend }) },
    });

describe.each(["2025-11-25", "2026-07-28"])("at %s", (revision) => {
  test("20 calls in flight outlive a server that is killed, with one handshake (R19)", async () => {
    const calls = Array.from({ length: 20 }, (_, index) => (index % 2 ? "look" : "set"));
    const { outcomes, second, client } = await killedUnder(calls, connecting(revision, "hinted"));
    expect(outcomes).toEqual(Array(20).fill("answered"));
    const handshakes = revision === "2026-07-28" ? 0 : 1;
    await client.ping();
    await second.until(() => second.began >= 20 && second.handshakes >= handshakes);
    expect([second.began, second.handshakes]).toEqual([20, handshakes]);
  });

  test("by default, no tool call is executed twice; the error states that it may have been executed", async () => {
    const { outcomes, second, client } = await killedUnder(["add", "look"], connecting(revision));
    expect(outcomes).toEqual(Array(2).fill('connection-closed {"interrupted":true}'));
    expect((await client.callTool("add")).content).toEqual([{ type: "text", text: "answered" }]);
    await second.until(() => second.began > 0);
    expect(second.began).toBe(1);
  });
});

test("the option resend decides whether calls of tools are sent again", async () => {
  const always = await killedUnder(["add", "look"], connecting("2026-07-28", "always"));
  expect(always.outcomes).toEqual(["answered", "answered"]);
  const never = await killedUnder(["add", "look"], connecting("2025-11-25", "never"));
  expect(never.outcomes).toEqual(Array(2).fill('connection-closed {"interrupted":true}'));
  expect((await never.client.callTool("add")).content).toEqual([{ type: "text", text: "answered" }]);
  await never.second.until(() => never.second.began > 0);
  expect(never.second.began).toBe(1);
});
