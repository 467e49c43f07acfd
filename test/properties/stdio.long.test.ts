import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { stdioClientChannel } from "../../runtime/core/stdio/client-channel.js";
import { builtProgram } from "../support/built-program.js";
import { cases, isThorough } from "../support/cases.mjs";
import { members } from "../support/processes.js";
import { Recorder } from "../support/recorder.js";

// Both ends of the stdio transport of ours, in real processes, again and again.
const rounds = cases(200, 2);

const program = builtProgram("test/runtime/stdio/programs/server.ts");

const echo = (id: number, text = ""): string => JSON.stringify({ id, method: "echo", text });

test("a server that is killed while it answers: whole answers in order, one typed error, no process", async () => {
  for (let round = 0; round < rounds; round++) {
    const channel = stdioClientChannel([process.execPath, program]);
    const recorder = new Recorder(channel);
    channel.send(echo(0));
    await recorder.until(() => recorder.texts.length === 1);
    for (let id = 1; id < 2000; id++) channel.send(echo(id));
    // At some point between the first and the last answer.
    await sleep(round % 7);
    process.kill(channel.pid!, "SIGKILL");
    expect(await recorder.reason()).toMatchObject({ code: "connection-closed", data: { signal: "SIGKILL" } });
    // The last line may have been cut.
    const ids = recorder.texts.slice(0, -1).map((text) => (JSON.parse(text) as { id: number }).id);
    expect(ids).toEqual(ids.map((_, index) => index));
    await channel.close();
    expect(recorder.closings).toHaveLength(1);
    expect(members(channel.pid!)).toEqual([]);
  }
});

test("one message beyond the usual limit, under a raised one, there and back", async () => {
  const size = isThorough ? 50e6 : 12e6;
  const channel = stdioClientChannel([process.execPath, program], {
    limit: 2 * size,
    env: { LIMIT: String(2 * size) },
  });
  const recorder = new Recorder(channel);
  const text = "x".repeat(size);
  channel.send(echo(1, text));
  await recorder.until(() => recorder.texts.length === 1);
  expect(JSON.parse(recorder.texts[0]!)).toEqual({ id: 1, result: echo(1, text).length });
  channel.send(JSON.stringify({ id: 2, method: "large", size }));
  await recorder.until(() => recorder.texts.length === 2);
  expect(recorder.texts[1]).toHaveLength(size + JSON.stringify({ id: 2, result: "" }).length);
  await channel.close();
  expect(members(channel.pid!)).toEqual([]);
});
