import { McpError } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, test } from "vitest";
import { JsonRpcPeer, progressOf } from "../../../runtime/base/jsonrpc/peer.js";
import { failureOf } from "../../support/failure-of.js";

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
}

const reason = new McpError("connection-closed", "over");
const noop = (): void => {};

describe("requests of the other side", () => {
  test("get no answer after they are cancelled, and their ids can be used again", () => {
    const { running, ...peer } = peerOf();
    const [first, second] = [new AbortController(), new AbortController()];
    running.start(1, first);
    peer.cancelled({ requestId: 1, reason: "enough" });
    running.start(1, second);
    expect(first.signal.reason).toMatchObject({ code: "cancelled", message: "enough" });
    expect([running.finish(1, first), running.has(1), running.finish(1, second)]).toEqual([
      false,
      true,
      true,
    ]);
    expect([running.size, second.signal.aborted]).toEqual([0, false]);
  });

  test.each([
    ["no reason", { requestId: 1 }],
    ["a reason that is no text", { requestId: 1, reason: { a: 1 } }],
  ])("are cancelled with %s", (_, params) => {
    const { running, ...peer } = peerOf();
    const work = new AbortController();
    running.start(1, work);
    peer.cancelled(params);
    expect(work.signal.reason).toMatchObject({ code: "cancelled", message: "it was cancelled" });
  });

  test.each([2, "1", null, {}, undefined])("are not cancelled with the id %j", (requestId) => {
    const { running, ...peer } = peerOf();
    running.start(1, new AbortController());
    peer.cancelled({ requestId });
    expect(running.has(1)).toBe(true);
  });

  test("are aborted at the end, and requests of this side fail", async () => {
    const { running, pending, end } = peerOf();
    const work = new AbortController();
    running.start("a", work);
    const answer = failureOf(pending.wait(1, "m", {}, noop));
    end(reason);
    expect([work.signal.reason, await answer, running.size, pending.size]).toEqual([reason, reason, 0, 0]);
  });
});

describe("requests of this side", () => {
  test("are ended by the other side if it may end them", async () => {
    const { pending, ...peer } = peerOf();
    const answers = ["may", "must-not"].map((method, id) => pending.wait(id, method, {}, noop));
    for (const requestId of [0, 1]) peer.cancelled({ requestId }, (method) => method === "may");
    expect(await failureOf(answers[0]!)).toMatchObject({ code: "cancelled" });
    expect(pending.size).toBe(1);
    peer.settle({ id: 1, result: {} });
    expect(await answers[1]).toMatchObject({ result: {} });
  });

  test("are answered once", async () => {
    const { pending, settle } = peerOf();
    const answer = pending.wait(1, "m", {}, noop);
    expect(settle({ id: 1, result: { a: 1 } })).toMatchObject({ method: "m" });
    expect(settle({ id: 1, result: { a: 2 } })).toBeUndefined();
    expect(await answer).toMatchObject({ result: { a: 1 } });
  });

  test("receive progress with their token; malformed progress does not restart the timeout", async () => {
    const clock = new VirtualClock();
    const { pending, progressed } = peerOf(clock);
    const seen: unknown[] = [];
    const onProgress = (progress: unknown): void => void seen.push(progress);
    const answer = failureOf(pending.wait(1, "m", { timeout: 100, onProgress }, noop));
    await clock.advance(60);
    expect(progressed({ progressToken: 1, progress: 1, total: "2", message: 3, more: 4 })).toBeUndefined();
    await clock.advance(60);
    for (const progress of ["1", null, undefined, Infinity]) progressed({ progressToken: 1, progress });
    await clock.advance(60);
    expect(await answer).toMatchObject({ code: "timeout" });
    expect(seen).toEqual([{ progress: 1 }]);
    expect(progressed({ progressToken: 1, progress: 2, total: 4, message: "half" })).toEqual({
      progress: 2,
      total: 4,
      message: "half",
    });
  });
});

test("progress is sent if it was requested, and only if it grows", () => {
  const work = { lastProgress: -Infinity };
  const sent = [1, 1, NaN, 0, 2].map((progress) => progressOf(work, "token", progress, Infinity, "on"));
  expect(sent).toEqual([
    { progressToken: "token", progress: 1, message: "on" },
    undefined,
    undefined,
    undefined,
    { progressToken: "token", progress: 2, message: "on" },
  ]);
  for (const token of [undefined, null, 1.5, {}]) expect(progressOf(work, token, 9)).toBeUndefined();
});

function peerOf(clock = new VirtualClock()) {
  const peer = new JsonRpcPeer<Answer, AbortController>({ clock });
  const { pending, running } = peer;
  return {
    pending,
    running,
    settle: peer.settle.bind(peer),
    progressed: peer.progressed.bind(peer),
    end: peer.end.bind(peer),
    cancelled: (params: { [name: string]: unknown }, ends?: (method: string) => boolean): void =>
      peer.cancelled(params, "it was cancelled", ends),
  };
}
