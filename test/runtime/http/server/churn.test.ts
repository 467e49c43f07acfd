// Sessions of several principals that are opened, used, left, deleted and ended at random, beside a model that keeps count.
import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../../../generator/sample/values.js";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { heap } from "../../../support/heap.js";
import { inside } from "../../../support/http-fixture.js";
import { cases, isThorough, seed } from "../../../support/cases.mjs";
import { exchangeOf } from "./exchange-of.js";

const steps = 4 * cases(15_000, 375);

const idleMs = 1000;
const maxPerPrincipal = 8;
const maxSessions = 20;
const principals = ["ada", "bob", "cyd", "dan"];

type Sent = ReturnType<typeof exchangeOf>;

/** A session, as the model knows it. */
interface Known {
  readonly id: string;
  readonly principal: string;
  lastSeen: number;
  /** A running call whose client is connected. */
  call: Sent | undefined;
  /** A running call whose client has left. */
  isOrphaned: boolean;
  stream: Sent | undefined;
}

/** The required behaviour of the endpoint, by its documentation. */
class Model {
  readonly sessions: Known[] = [];
  readonly ended = { deleted: 0, expired: 0, evicted: 0, ended: 0 };
  created = 0;
  aborted = 0;
  now = 0;
  #sweep: number | undefined;

  hasClient({ call, stream }: Known): boolean {
    return call !== undefined || stream !== undefined;
  }

  /** Makes room as `limits.sessions` says. Returns whether there is some. */
  makesRoom(principal: string): boolean {
    const own = this.sessions.filter((session) => session.principal === principal);
    if (this.sessions.length < maxSessions && own.length < maxPerPrincipal) return true;
    const idle = own.filter((session) => !this.hasClient(session));
    const found = oldest(idle.filter(({ isOrphaned }) => !isOrphaned)) ?? oldest(idle);
    if (found) this.end(found, "evicted");
    return found !== undefined;
  }

  /** Streams that listen, and calls whose answers have begun. */
  streamsOf(sessions: readonly Known[]): number {
    return sessions
      .flatMap(({ call, stream }) => [call?.status === 200, stream !== undefined])
      .filter(Boolean).length;
  }

  /** Whether a principal may listen once more: it gets half of all streams at most, and no more than stay free for others. */
  hasStreamFor(principal: string): boolean {
    const own = this.streamsOf(this.sessions.filter((session) => session.principal === principal));
    const free = maxSessions - this.streamsOf(this.sessions) - 1;
    return free >= 0 && own < maxSessions / 2 && (own === 0 || own < free);
  }

  open(id: string, principal: string): void {
    this.created++;
    const lastSeen = this.now;
    this.sessions.push({ id, principal, lastSeen, call: undefined, isOrphaned: false, stream: undefined });
    this.#sweep ??= this.now + idleMs / 2;
  }

  end(session: Known, reason: keyof Model["ended"]): void {
    this.ended[reason]++;
    if (session.call || session.isOrphaned) this.aborted++;
    this.sessions.splice(this.sessions.indexOf(session), 1);
    if (this.sessions.length === 0) this.#sweep = undefined;
  }

  isIdle(session: Known): boolean {
    return this.now - session.lastSeen >= idleMs && !this.hasClient(session);
  }

  /** Whether a request finds the session. */
  finds(session: Known): boolean {
    if (this.isIdle(session)) this.end(session, "expired");
    else session.lastSeen = this.now;
    return this.sessions.includes(session);
  }

  advance(milliseconds: number): void {
    const end = this.now + milliseconds;
    while (this.#sweep !== undefined && this.#sweep <= end) {
      this.now = this.#sweep;
      for (const session of [...this.sessions]) if (this.isIdle(session)) this.end(session, "expired");
      this.#sweep = this.sessions.length > 0 ? this.now + idleMs / 2 : undefined;
    }
    this.now = end;
  }
}

/** The one that was used longest ago; of several the one that was opened first. */
function oldest(sessions: readonly Known[]): Known | undefined {
  return sessions.reduce<Known | undefined>(
    (first, each) => (first && first.lastSeen <= each.lastSeen ? first : each),
    undefined,
  );
}

function expiring() {
  const found = inside();
  let aborted = 0;
  found.server.tool("held", {}, (_, { signal }) => {
    return new Promise<string>((resolve) =>
      signal.addEventListener("abort", () => {
        aborted++;
        resolve("");
      }),
    );
  });
  const events: Record<string, number> = {};
  const endpoint = endpointOf(found.server, {
    keepAliveMs: 0,
    graceMs: 0,
    limits: { work: 10_000, sessions: maxSessions },
    authenticate: ({ header }) => ({ principal: header("authorization")! }),
    sessions: {
      idleMs,
      onSession: (event) => {
        const name = event.type === "ended" ? event.reason : event.type;
        events[name] = (events[name] ?? 0) + 1;
      },
    },
  });
  return { ...found, endpoint, events, aborted: () => aborted };
}

class Churn {
  readonly model = new Model();
  readonly found = expiring();
  readonly #random: Random;
  #id = 0;
  /** The counts that the endpoint must have. */
  readonly expected = { requests: 0, busy: 0, missing: 0, limit: 0 };

  constructor(random: Random) {
    this.#random = random;
  }

  async #send(method: string, principal: string, session?: string, message?: object): Promise<Sent> {
    const headers = {
      authorization: principal,
      "content-type": "application/json",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    };
    this.expected.requests++;
    const { counts } = this.found.endpoint.backlog;
    const exchange = exchangeOf(method, headers, message ? JSON.stringify(message) : "", counts);
    exchange.reply = counting(exchange);
    this.found.endpoint.handle(exchange);
    // `authenticate` and promises of handlers take a few microtasks.
    for (let turn = 0; turn < 12; turn++) await Promise.resolve();
    return exchange;
  }

  #message(method: string, params: object): object {
    return { jsonrpc: "2.0", id: ++this.#id, method, params };
  }

  async step(): Promise<void> {
    const { sessions } = this.model;
    const kind = this.#random.below(20);
    const session = sessions.length > 0 ? this.#random.pick(sessions) : undefined;
    if (!session || kind < 6) return this.#open(this.#random.pick(principals));
    if (kind < 9) return this.#ping(session);
    if (kind < 11) return this.#call(session);
    if (kind < 13) return this.#leave(session);
    if (kind < 15) return this.#listen(session);
    if (kind < 17) return this.#delete(session);
    if (kind === 17) return this.#end(session);
    const milliseconds = 1 + this.#random.below(idleMs / 2);
    this.model.advance(milliseconds);
    await this.found.clock.advance(milliseconds);
  }

  async #open(principal: string): Promise<void> {
    const isOpen = this.model.makesRoom(principal);
    const clientInfo = { name: "x", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { status, session } = await this.#send(
      "POST",
      principal,
      undefined,
      this.#message("initialize", params),
    );
    expect(status).toBe(isOpen ? 200 : 503);
    if (isOpen) this.model.open(session!, principal);
    else {
      this.expected.busy++;
      this.expected.limit++;
    }
  }

  /** Whether the session is found, as its answer must show. */
  #finds(session: Known): boolean {
    const isFound = this.model.finds(session);
    if (!isFound) this.expected.missing++;
    return isFound;
  }

  async #ping(session: Known): Promise<void> {
    const isFound = this.#finds(session);
    const { status } = await this.#send("POST", session.principal, session.id, this.#message("ping", {}));
    expect(status).toBe(isFound ? 200 : 404);
  }

  async #call(session: Known): Promise<void> {
    if (session.call || session.isOrphaned) return;
    const isFound = this.#finds(session);
    const message = this.#message("tools/call", { name: "held", arguments: {} });
    const exchange = await this.#send("POST", session.principal, session.id, message);
    expect(exchange.status).toBe(isFound ? 0 : 404);
    if (isFound) session.call = exchange;
  }

  /** The client disconnects: its call goes on, its stream ends. */
  async #leave(session: Known): Promise<void> {
    const { call, stream } = session;
    if (!call && !stream) return;
    session.lastSeen = this.model.now;
    session.isOrphaned ||= call !== undefined;
    session.call = session.stream = undefined;
    call?.gone();
    stream?.gone();
  }

  async #listen(session: Known): Promise<void> {
    if (session.stream) return;
    const isFound = this.#finds(session);
    const isOpen = isFound && this.model.hasStreamFor(session.principal);
    const exchange = await this.#send("GET", session.principal, session.id);
    expect(exchange.status).toBe(isOpen ? 200 : isFound ? 503 : 404);
    if (isOpen) session.stream = exchange;
    else if (isFound) {
      this.expected.busy++;
      this.expected.limit++;
    }
  }

  async #delete(session: Known): Promise<void> {
    const stranger = principals.find((each) => each !== session.principal)!;
    expect((await this.#send("DELETE", stranger, session.id)).status).toBe(404);
    this.expected.missing++;
    const isFound = this.#finds(session);
    const running = session.call;
    expect((await this.#send("DELETE", session.principal, session.id)).status).toBe(isFound ? 204 : 404);
    if (isFound) this.model.end(session, "deleted");
    if (running) this.#gone(running);
  }

  async #end(session: Known): Promise<void> {
    expect(await this.found.endpoint.sessions.end(session.id)).toBe(true);
    this.model.end(session, "ended");
    if (session.call) this.#gone(session.call);
  }

  /** A running request of a session that ended gets an error: with 503, or in the event stream that it has begun. */
  #gone(exchange: Sent): void {
    expect(exchange.status).toBe(exchange.ended ? 200 : 503);
    if (exchange.ended) expect(exchange.written).toContain("the session was ended");
    else this.expected.busy++;
  }

  /** Compares what the endpoint holds and has counted with the model. */
  compare(): void {
    const { endpoint, events, server, aborted } = this.found;
    const { model, expected } = this;
    const { gauges, counters } = endpoint.stats;
    const { deleted, expired, evicted, ended } = model.ended;
    const running = model.sessions.filter(({ call }) => call).length;
    const streams = model.streamsOf(model.sessions);
    const orphaned = model.sessions.filter(({ isOrphaned }) => isOrphaned).length;
    expect(gauges).toMatchObject({ sessions: model.sessions.length, requests: running, streams, bodies: 0 });
    expect(counters.requests).toBe(expected.requests);
    expect(counters.sessions).toMatchObject({ created: model.created, deleted, expired, evicted, ended });
    expect({ deleted: 0, expired: 0, evicted: 0, ended: 0, ...events }).toMatchObject({
      created: model.created,
      ...model.ended,
    });
    expect(counters.limits).toEqual(expected.limit > 0 ? { "limits.sessions": expected.limit } : {});
    expect(server.stats().gauges).toEqual({
      connections: model.sessions.length,
      sessions: model.sessions.length,
      requests: running + orphaned,
      parked: 0,
    });
    expect([server.stats().counters.aborted, aborted()]).toEqual([model.aborted, model.aborted]);
    expect([...endpoint.sessions].map(({ id }) => id)).toEqual(model.sessions.map(({ id }) => id));
    expect(counters.refused).toEqual({
      ...(expected.busy > 0 ? { 503: expected.busy } : {}),
      ...(expected.missing > 0 ? { 404: expected.missing } : {}),
    });
  }
}

/** Counts refusals as an adapter does. */
function counting(exchange: Sent): Sent["reply"] {
  const reply = exchange.reply.bind(exchange);
  return (status, headers, text) => {
    if (status >= 400 && exchange.status === 0) exchange.counts.refused(status);
    if (exchange.status === 0) reply(status, headers, text);
  };
}

test(`${steps} random steps of sessions leave the state of the model, and nothing after the end`, async () => {
  const churn = new Churn(randomFrom(`${seed}: churn`));
  const { endpoint, clock, server } = churn.found;
  let before = 0;
  for (let step = 0; step < steps; step++) {
    await churn.step();
    if (step % 100 === 0) churn.compare();
    if (isThorough && step === steps / 4) before = await heap();
  }
  churn.compare();
  expect(churn.model.created).toBeGreaterThan(steps / 6);
  for (const count of Object.values(churn.model.ended)) expect(count).toBeGreaterThan(10);
  if (isThorough) expect((await heap()) - before).toBeLessThan(2 * 1_048_576);
  const left = churn.model.sessions.length;
  await endpoint.close();
  expect(endpoint.stats.gauges).toEqual({
    ...{ sessions: 0, streams: 0, requests: 0, bodies: 0, bodyBytes: 0, keptBytes: 0, waitingBytes: 0 },
  });
  expect(endpoint.stats.counters.sessions.closed).toBe(left);
  expect([server.connections.size, clock.waiting]).toEqual([0, 0]);
});
