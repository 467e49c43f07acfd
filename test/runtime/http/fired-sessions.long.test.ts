// Sessions over sockets at two servers with one store, beside a model of the documentation that keeps count.
import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../../generator/sample/values.js";
import { builtProgram } from "../../support/built-program.js";
import { cases, seed } from "../../support/cases.mjs";
import { type Answer, FiredProcess, type Headers, Sender, sendApart } from "./fired-process.js";
import type { Reading } from "./programs/fired.js";

const program = builtProgram("test/runtime/http/programs/fired.ts");

/** The long run opens 10,000 sessions before it begins to end them. */
const opened = cases(10_000, 400);
const principals = Array.from({ length: 8 }, (_, index) => `p${index}`);
const maxPerPrincipal = opened / principals.length;
const idleMs = 100_000;
/** Half of `idleMs`, at most half a minute. */
const sweepMs = 30_000;
/** Streams and running calls at a time: each has a socket. */
const mostApart = 200;
const phases = 3;
/** Of each principal in a round; there are ten rounds in a phase. */
const steps = Math.max(4, maxPerPrincipal / 20);

const legacy = "2025-11-25";
const modern = "2026-07-28";

type Apart = ReturnType<typeof sendApart>;

/** A session of one server. */
interface Known {
  readonly id: string;
  readonly principal: string;
  lastSeen: number;
  stream: Apart | undefined;
  /** A running call. */
  call: { readonly sent: Apart; readonly size: number; readonly since: number } | undefined;
  /** Characters of a running call whose client has left. */
  orphan: number | undefined;
}

const hasClient = ({ stream, call }: Known): boolean => stream !== undefined || call !== undefined;

/** A response that is awaited for 2 s begins as a stream. */
const hasBegun = ({ call }: Known, now: number): boolean => call !== undefined && now - call.since >= 2000;

/** An event in a form that can be compared. */
const line = (event: object): string => JSON.stringify(event, Object.keys(event).toSorted());

/** The sessions of one server, its expected counts, and its expected reports. */
class ModelServer {
  readonly sessions = new Map(principals.concat("full").map((name) => [name, new Map<string, Known>()]));
  readonly counts = {
    created: 0,
    restored: 0,
    deleted: 0,
    disconnected: 0,
    expired: 0,
    evicted: 0,
    ended: 0,
    closed: 0,
  };
  readonly refused: { [status: number]: number } = {};
  readonly limits: { [name: string]: number } = {};
  requests = 0;
  connections = 0;
  results = 0;
  errors = 0;
  aborted = 0;
  events: string[] = [];
  reports: string[] = [];
  sweepAt: number | undefined;
  /** Answers that calls of ended sessions must have. */
  readonly ended: { readonly answer: Promise<Answer>; readonly status: number }[] = [];

  get all(): Known[] {
    return [...this.sessions.values()].flatMap((each) => [...each.values()]);
  }

  get size(): number {
    return [...this.sessions.values()].reduce((sum, { size }) => sum + size, 0);
  }

  refuse(status: number): void {
    this.refused[status] = (this.refused[status] ?? 0) + 1;
  }

  event(event: object): void {
    this.events.push(line(event));
  }

  begin(how: "created" | "restored", id: string, principal: string, now: number): Known {
    const session = { id, principal, lastSeen: now, stream: undefined, call: undefined, orphan: undefined };
    this.sessions.get(principal)!.set(id, session);
    this.counts[how]++;
    this.connections++;
    this.reports.push(`${how} ${id}`);
    this.event({ type: "session-created", restored: how === "restored", principal, sessionId: id });
    this.sweepAt ??= now + sweepMs;
    return session;
  }

  end(
    session: Known,
    reason: Exclude<keyof ModelServer["counts"], "created" | "restored">,
    now: number,
  ): void {
    const { id, principal, call, orphan } = session;
    this.sessions.get(principal)!.delete(id);
    this.counts[reason]++;
    this.reports.push(`ended ${reason} ${id}`);
    const type = reason === "expired" || reason === "evicted" ? `session-${reason}` : "session-ended";
    this.event({ type, reason, principal, sessionId: id });
    if (call || orphan !== undefined) this.aborted++;
    if (call) {
      const status = hasBegun(session, now) ? 200 : 503;
      if (status === 503) this.refuse(503);
      this.ended.push({ answer: call.sent.answer, status });
    }
    if (this.size === 0) this.sweepAt = undefined;
  }

  /** The session that makes room: without running calls, if there is one. */
  leastUsed(principal: string): Known | undefined {
    const own = [...this.sessions.get(principal)!.values()].filter((each) => !hasClient(each));
    const idle = own.filter(({ orphan }) => orphan === undefined);
    return oldest(idle.length > 0 ? idle : own);
  }
}

/** The one that was used longest ago; of several the one that was opened first. */
function oldest(sessions: readonly Known[]): Known | undefined {
  return sessions.reduce<Known | undefined>(
    (first, each) => (first && first.lastSeen <= each.lastSeen ? first : each),
    undefined,
  );
}

class Model {
  readonly servers = [new ModelServer(), new ModelServer()] as const;
  /** The sessions in the store, with their times of expiry. */
  readonly store = new Map<string, { readonly principal: string; due: number }>();
  now = 0;

  isIdle(session: Known): boolean {
    return this.now - session.lastSeen >= idleMs && !hasClient(session);
  }

  isStored(id: string, principal?: string): boolean {
    const found = this.store.get(id);
    return found !== undefined && found.due > this.now && (principal ?? found.principal) === found.principal;
  }

  /** Makes room for one more session. Returns whether there is some. */
  makesRoom(at: ModelServer, principal: string): boolean {
    if (at.sessions.get(principal)!.size < maxPerPrincipal) return true;
    const found = at.leastUsed(principal);
    if (!found) return false;
    at.end(found, "evicted", this.now);
    this.store.delete(found.id);
    return true;
  }

  /** The session that a request names, or the status if there is none. */
  find(at: ModelServer, id: string, principal: string): Known | number {
    const known = at.sessions.get(principal)!.get(id);
    if (known && !this.isIdle(known)) {
      known.lastSeen = this.now;
      return known;
    }
    if (known) at.end(known, "expired", this.now);
    if (!this.isStored(id, principal)) return 404;
    if (this.makesRoom(at, principal)) return at.begin("restored", id, principal, this.now);
    this.limit(at, principal);
    return 503;
  }

  limit(at: ModelServer, principal: string): void {
    at.limits["limits.sessions"] = (at.limits["limits.sessions"] ?? 0) + 1;
    at.event({ type: "limit-hit", limit: "limits.sessions", principal });
  }

  /** Fires the sweeps of both servers in their order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [first] = this.servers
        .filter(({ sweepAt }) => sweepAt !== undefined && sweepAt <= end)
        .toSorted((a, b) => a.sweepAt! - b.sweepAt!);
      if (!first) break;
      this.now = first.sweepAt!;
      this.sweep(first);
    }
    this.now = end;
  }

  private sweep(at: ModelServer): void {
    at.sweepAt = undefined;
    const gone: Known[] = [];
    for (const session of at.all) {
      const unused = hasClient(session) ? 0 : this.now - session.lastSeen;
      if (this.isIdle(session)) at.end(session, "expired", this.now);
      else if (unused > sweepMs) continue;
      else if (this.isStored(session.id))
        this.store.get(session.id)!.due = this.now + idleMs + sweepMs - unused;
      else gone.push(session);
    }
    if (at.size > 0) at.sweepAt = this.now + sweepMs;
    for (const session of gone) at.end(session, "ended", this.now);
  }
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": {},
};

class Fire {
  readonly model = new Model();
  readonly events: string[][] = [[], []];
  readonly reports: string[][] = [[], []];
  /** Bytes that the server keeps of each client: all say the same. */
  private kept = 0;
  private lastId = 0;
  private readonly sender = new Sender();
  readonly random: Random;
  readonly process: FiredProcess;
  private readonly urls: readonly string[];

  constructor(process: FiredProcess, urls: readonly string[], random: Random) {
    this.process = process;
    this.urls = urls;
    this.random = random;
  }

  private headers(principal: string, session?: string, more: Headers = {}): Headers {
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: principal,
      "mcp-protocol-version": legacy,
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...more,
    };
  }

  private message(method: string, params?: object): { id: number; [name: string]: unknown } {
    return { jsonrpc: "2.0", id: ++this.lastId, method, params };
  }

  private send(at: number, method: string, headers: Headers, message?: object): Promise<Answer> {
    this.model.servers[at]!.requests++;
    return this.sender.send(this.urls[at]!, method, headers, message);
  }

  async open(at: number, principal: string): Promise<void> {
    const { model } = this;
    const server = model.servers[at]!;
    const isOpen = model.makesRoom(server, principal);
    const params = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const { status, headers, text } = await this.send(
      at,
      "POST",
      this.headers(principal),
      this.message("initialize", params),
    );
    if (!isOpen) {
      model.limit(server, principal);
      server.refuse(503);
      expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: -32603 } }]);
      return;
    }
    expect(status).toBe(200);
    const id = headers["mcp-session-id"] as string;
    server.begin("created", id, principal, model.now);
    server.results++;
    model.store.set(id, { principal, due: model.now + idleMs + sweepMs });
  }

  /** A request in a session, with the result or the error that it must have. */
  async request(
    at: number,
    id: string,
    principal: string,
    method: string,
    params?: object,
    expected: object = { result: {} },
  ): Promise<void> {
    const server = this.model.servers[at]!;
    const found = this.model.find(server, id, principal);
    const message = this.message(method, params);
    const { status, text } = await this.send(at, "POST", this.headers(principal, id), message);
    if (typeof found === "number") return this.refusedWith(server, found, status);
    expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: "2.0", id: message.id, ...expected }]);
    if ("error" in expected) server.errors++;
    else server.results++;
    if ((params as { name?: string } | undefined)?.name !== "throws") return;
    const event = { type: "handler-error", error: "thrown", method, name: "throws", requestId: message.id };
    server.event({ ...event, principal, sessionId: id });
  }

  private refusedWith(server: ModelServer, expected: number, status: number): void {
    server.refuse(expected);
    expect(status).toBe(expected);
  }

  async listen(at: number, id: string, principal: string): Promise<void> {
    const server = this.model.servers[at]!;
    const found = this.model.find(server, id, principal);
    server.requests++;
    const sent = sendApart(
      this.urls[at]!,
      "GET",
      this.headers(principal, id, { accept: "text/event-stream" }),
    );
    const status = await sent.head;
    if (typeof found === "number") return this.refusedWith(server, found, status);
    expect(status).toBe(200);
    found.stream = sent;
  }

  async delete(at: number, id: string, principal: string): Promise<void> {
    const { model } = this;
    const server = model.servers[at]!;
    const found = model.find(server, id, principal);
    const { status } = await this.send(at, "DELETE", this.headers(principal, id));
    if (typeof found === "number") return this.refusedWith(server, found, status);
    expect(status).toBe(204);
    server.end(found, "deleted", this.model.now);
    model.store.delete(id);
  }

  /** Requests that are refused before they are read. */
  async stranger(at: number, id: string, principal: string): Promise<void> {
    const server = this.model.servers[at]!;
    const [kind, headers, status, message] = this.random.pick([
      [
        "host",
        { host: "evil.example" },
        403,
        'the host "evil.example" is not served here; name it in allowedHosts',
      ],
      [
        "origin",
        { origin: "https://evil.example" },
        403,
        'pages of "https://evil.example" may not call this server; name it in allowedOrigins',
      ],
      ["credentials", {}, 401, "who?"],
    ] as const);
    const { authorization, ...rest } = this.headers(principal, id, headers);
    const given = kind === "credentials" ? rest : { ...rest, authorization: authorization! };
    const answer = await this.send(at, "POST", given, this.message("ping"));
    this.refusedWith(server, status, answer.status);
    server.event({ type: "request-refused", reason: kind, status, message });
  }

  /** A request without a session, at the revision that has none. */
  async call(at: number, principal: string): Promise<void> {
    const server = this.model.servers[at]!;
    const headers = { "mcp-protocol-version": modern, "mcp-method": "tools/call", "mcp-name": "t" };
    const params = { name: "t", _meta: meta };
    const answer = await this.send(
      at,
      "POST",
      this.headers(principal, undefined, headers),
      this.message("tools/call", params),
    );
    expect(answer.status).toBe(200);
    server.connections++;
    server.results++;
  }

  /** One random step of a principal. */
  async step(principal: string): Promise<void> {
    const { random, model } = this;
    const at = random.below(2);
    const own = model.servers.flatMap(({ sessions }) => [...sessions.get(principal)!.keys()]);
    const kind = random.below(40);
    if (own.length === 0 || kind < 12) return this.open(at, principal);
    const id = random.chance(0.02) ? "unknown" : random.pick(own);
    if (kind < 20) return this.request(at, id, principal, "ping");
    const done = { content: [{ type: "text", text: "done" }] };
    if (kind < 24)
      return this.request(
        at,
        id,
        principal,
        "tools/call",
        { name: random.pick(["t", "later"]) },
        { result: done },
      );
    if (kind < 26) {
      const result = { content: [{ type: "text", text: "thrown" }], isError: true };
      return this.request(at, id, principal, "tools/call", { name: "throws" }, { result });
    }
    if (kind < 28) {
      const error = { code: -32602, message: 'there is no tool "none"' };
      return this.request(at, id, principal, "tools/call", { name: "none" }, { error });
    }
    if (kind < 30) return this.listens(at, id, principal);
    if (kind < 33) return this.delete(at, id, principal);
    if (kind < 35) return this.foreign(at, id, principal);
    if (kind < 38) return this.stranger(at, id, principal);
    return this.call(at, principal);
  }

  private async listens(at: number, id: string, principal: string): Promise<void> {
    const found = this.model.servers[at]!.sessions.get(principal)!.get(id);
    if (!found?.stream && this.apart < mostApart) await this.listen(at, id, principal);
  }

  /** The session of another principal: for this one, it does not exist. */
  private async foreign(at: number, id: string, principal: string): Promise<void> {
    const other = principals[(principals.indexOf(principal) + 1) % principals.length]!;
    const { status } = await this.send(at, "POST", this.headers(other, id), this.message("ping"));
    this.refusedWith(this.model.servers[at]!, 404, status);
  }

  private get apart(): number {
    return this.model.servers.reduce((sum, { all }) => sum + all.filter(hasClient).length, 0);
  }

  /** Calls that do not end are begun, and clients leave. */
  async unrest(): Promise<void> {
    const { random, model } = this;
    for (const [at, server] of model.servers.entries())
      for (const { id, principal, call, orphan } of server.all)
        if (random.below(server.size) < 4 && !call && orphan === undefined && this.apart < mostApart) {
          const found = model.find(server, id, principal);
          const message = this.message("tools/call", { name: "heeds" });
          server.requests++;
          const sent = sendApart(this.urls[at]!, "POST", this.headers(principal, id), message);
          if (typeof found === "number") this.refusedWith(server, found, (await sent.answer).status);
          else found.call = { sent, size: JSON.stringify(message).length, since: model.now };
        }
    await this.settle();
    for (const server of model.servers)
      for (const session of server.all)
        if (hasClient(session) && random.chance(0.3)) {
          session.stream?.cut();
          session.call?.sent.cut();
          session.orphan ??= session.call?.size;
          session.stream = session.call = undefined;
          session.lastSeen = model.now;
        }
    await this.settle();
    for (const [at, server] of model.servers.entries()) {
      const chosen = server.all.filter(() => random.below(server.size) < 3);
      const ids = [...chosen.map(({ id }) => id), "unknown"];
      const ended = await this.process.order("end", at, ids);
      expect(ended).toEqual(ids.map((id) => id !== "unknown"));
      for (const session of chosen) {
        server.end(session, "ended", model.now);
        model.store.delete(session.id);
      }
    }
  }

  /** The sessions that both servers must have by the model. */
  private get gauges(): object[] {
    return this.model.servers.map(({ all }) => {
      const running = all.filter(({ call }) => call).length;
      const orphaned = all.filter(({ orphan }) => orphan !== undefined).length;
      const sizes = all.map(({ call, orphan }) => call?.size ?? orphan ?? 0);
      return {
        http: {
          sessions: all.length,
          streams:
            all.filter(({ stream }) => stream).length +
            all.filter((each) => hasBegun(each, this.model.now)).length,
          requests: running,
          bodies: 0,
          bodyBytes: sizes.reduce((sum, size) => sum + size, 0),
          keptBytes: all.length * this.kept,
          waitingBytes: 0,
        },
        server: { connections: all.length, sessions: all.length, requests: running + orphaned, parked: 0 },
      };
    });
  }

  private async read(): Promise<readonly Reading[]> {
    const readings = await this.process.order("read");
    for (const [at, { events, sessions }] of readings.entries()) {
      this.events[at]!.push(...events.map(line));
      this.reports[at]!.push(...sessions);
    }
    return readings;
  }

  /** Resolves when both servers hold what the model holds. */
  async settle(): Promise<readonly Reading[]> {
    let readings = await this.read();
    const { keptBytes, sessions } = readings[0]!.http!.gauges;
    if (this.kept === 0) this.kept = keptBytes / sessions;
    await expect
      .poll(async () => {
        readings = await this.read();
        return readings.map(({ http, server }) => ({ http: http!.gauges, server: server.gauges }));
      })
      .toEqual(this.gauges);
    return readings;
  }

  /** Compares all that both servers have counted and reported with the model. */
  async compare(): Promise<void> {
    const readings = await this.settle();
    for (const [at, server] of this.model.servers.entries()) {
      for (const { answer, status } of server.ended.splice(0)) expect((await answer).status).toBe(status);
      const { requests, refused, limits, counts, connections, results, errors, aborted } = server;
      const { http, server: stats, ids } = readings[at]!;
      expect(http!.counters).toEqual({ requests, refused, limits, sessions: counts });
      expect(stats.counters).toEqual({ connections, results, errors, cancelled: 0, aborted, limits: {} });
      expect(ids.toSorted()).toEqual(server.all.map(({ id }) => id).toSorted());
      expect(this.events[at]!.splice(0).toSorted()).toEqual(server.events.splice(0).toSorted());
      expect(this.reports[at]!.splice(0).toSorted()).toEqual(server.reports.splice(0).toSorted());
    }
  }

  async advance(ms: number): Promise<void> {
    this.model.advance(ms);
    await this.process.order("advance", ms);
  }

  /** Ends all sessions by time. */
  async expire(): Promise<void> {
    for (const { all } of this.model.servers)
      for (const session of all) {
        session.stream?.cut();
        session.call?.sent.cut();
        session.orphan ??= session.call?.size;
        if (hasClient(session)) session.lastSeen = this.model.now;
        session.stream = session.call = undefined;
      }
    await this.settle();
    await this.advance(2 * (idleMs + sweepMs));
    await this.compare();
  }
}

/** The actions of one principal happen in order; actions of different principals do not. */
async function eachPrincipal(work: (principal: string) => Promise<void>): Promise<void> {
  await Promise.all(principals.map(work));
}

test(`${opened} sessions at a time, used, left and ended at random, are counted and reported as the model says`, async () => {
  const { process: child, urls } = await FiredProcess.start(program, {
    endpoints: 2,
    // One principal may have a tenth of the sessions.
    http: { limits: { work: 100_000, sessions: 10 * maxPerPrincipal }, sessions: { idleMs } },
  });
  const fire = new Fire(child, urls, randomFrom(`${seed}: fire`));
  const { servers } = fire.model;
  const heaps: number[] = [];
  for (let phase = 0; phase < phases; phase++) {
    // Two sessions more than the limit: they replace the first two.
    await eachPrincipal(async (principal) => {
      while (servers[0].sessions.get(principal)!.size < maxPerPrincipal) await fire.open(0, principal);
      for (let count = 0; count < 2; count++) await fire.open(0, principal);
    });
    expect(servers[0].size).toBe(opened);
    await fire.compare();
    for (let round = 0; round < 10; round++) {
      await eachPrincipal(async (principal) => {
        for (let step = 0; step < steps; step++) await fire.step(principal);
      });
      await fire.unrest();
      await fire.compare();
      await fire.advance(fire.random.pick([1, 5000, 29_999, 30_000, 45_000, 70_000]));
      await fire.compare();
    }
    await fire.expire();
    // The store removes expired sessions when the next session opens.
    await fire.open(0, "p0");
    await fire.expire();
    heaps.push(await child.order("heap"));
  }
  for (const what of ["created", "restored", "deleted", "expired", "evicted", "ended"] as const)
    expect(servers[0].counts[what] + servers[1].counts[what], what).toBeGreaterThan(20);
  // 50 bytes for each session since the first phase would be more.
  expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(1_048_576);
  // All sessions of one principal are in use, so that none makes room.
  for (let count = 0; count < maxPerPrincipal; count++) {
    await fire.open(0, "full");
    await fire.listen(0, [...servers[0].sessions.get("full")!.keys()].at(-1)!, "full");
  }
  for (let count = 0; count < 5; count++) await fire.open(0, "full");
  await fire.request(1, [...servers[0].sessions.get("full")!.keys()][0]!, "full", "ping");
  await fire.compare();
  expect(servers[0].limits).toEqual({ "limits.sessions": 5 });
  const streams = servers[0].all.map(({ stream }) => stream!.answer);
  const remains = await child.order("close");
  expect(remains).toEqual({ timers: 0, handles: [], connections: 0 });
  await Promise.all(streams);
  for (const server of servers)
    for (const session of server.all) {
      session.stream = undefined;
      server.end(session, "closed", fire.model.now);
    }
  await fire.compare();
});
