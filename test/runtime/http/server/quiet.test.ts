// While a handler is silent, a client gets the headers and a comment within two seconds, then a comment each
// `keepAliveMs`.
import { type HttpOptions } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { Admission } from "../../../../runtime/base/admission/admission.js";
import {
  type Awaited as AwaitedResponse,
  Streams,
} from "../../../../runtime/core/http/server/event-streams.js";
import { cases, seed } from "../../../support/cases.mjs";
import { type Adapter, adapters } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { type Members, Party, type Wired, messagesOf, textOf } from "../../../support/raw-http-client.js";
import { SseParty } from "../../../support/raw-sse-client.js";
import type { WireAnswer } from "../../../support/http-wire.js";
import { until } from "../../../support/until.mjs";
import { exchangeOf } from "./exchange-of.js";

const modern = "2026-07-28";
const newestLegacy = "2025-11-25";
const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", newestLegacy];
const keepAliveMs = 10_000;

/** A server with a client that calls a tool which says nothing. */
async function quiet(adapter: Adapter, revision: string, options: HttpOptions = {}, more: Members = {}) {
  const found = await http(adapter, revision, { keepAliveMs, ...options });
  const { party, began, clock } = found;
  let headers = 0;
  const answering = party.post(party.call("gated", {}, {}, "quiet"), more as Record<string, string>);
  void answering.then(() => headers++);
  await began.opened;
  return { ...found, answering, hasHeaders: () => headers > 0, pass: (ms: number) => clock.advance(ms) };
}

/** Written data leaves the server within this time. */
const graceMs = 1000;

async function closed({ target, clock }: Awaited<ReturnType<typeof http>>): Promise<void> {
  const closing = target.close();
  await clock.advance(graceMs);
  await closing;
}

const resultOf = (answer: WireAnswer): Wired => messagesOf(answer).find(({ id }) => id === "quiet")!;

describe.each(adapters)("over %s", (adapter) => {
  test.each(
    [...legacy, modern].flatMap((revision) =>
      (["auto", "sse"] as const).map((responses) => [revision, responses] as const),
    ),
  )("at %s with responses %s, headers come after two seconds, and comments", async (revision, responses) => {
    const { answering, pass, gate } = await quiet(adapter, revision, { responses });
    await pass(2000);
    const answer = await answering;
    expect([answer.status, answer.type]).toEqual([200, "text/event-stream"]);
    await answer.until(({ comments }) => comments === 1);
    for (let beat = 2; beat < 5; beat++) {
      await pass(keepAliveMs);
      await answer.until(({ comments }) => comments === beat);
    }
    gate.open();
    await answer.whole();
    expect([answer.complete, textOf(resultOf(answer))]).toEqual([true, "done"]);
  });

  test.each([...legacy, modern])("at %s a client without sessions also gets them", async (revision) => {
    const { answering, pass, gate } = await quiet(adapter, revision, { sessions: false });
    await pass(2000);
    const answer = await answering;
    await answer.until(({ comments }) => comments === 1);
    gate.open();
    await answer.whole();
    expect(textOf(resultOf(answer))).toBe("done");
  });

  test.each([
    [{}, {}],
    [{ responses: "json" }, {}],
    [{}, { accept: "application/json" }],
  ] as const)("an answer within a second, %j or %j: JSON", async (options, headers) => {
    for (const revision of [newestLegacy, modern]) {
      const { answering, pass, gate } = await quiet(adapter, revision, options, headers);
      await pass(999);
      gate.open();
      const answer = await answering;
      expect([answer.status, answer.type]).toEqual([200, "application/json"]);
    }
  });

  test.each([
    [{ responses: "json" }, {}],
    [{}, { accept: "application/json" }],
  ] as const)("no stream begins for %j and %j, however long it takes", async (options, headers) => {
    for (const revision of [newestLegacy, modern]) {
      const { answering, pass, gate, hasHeaders } = await quiet(adapter, revision, options, headers);
      await pass(400_000);
      expect(hasHeaders()).toBe(false);
      gate.open();
      const answer = await answering;
      expect([answer.status, answer.type]).toEqual([200, "application/json"]);
    }
  });

  test("with keepAliveMs: 0 there are no comments, but the same headers", async () => {
    for (const revision of [newestLegacy, modern]) {
      const { answering, pass, gate, clock } = await quiet(adapter, revision, { keepAliveMs: 0 });
      await pass(2000);
      const answer = await answering;
      await pass(100_000);
      gate.open();
      await answer.whole();
      expect([answer.type, answer.comments, clock.waiting > 1]).toEqual(["text/event-stream", 0, false]);
    }
  });

  test("a shorter keepAliveMs is the longest silence from the beginning", async () => {
    for (const revision of [newestLegacy, modern]) {
      const { answering, pass, gate } = await quiet(adapter, revision, { keepAliveMs: 100 });
      await pass(100);
      await (await answering).until(({ comments }) => comments === 1);
      gate.open();
    }
  });

  test("an error after the headers comes in the stream", async () => {
    for (const revision of [newestLegacy, modern]) {
      const { server, party, clock } = await http(
        adapter,
        revision,
        { keepAliveMs },
        {},
        { onEvent: () => true },
      );
      server.handle("tools/list", () => new Promise((_, reject) => void (fail = reject)));
      let fail: (error: Error) => void = () => undefined;
      const answering = party.post(party.message("tools/list", {}, "quiet"));
      await expect.poll(() => server.stats().gauges.requests).toBe(1);
      await clock.advance(2000);
      const answer = await answering;
      fail(new Error("it went wrong"));
      await answer.whole();
      expect([answer.status, resultOf(answer).error?.code]).toEqual([200, -32603]);
    }
  });

  test("a client of a session that loses the stream gets the answer when it comes back", async () => {
    const { answering, pass, gate, party } = await quiet(adapter, newestLegacy);
    await pass(2000);
    const answer = await answering;
    const id = await answer.until(({ events }) => events[0]?.id);
    answer.cut();
    gate.open();
    const again = await party.get({ "last-event-id": id });
    await again.whole();
    expect(textOf(resultOf(again))).toBe("done");
  });

  test.each([
    [2000, "in the stream", 200],
    [0, "with the status 503", 503],
  ])("a server that closes after %i ms reports it %s", async (waited, _where, status) => {
    for (const [revision, sessions] of [
      [newestLegacy, true],
      [newestLegacy, false],
      [modern, false],
    ] as const) {
      const found = await quiet(adapter, revision, { graceMs, ...(sessions ? {} : { sessions }) });
      await found.pass(waited);
      const closing = closed(found);
      const answer = await found.answering;
      await closing;
      await answer.whole();
      expect([answer.status, resultOf(answer).error?.code]).toEqual([status, -32603]);
    }
  });

  test("a client that deletes its session gets the errors of its calls in their streams", async () => {
    const { answering, pass, party } = await quiet(adapter, newestLegacy);
    await pass(2000);
    const answer = await answering;
    expect((await party.delete()).status).toBe(204);
    await answer.whole();
    expect(resultOf(answer).error).toMatchObject({ code: -32603, message: "the session was ended" });
  });

  test.each([2000, 0])(
    "a batch of %i ms keeps its answers, and the remaining requests get the error",
    async (waited) => {
      for (const sessions of [true, false]) {
        const found = await http(adapter, "2025-03-26", { keepAliveMs, graceMs, sessions });
        const { party, clock, began } = found;
        const batch = [party.call("echo", { text: "a" }, {}, "quick"), party.call("gated", {}, {}, "quiet")];
        const answering = party.post(batch);
        await began.opened;
        await clock.advance(waited);
        const closing = closed(found);
        const answer = await answering;
        await closing;
        await answer.whole();
        const outcomes = messagesOf(answer).map(({ id, result, error }) => [
          id,
          result ? "result" : error?.code,
        ]);
        expect(outcomes).toEqual([
          ["quick", "result"],
          ["quiet", -32603],
        ]);
      }
    },
  );

  test("HTTP+SSE: running requests get an error when the server closes", async () => {
    const found = await http(adapter, modern, { keepAliveMs, graceMs, sse: true });
    const party = await new SseParty(found.target.url, "2024-11-05").open();
    await party.post({ jsonrpc: "2.0", id: "quiet", method: "tools/call", params: { name: "gated" } });
    await found.began.opened;
    await closed(found);
    await party.stream.whole();
    expect(party.messages.find(({ id }) => id === "quiet")?.error).toMatchObject({ code: -32603 });
  });

  test("a handshake waits for its session: its headers name it", async () => {
    const stored: (() => void)[] = [];
    const store = {
      get: () => undefined,
      set: () => new Promise<void>((resolve) => void stored.push(resolve)),
      touch: () => true,
      delete: () => undefined,
    };
    const { clock, target } = await http(adapter, modern, { keepAliveMs, sessions: { store } });
    const handshake = new Party(target.url, newestLegacy).initialize();
    await expect.poll(() => stored.length).toBe(1);
    await clock.advance(10_000);
    stored[0]!();
    const { status, headers, type } = await handshake;
    expect([status, type]).toEqual([200, "application/json"]);
    expect(headers["mcp-session-id"]).toMatch(/^[\w-]{22}$/);
  });
});

test.each([newestLegacy, modern])(
  "1,000 quiet calls at %s have one timer, and end with none",
  async (revision) => {
    const found = inside();
    const options = { keepAliveMs, graceMs: 0, ...(revision === modern ? {} : { sessions: false }) };
    const endpoints = [endpointOf(found.server, options), endpointOf(found.server, options)];
    const party = new Party("http://localhost/", revision);
    const exchanges = Array.from({ length: 1000 }, (_, index) => {
      const message = party.call("gated");
      const exchange = exchangeOf("POST", party.headersOf(message), JSON.stringify(message));
      endpoints[index % 2]!.handle(exchange);
      return exchange;
    });
    // The first request loads modules; a response waits after the turn in which its handler began.
    await until("1,000 calls run", () => found.server.stats().gauges.requests === 1000);
    await new Promise(setImmediate);
    for (const ms of [0, 500, 500, 500, 500, keepAliveMs, 3 * keepAliveMs]) {
      await found.clock.advance(ms);
      expect(found.clock.waiting).toBe(1);
    }
    expect(exchanges.every(({ status, written }) => status === 200 && /^(: \n\n){5}$/.test(written))).toBe(
      true,
    );
    found.gate.open();
    await until("1,000 answers", () => exchanges.every(({ ended }) => ended));
    expect(found.clock.waiting).toBe(0);
  },
);

/** The lifetime of one response. */
interface Life {
  readonly from: number;
  readonly until: number;
}

// Workers need a separate timer for each: there a timer ends with the request that set it.
test.each([false, true])(
  "responses of any times begin within their two seconds; own timers: %s",
  async (own) => {
    const moment = fc.integer({ min: 0, max: 20_000 });
    const life = fc
      .tuple(moment, moment)
      .map(([a, b]): Life => ({ from: Math.min(a, b), until: Math.max(a, b) }));
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 12 }), async (lives) => {
        const clock = new VirtualClock();
        const streams = new Streams(clock, 3000, new Admission({ count: 100 }), own);
        const begun = new Map<Life, number>();
        const beats = new Map<Life, number[]>();
        const starts = new Map<Life, AwaitedResponse>();
        const ends = new Map<Life, () => void>();
        for (const each of lives) {
          const sink = { write: () => (beats.get(each)!.push(clock.now()), true), end: () => undefined };
          beats.set(each, []);
          starts.set(each, {
            begin: () => {
              begun.set(each, clock.now());
              streams.opened(sink, "");
              return sink;
            },
          });
          ends.set(each, () => streams.ended(sink));
        }
        const events = lives
          .flatMap((each) => [
            { at: each.from, run: () => streams.awaits(starts.get(each)!) },
            {
              at: each.until,
              run: () => {
                streams.answered(starts.get(each)!);
                if (begun.has(each)) ends.get(each)!();
              },
            },
          ])
          .sort((a, b) => a.at - b.at);
        let now = 0;
        for (const { at, run } of events) {
          await clock.advance(at - now);
          now = at;
          run();
          expect(own || clock.waiting <= 1).toBe(true);
        }
        for (const each of lives) {
          const start = begun.get(each);
          if (start === undefined) {
            expect(each.until - each.from).toBeLessThanOrEqual(2000);
            continue;
          }
          expect(start - each.from).toBeGreaterThanOrEqual(1000);
          expect(start - each.from).toBeLessThanOrEqual(2000);
          const heard = beats.get(each)!;
          expect(heard[0]).toBe(start);
          const gaps = [...heard.slice(1), each.until].map((at, index) => at - heard[index]!);
          expect(gaps.every((gap) => gap <= 3000)).toBe(true);
        }
        expect(clock.waiting).toBe(0);
      }),
      { seed, numRuns: cases(1000, 25) },
    );
  },
);
