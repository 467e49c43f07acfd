// Handlers that never end, in separate processes, beside a model that keeps count.
import { createInterface } from "node:readline";
import { once } from "node:events";
import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../../generator/sample/values.js";
import { builtProgram } from "../../support/built-program.js";
import { cases, seed } from "../../support/cases.mjs";
import { type Apart, FiredProcess, type Headers, Sender, sendApart } from "./fired-process.js";

const program = builtProgram("test/runtime/http/programs/fired.ts");

const rounds = cases(100, 8);
const principals = ["ada", "bob", "cyd", "dan"];
const limit = 500;
const work = 60;

const legacy = "2025-11-25";
const modern = "2026-07-28";
const tools = ["heeds", "ignores"] as const;

const timedOut = {
  code: -31408,
  message: `tools/call: the handler did not end within ${limit} ms`,
  data: { timer: "timeLimit", limit },
};

const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const line = (event: object): string => JSON.stringify(event, Object.keys(event).toSorted());

/** A running call. */
interface Call {
  readonly principal: string;
  readonly session: string | undefined;
  readonly name: (typeof tools)[number];
  readonly id: number;
  readonly size: number;
  readonly begun: number;
  readonly sent: Apart;
  /** The client has cancelled it, or left. */
  isOver: boolean;
  isTimedOut: boolean;
}

class Siege {
  now = 0;
  /** Calls that are answered or whose handlers run. */
  calls: Call[] = [];
  readonly events: string[] = [];
  readonly limits: { timeLimit?: number } = {};
  readonly counts = { connections: 0, results: 0, errors: 0, cancelled: 0, aborted: 0, limits: this.limits };
  readonly refused = { 503: 0 };
  requests = 0;
  readonly sessions = new Map<string, string>();
  private lastId = 0;
  private readonly sender = new Sender();
  private readonly process: FiredProcess;
  private readonly url: string;
  private readonly random: Random;

  constructor(process: FiredProcess, url: string, random: Random) {
    this.process = process;
    this.url = url;
    this.random = random;
  }

  private headers(principal: string, session: string | undefined, name: string): Headers {
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: principal,
      "mcp-protocol-version": session === undefined ? modern : legacy,
      ...(session === undefined
        ? { "mcp-method": "tools/call", "mcp-name": name }
        : { "mcp-session-id": session }),
    };
  }

  async open(principal: string): Promise<void> {
    const params = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const message = { jsonrpc: "2.0", id: ++this.lastId, method: "initialize", params };
    const headers = this.headers(principal, "", "");
    const { "mcp-session-id": _, ...rest } = headers;
    const answer = await this.sender.send(this.url, "POST", rest, message);
    const session = answer.headers["mcp-session-id"] as string;
    this.requests++;
    this.counts.connections++;
    this.counts.results++;
    this.sessions.set(principal, session);
    this.events.push(line({ type: "session-created", restored: false, principal, sessionId: session }));
  }

  /** Running requests that count: requests without an answer, and requests whose handlers continue. */
  private running(principal?: string): number {
    return this.calls.filter((call) => principal === undefined || call.principal === principal).length;
  }

  /** One principal may use as much as remains free for the others. */
  private admits(principal: string): boolean {
    const left = work - this.running() - 1;
    return left >= 0 && this.running(principal) + 1 <= Math.max(1, left);
  }

  async call(principal: string): Promise<void> {
    const session = this.random.chance(0.5) ? this.sessions.get(principal) : undefined;
    const name = this.random.pick(tools);
    const id = ++this.lastId;
    const params = { name, ...(session === undefined ? { _meta: meta } : {}) };
    const message = { jsonrpc: "2.0", id, method: "tools/call", params };
    const isAdmitted = this.admits(principal);
    this.requests++;
    const sent = sendApart(this.url, "POST", this.headers(principal, session, name), message);
    if (!isAdmitted) {
      this.refused[503]++;
      this.events.push(line({ type: "limit-hit", limit: "limits.work", principal }));
      const { status, headers } = await sent.answer;
      return expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    }
    if (session === undefined) this.counts.connections++;
    const size = JSON.stringify(message).length;
    const rest = { begun: this.now, sent, isOver: false, isTimedOut: false };
    this.calls.push({ principal, session, name, id, size, ...rest });
    // The next request must come while this one runs.
    await this.settle();
  }

  /** The client cancels a call: in a session by a notification, without one by its connection. */
  async cancel(call: Call): Promise<void> {
    const { principal, session, name, id, sent } = call;
    call.isOver = true;
    if (session === undefined) {
      this.counts.aborted++;
      sent.cut();
    } else {
      this.counts.cancelled++;
      this.requests++;
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
      await this.sender.send(this.url, "POST", this.headers(principal, session, name), message);
      const { status, text } = await sent.answer;
      expect([status, text]).toEqual([200, ""]);
    }
    if (name === "heeds") this.calls.splice(this.calls.indexOf(call), 1);
    await this.settle();
  }

  async advance(ms: number): Promise<void> {
    this.now += ms;
    await this.process.order("advance", ms);
    for (const call of [...this.calls]) {
      if (call.isOver || call.isTimedOut || this.now - call.begun < limit) continue;
      const { principal, session, name, id } = call;
      call.isTimedOut = true;
      const event = { type: "request-timed-out", direction: "incoming", method: "tools/call", name };
      const peer = { principal, ...(session === undefined ? {} : { sessionId: session }) };
      this.events.push(line({ ...event, error: "timeout", ...peer }));
      if (name === "heeds") this.calls.splice(this.calls.indexOf(call), 1);
      this.counts.errors++;
      this.limits.timeLimit = (this.limits.timeLimit ?? 0) + 1;
      const { status, text } = await call.sent.answer;
      expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: "2.0", id, error: timedOut }]);
    }
    await this.settle();
  }

  /** The handlers that ignored their signals end. */
  async release(): Promise<void> {
    const waiting = this.calls.filter(({ name }) => name === "ignores");
    expect(await this.process.order("release")).toBe(waiting.length);
    for (const { isOver, isTimedOut, sent, id } of waiting) {
      if (isOver || isTimedOut) continue;
      this.counts.results++;
      const result = { content: [{ type: "text", text: "released" }] };
      expect(JSON.parse((await sent.answer).text)).toMatchObject({ id, result });
    }
    this.calls = this.calls.filter(({ name }) => name === "heeds");
    await this.settle();
  }

  /** The requests that the server must have, its counts, and its reports. */
  async settle(): Promise<void> {
    const open = this.calls.filter(({ isOver, isTimedOut }) => !isOver && !isTimedOut);
    const posts = open.filter(({ session }) => session === undefined).length;
    const expected = {
      http: {
        gauges: {
          sessions: this.sessions.size,
          requests: this.calls.length,
          bodies: 0,
          bodyBytes: open.reduce((sum, { size }) => sum + size, 0),
          streams: 0,
          waitingBytes: 0,
        },
        counters: {
          requests: this.requests,
          refused: this.refused[503] > 0 ? this.refused : {},
          limits: this.refused[503] > 0 ? { "limits.work": this.refused[503] } : {},
        },
      },
      server: {
        gauges: {
          connections: this.sessions.size + posts,
          sessions: this.sessions.size,
          requests: open.length,
        },
        counters: this.counts,
      },
    };
    const found: object[] = [];
    await expect
      .poll(async () => {
        const [{ events, http, server }] = (await this.process.order("read")) as [never];
        found.push(...(events as object[]));
        return { http, server };
      })
      .toMatchObject(expected);
    expect(found.map(line).toSorted()).toEqual(this.events.splice(0).toSorted());
  }
}

test("handlers that never end are answered in time over HTTP, and count until they end", async () => {
  const { process: child, urls } = await FiredProcess.start(program, {
    endpoints: 1,
    http: { limits: { work } },
    timeLimit: limit,
  });
  const random = randomFrom(`${seed}: handlers`);
  const siege = new Siege(child, urls[0]!, random);
  for (const principal of principals) await siege.open(principal);
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const principal = random.pick(principals);
    for (let count = random.below(50); count > 0; count--)
      await siege.call(random.chance(0.7) ? principal : random.pick(principals));
    for (const call of [...siege.calls])
      if (!call.isOver && !call.isTimedOut && random.chance(0.15)) await siege.cancel(call);
    await siege.advance(random.pick([1, 100, 250, 499, 500]));
    if (round % 4 === 3) await siege.release();
    if (round % 8 === 7) {
      await siege.advance(limit);
      await siege.release();
      expect(siege.calls).toEqual([]);
      heaps.push(await child.order("heap"));
    }
  }
  expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(1_048_576);
  expect(siege.counts.errors).toBeGreaterThan(20);
  expect(siege.refused[503]).toBeGreaterThan(5);
  expect(await child.order("close")).toEqual({ timers: 0, handles: [], connections: 0 });
});

test.each([legacy, modern])(
  "handlers that never end are answered in time over stdio (%s)",
  async (revision) => {
    const { process: child } = await FiredProcess.start(program, {
      endpoints: 0,
      timeLimit: limit,
      exit: true,
    });
    const { stdin, stdout } = child.child;
    const lines: Record<string, unknown>[] = [];
    const input = createInterface({ input: stdout! });
    input.on("line", (text) => lines.push(JSON.parse(text) as Record<string, unknown>));
    const send = (message: object): void =>
      void stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const until = (count: number): Promise<void> => expect.poll(() => lines.length).toBe(count);
    const _meta = revision === modern ? { _meta: meta } : {};
    const clientInfo = { name: "x", version: "1" };
    if (revision === legacy) {
      send({
        id: 0,
        method: "initialize",
        params: { protocolVersion: legacy, capabilities: {}, clientInfo },
      });
      await until(1);
    }
    const before = lines.splice(0).length;
    const calls = cases(2000, 100);
    const call = (id: number): void =>
      send({ id, method: "tools/call", params: { name: tools[id % 2], ..._meta } });
    const ids = Array.from({ length: calls }, (_, index) => index + 1);
    for (const id of ids) call(id);
    const requests = async (): Promise<number> => (await child.order("read"))[0]!.server.gauges.requests;
    await expect.poll(requests).toBe(calls);
    // The client gives a quarter up.
    const isCancelled = (id: number): boolean => id % 4 < 2 && id % 8 < 4;
    for (const requestId of ids.filter(isCancelled))
      send({ method: "notifications/cancelled", params: { requestId, ..._meta } });
    const answered = ids.filter((id) => !isCancelled(id));
    await expect.poll(requests).toBe(answered.length);
    await child.order("advance", limit - 1);
    expect(lines).toEqual([]);
    await child.order("advance", 1);
    await until(answered.length);
    expect(lines.splice(0).toSorted((a, b) => Number(a["id"]) - Number(b["id"]))).toEqual(
      answered.map((id) => ({ jsonrpc: "2.0", id, error: timedOut })),
    );
    const [reading] = await child.order("read");
    expect(reading!.server).toEqual({
      gauges: { connections: 1, sessions: before, requests: 0, parked: 0 },
      counters: {
        connections: 1,
        results: before,
        errors: answered.length,
        cancelled: calls - answered.length,
        aborted: 0,
        limits: { timeLimit: answered.length },
      },
    });
    // Late results are not sent.
    expect(await child.order("release")).toBe(calls / 2);
    call(calls + 2);
    await expect.poll(requests).toBe(1);
    expect(lines).toEqual([]);
    // The end of the input leaves a handler a second.
    const ended = once(child.child, "exit");
    stdin!.end();
    await child.order("advance", 1000).catch(() => undefined);
    expect(await ended).toEqual([0, null]);
    expect(lines).toMatchObject([{ id: calls + 2, error: { code: -31408 } }]);
  },
);
