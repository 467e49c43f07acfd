import { McpError } from "@mcpgen/runtime";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Outbox, answerLimits, untilTaken } from "../../../../runtime/core/http/client/outbox.js";

const limits = { whole: 300, lost: 100, attempt: 50, pause: 10 };
const never = new AbortController().signal;

const refusal = (after: string, data: object = {}): Response =>
  new Response(JSON.stringify({ jsonrpc: "2.0", error: { code: -32603, message: "busy", data } }), {
    status: 503,
    headers: { "retry-after": after },
  });

// All time in these tests is virtual.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));

/** Moves the time until the promise settles. */
async function during<Value>(work: Promise<Value>): Promise<Value> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  work.then(end, end);
  while (!state.isOver) await vi.advanceTimersByTimeAsync(1);
  return work;
}

/** Sends an answer that is always refused. @returns the milliseconds at which it was sent */
async function refused(make: () => Response): Promise<number[]> {
  const times: number[] = [];
  const began = performance.now();
  const post = async (): Promise<Response> => (times.push(performance.now() - began), make());
  expect((await during(untilTaken(post, never, limits))).status).toBe(503);
  return times;
}

describe("an answer that is refused", () => {
  test("is sent again until the limit, and once more after a longer advised pause", async () => {
    const often = await refused(() => refusal("0"));
    expect(often).toHaveLength(1 + limits.whole / limits.pause);
    expect(often.at(-1)).toBe(limits.whole);
    expect(await refused(() => refusal("61"))).toEqual([0, limits.whole]);
  });

  test("is dropped earlier if the asking process is lost", async () => {
    const times = await refused(() => refusal("0", { code: "node-lost" }));
    expect(times.at(-1)).toBe(limits.lost);
  });

  test("is not sent again after an exchange that stays open", async () => {
    let times = 0;
    const post = (signal: AbortSignal): Promise<Response> =>
      new Promise((_, reject) => {
        times++;
        signal.addEventListener("abort", () => reject(new McpError("connection-closed", "aborted")));
      });
    await expect(during(untilTaken(post, never, limits))).rejects.toMatchObject({
      code: "connection-closed",
    });
    expect(times).toBe(1);
  });
});

test("an answer has its whole time", async () => {
  let signal: AbortSignal | undefined;
  const outbox = new Outbox((_, given) => {
    signal = given;
    return new Promise(() => {});
  });
  outbox.answer({ text: "{}", headers: {} });
  await vi.advanceTimersByTimeAsync(answerLimits.whole - 1);
  expect(signal!.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(signal!.aborted).toBe(true);
});
