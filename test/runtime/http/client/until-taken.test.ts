import { McpError } from "@mcpgen/runtime";
import { describe, expect, test, vi } from "vitest";
import { OrderedSender } from "../../../../runtime/core/http/client/ordered-sender.js";
import { answerLimits, untilTaken } from "../../../../runtime/core/http/client/until-taken.js";

const limits = { whole: 300, lost: 100, attempt: 50, pause: 10 };
const never = new AbortController().signal;

const refusal = (after: string, data: object = {}): Response =>
  new Response(JSON.stringify({ jsonrpc: "2.0", error: { code: -32603, message: "busy", data } }), {
    status: 503,
    headers: { "retry-after": after },
  });

/** Sends an answer that is always refused. @returns how often, and the milliseconds that it took */
async function refused(make: () => Response): Promise<{ readonly times: number; readonly took: number }> {
  let times = 0;
  const began = performance.now();
  const response = await untilTaken(async () => (times++, make()), never, limits);
  expect(response.status).toBe(503);
  return { times, took: performance.now() - began };
}

describe("an answer that is refused", () => {
  test("is sent again until the limit, and once more when the pause that is advised is longer", async () => {
    const often = await refused(() => refusal("0"));
    expect(often.times).toBeGreaterThan(3);
    expect(often.took).toBeGreaterThanOrEqual(limits.whole - 1);
    const { times } = await refused(() => refusal("61"));
    // A timer may be early: the last attempt then has another one.
    expect([2, 3]).toContain(times);
  });

  test("is given up earlier where the process that asked is lost", async () => {
    const { took } = await refused(() => refusal("0", { code: "node-lost" }));
    expect(took).toBeLessThan(limits.whole);
  });

  test("is not sent again after an exchange that stays open", async () => {
    let times = 0;
    const post = (signal: AbortSignal): Promise<Response> =>
      new Promise((_, reject) => {
        times++;
        signal.addEventListener("abort", () => reject(new McpError("connection-closed", "aborted")));
      });
    await expect(untilTaken(post, never, limits)).rejects.toMatchObject({ code: "connection-closed" });
    expect(times).toBe(1);
  });
});

test("the sender leaves an answer its whole time", async () => {
  vi.useFakeTimers();
  try {
    let signal: AbortSignal | undefined;
    const sender = new OrderedSender((_, given) => {
      signal = given;
      return new Promise(() => {});
    });
    sender.answer({ text: "{}", headers: {} });
    await vi.advanceTimersByTimeAsync(answerLimits.whole - 1);
    expect(signal!.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal!.aborted).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
