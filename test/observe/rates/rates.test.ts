import fc from "fast-check";
import { clientRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type McpError,
  type MiddlewareRequest,
  type ServerEvent,
  connect,
  memoryChannels,
} from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { rateLimit, timeLimit } from "@mcpgen/observe";
import { logRequests } from "@mcpgen/observe";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { cases } from "../../support/cases.mjs";
import { clientOf, eras, routes, serverWith } from "../../support/served.js";

const minute = 60_000;

/** How many of some calls were answered, and what the last refusal said. */
async function outcomes(calls: readonly Promise<unknown>[]) {
  const failures = await Promise.all(calls.map(failureOf));
  const refused = failures.filter((failure) => failure !== undefined) as McpError[];
  return {
    answered: calls.length - refused.length,
    codes: [...new Set(refused.map(({ code }) => code))],
    refused,
  };
}

const times = <T>(count: number, work: () => Promise<T>): Promise<T>[] => Array.from({ length: count }, work);

/** A promise, and the function that resolves it. */
function moment() {
  let come!: () => void;
  const came = new Promise<void>((resolve) => (come = resolve));
  return { came, come };
}

describe.each(routes)("over %s at %s", (wire, revision) => {
  test("a server refuses calls above its rate, and serves them when the bucket has filled", async () => {
    const clock = new VirtualClock();
    const server = serverWith({ clock });
    server.tool("t", {}, () => "done");
    server.use(rateLimit({ calls: 3 }));
    const events: ServerEvent[] = [];
    server.onEvent((event) => events.push(event));
    const client = await clientOf(server, wire, revision);
    const call = (): Promise<unknown> => client.callTool("t");
    const first = await outcomes(times(5, call));
    expect(first.answered).toBe(3);
    expect(first.refused[0]).toMatchObject({
      code: "rate-limited",
      rpcCode: -31429,
      message: "tools/call: more than 3 requests a minute; the next is allowed in 20000 ms",
      data: { limit: "calls", rate: 3, retryAfterMs: 20_000 },
    });
    const hits = events.filter(({ type }) => type === "limit-hit");
    expect(hits).toHaveLength(2);
    expect(hits[0]).toMatchObject({ limit: "rateLimit.calls", method: "tools/call", name: "t" });
    // Checks that open and keep a connection are not limited.
    await client.ping();
    await clock.advance(19_999);
    expect((await outcomes([call()])).answered).toBe(0);
    await clock.advance(1);
    expect((await outcomes(times(2, call))).answered).toBe(1);
    await clock.advance(10 * minute);
    expect((await outcomes(times(5, call))).answered).toBe(3);
    const refused = server.stats().counters.limits["rateLimit.calls"];
    expect(refused).toBe(events.filter(({ type }) => type === "limit-hit").length);
    expect(refused).toBe(2 + 1 + 1 + 2);
  });

  test("a server limits its sampling requests to a client", async () => {
    const clock = new VirtualClock();
    const server = serverWith({ clock });
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
    server.tool("t", {}, async (_, { ask }) => (await ask.sample("k", { messages, maxTokens: 1 })).model);
    server.use(rateLimit({ sampling: 2 }));
    let asked = 0;
    const client = await clientOf(server, wire, revision, {
      sample: () => {
        asked++;
        return { role: "assistant", content: { type: "text", text: "!" }, model: "m" };
      },
    });
    const { answered, refused } = await outcomes(times(4, () => client.callTool("t")));
    expect([answered, asked]).toEqual([2, 2]);
    expect(refused[0]).toMatchObject({
      code: "rate-limited",
      data: { limit: "sampling", retryAfterMs: 30_000 },
    });
    expect(server.stats().counters.limits).toEqual({ "rateLimit.sampling": 2 });
  });

  test("a client limits the sampling that it accepts", async () => {
    const clock = new VirtualClock();
    const server = serverWith();
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
    server.tool("t", {}, async (_, { ask }) => (await ask.sample("k", { messages, maxTokens: 1 })).model);
    let asked = 0;
    const client = await clientOf(server, wire, revision, {
      clock,
      use: [rateLimit({ sampling: 2 })],
      sample: () => {
        asked++;
        return { role: "assistant", content: { type: "text", text: "!" }, model: "m" };
      },
    });
    const results = await Promise.all(
      times(4, async () => {
        const result = await client.callTool("t").catch((error: McpError) => error.code);
        return typeof result === "string" ? result : (result.isError ?? "answered");
      }),
    );
    expect(asked).toBe(2);
    expect(results.filter((each) => each === "answered")).toHaveLength(2);
  });

  test("a handler that never ends is aborted and answered in time", async () => {
    const clock = new VirtualClock();
    const server = serverWith({ clock });
    const reasons: McpError[] = [];
    let end = (): void => {};
    const begun = moment();
    server.tool("slow", {}, async (_, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason as McpError));
      begun.come();
      await new Promise<void>((resolve) => (end = resolve));
      return "late";
    });
    server.tool("quick", {}, async () => "done");
    server.use(timeLimit(500));
    const events: ServerEvent[] = [];
    server.onEvent((event) => events.push(event));
    const client = await clientOf(server, wire, revision);
    await client.callTool("quick");
    const failure = failureOf(client.callTool("slow"));
    await begun.came;
    await clock.advance(499);
    expect(reasons).toEqual([]);
    await clock.advance(1);
    expect(await failure).toMatchObject({
      code: "timeout",
      rpcCode: -31408,
      data: { timer: "timeLimit", limit: 500 },
    });
    expect(reasons.map(({ code }) => code)).toEqual(["timeout"]);
    expect(events.filter(({ type }) => type === "request-timed-out")).toMatchObject([
      { direction: "incoming", method: "tools/call", name: "slow", error: reasons[0] },
    ]);
    const { counters } = server.stats();
    expect(counters).toMatchObject({ errors: 1, limits: { timeLimit: 1 } });
    end();
    await client.callTool("quick");
    // A read is a copy.
    expect(counters.limits).not.toBe(server.stats().counters.limits);
  });

  test("the time of a request ends when it is cancelled, though its handler goes on", async () => {
    const clock = new VirtualClock();
    const server = serverWith({ clock });
    const begun = moment();
    server.tool("slow", {}, () => new Promise<string>(() => begun.come()));
    server.use(timeLimit(500));
    const events: ServerEvent[] = [];
    server.onEvent((event) => events.push(event));
    const client = await clientOf(server, wire, revision);
    const controller = new AbortController();
    const failure = failureOf(client.callTool("slow", {}, { signal: controller.signal }));
    await begun.came;
    controller.abort();
    await failure;
    await expect.poll(() => server.stats().gauges.requests).toBe(0);
    await clock.advance(500);
    expect(events.filter(({ type }) => type === "request-timed-out")).toEqual([]);
  });

  test("a client's handler that never ends is aborted, and the server gets an error", async () => {
    const clock = new VirtualClock();
    const server = serverWith();
    server.tool("t", {}, async (_, { ask }) => {
      const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;
      return (await ask.elicit("k", form)).action;
    });
    const reasons: unknown[] = [];
    const begun = moment();
    const client = await clientOf(server, wire, revision, {
      clock,
      use: [timeLimit(500)],
      elicit: async (_, { signal }) => {
        signal.addEventListener("abort", () => reasons.push((signal.reason as McpError).code));
        begun.come();
        return new Promise(() => {});
      },
    });
    const outcome = client.callTool("t").then(
      (result) => result.isError,
      (error: McpError) => error.code,
    );
    await begun.came;
    await clock.advance(500);
    expect([await outcome, reasons]).toEqual([revision === "2026-07-28" ? "timeout" : true, ["timeout"]]);
  });
});

test.each([
  ["2025-11-25", false],
  ["2026-07-28", false],
  ["2026-07-28", true],
])("an ask ends with the handler that waits for it (%s, replay: %s)", async (revision, replay) => {
  const clock = new VirtualClock();
  const server = serverWith({ clock, state: replay ? { parking: false } : {} });
  server.tool("t", { replay }, async (_, { ask }) => String((await ask.roots("k")).length));
  server.use(timeLimit(500));
  let answer: (roots: []) => void = () => {};
  const begun = moment();
  const client = await clientOf(server, "memory", revision, {
    roots: () => {
      begun.come();
      return new Promise((resolve) => (answer = resolve));
    },
  });
  const outcome = failureOf(client.callTool("t"));
  await begun.came;
  await clock.advance(500);
  answer([]);
  // A handler that runs again does not wait.
  expect(await outcome).toEqual(replay ? undefined : expect.objectContaining({ code: "timeout" }));
  await client.close();
  await clock.advance(0);
  expect(clock.waiting).toBe(0);
});

test("a server limits its requests through a session, and requests of vendor methods", async () => {
  const clock = new VirtualClock();
  const server = serverWith({ clock });
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
  server.tool("t", {}, async (_, { session }) => {
    await session.ping();
    return (await session.sample({ messages, maxTokens: 1 })).model;
  });
  server.handle("acme/sum", {}, () => ({ sum: 1 }));
  const seen: string[] = [];
  server.use<"ping" | "acme/sum">((request, next) => {
    seen.push(`${request.direction} ${request.method}`);
    return next();
  });
  server.use(rateLimit({ calls: 3, sampling: 1 }));
  logRequests(server, { write: (line) => seen.push(line.replace(/.*Z | \d.*/g, "")) });
  const client = await clientOf(server, "memory", "2025-11-25", {
    sample: () => ({ role: "assistant", content: { type: "text", text: "!" }, model: "m" }),
  });
  seen.length = 0;
  await client.callTool("t");
  const asks = ["outgoing ping", "-> ping", "outgoing sampling/createMessage", "-> sampling/createMessage"];
  expect(seen.splice(0)).toEqual(["incoming tools/call", ...asks, '<- tools/call "t" id=2']);
  expect(await failureOf(client.callTool("t"))).toMatchObject({
    code: "rate-limited",
    data: { limit: "sampling" },
  });
  expect(await client.request("acme/sum", {}, { result: {} })).toMatchObject({ sum: 1 });
  expect(await failureOf(client.request("acme/sum", {}, { result: {} }))).toMatchObject({
    code: "rate-limited",
    data: { limit: "calls" },
  });
  expect(seen.filter((line) => line === "incoming acme/sum")).toHaveLength(2);
});

test("subscriptions have no time limit", async () => {
  const clock = new VirtualClock();
  const server = serverWith({ clock });
  const tool = server.tool("t", {}, () => "done");
  server.use(timeLimit(500));
  const client = await clientOf(server, "memory", "2026-07-28");
  const changes = await client.subscribe({ tools: true });
  await clock.advance(minute);
  tool.disable();
  expect((await changes[Symbol.asyncIterator]().next()).value).toMatchObject({
    method: "notifications/tools/list_changed",
  });
});

describe("over HTTP", () => {
  const post = (method: string, id: number, revision: string, session?: string): Request => {
    const modern = revision === "2026-07-28";
    const _meta = modern
      ? {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientCapabilities": {},
        }
      : undefined;
    const opens = method === "initialize";
    const params = opens
      ? { protocolVersion: revision, capabilities: {}, clientInfo: { name: "c", version: "1" } }
      : { ...(_meta ? { _meta } : {}) };
    return new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        host: "localhost",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(opens ? {} : { "mcp-protocol-version": revision, "mcp-method": method }),
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    });
  };

  test.each(["2025-11-25", "2026-07-28", "without sessions"])(
    "a refused request gets 429 with Retry-After, as JSON (%s)",
    async (mode) => {
      const clock = new VirtualClock();
      const server = serverWith({ clock });
      server.tool("t", {}, () => "done");
      server.use(rateLimit({ calls: 1 }));
      const handler = createHttpHandler(server, { sessions: mode !== "without sessions" });
      onTestFinished(() => handler.close());
      const revision = mode === "without sessions" ? "2025-11-25" : mode;
      const opened = mode === "2025-11-25" && (await handler.fetch(post("initialize", 1, revision)));
      const session = (opened && opened.headers.get("mcp-session-id")) || undefined;
      expect((await handler.fetch(post("tools/list", 2, revision, session))).status).toBe(200);
      await clock.advance(500);
      const refused = await handler.fetch(post("tools/list", 3, revision, session));
      expect([
        refused.status,
        refused.headers.get("retry-after"),
        refused.headers.get("content-type"),
      ]).toEqual([429, "60", "application/json"]);
      expect(await refused.json()).toMatchObject({
        id: 3,
        error: { code: -31429, data: { retryAfterMs: 59_500 } },
      });
      await clock.advance(59_500);
      expect((await handler.fetch(post("tools/list", 4, revision, session))).status).toBe(200);
    },
  );
});

/** A bucket of whole numbers: a request takes 60,000 units, a millisecond adds as many as the rate. */
class Oracle {
  private readonly rate: number;
  private units: number;
  private at = 0;
  answered = 0;
  refused = 0;

  constructor(rate: number) {
    this.rate = rate;
    this.units = rate * minute;
  }

  call(now: number): void {
    this.units = Math.min(this.rate * minute, this.units + (now - this.at) * this.rate);
    this.at = now;
    if (this.units < minute) this.refused++;
    else {
      this.units -= minute;
      this.answered++;
    }
  }
}

/** The long run has more seconds of load. */
const seconds = cases(300, 6);

test.each(["session", "principal"] as const)(
  "200 clients above their rates are refused as an oracle counts (per %s)",
  async (per) => {
    const clock = new VirtualClock();
    const server = serverWith({ clock });
    server.tool("t", {}, () => "done");
    const rate = 12;
    server.use(rateLimit({ calls: rate, per }));
    let hits = 0;
    server.onEvent(({ type }) => (hits += Number(type === "limit-hit")));
    const clients: { client: Client; principal: string }[] = [];
    for (let index = 0; index < 200; index++) {
      const [near, far] = memoryChannels();
      // Four connections of each principal.
      const principal = `p${index % 50}`;
      server.connect(far, { principal });
      const revision = eras[index % 2]!;
      clients.push({
        client: await connect(near, { revisions: clientRevisions, revision, clock }),
        principal,
      });
    }
    const oracles = new Map<string, Oracle>();
    const counted = new Map<string, { answered: number; refused: number }>();
    const gaps = fc.sample(fc.tuple(fc.nat(clients.length - 1), fc.nat({ max: 4 })), seconds * 200);
    let running: Promise<void>[] = [];
    for (const [index, burst] of gaps) {
      const { client, principal } = clients[index]!;
      const key = per === "session" ? String(index) : principal;
      const oracle = oracles.get(key) ?? new Oracle(rate);
      oracles.set(key, oracle);
      const count = counted.get(key) ?? { answered: 0, refused: 0 };
      counted.set(key, count);
      for (let call = 0; call <= burst * 2; call++) {
        oracle.call(clock.now());
        running.push(
          client.callTool("t").then(
            () => void count.answered++,
            () => void count.refused++,
          ),
        );
      }
      if (running.length > 400) {
        await Promise.all(running);
        running = [];
        await clock.advance(1000);
      }
    }
    await Promise.all(running);
    const pairs = [...oracles].map(([key, { answered, refused }]) => [key, { answered, refused }]);
    expect([...counted]).toEqual(pairs);
    const refused = [...oracles.values()].reduce((sum, each) => sum + each.refused, 0);
    expect(refused).toBeGreaterThan(1000);
    expect(hits).toBe(refused);
    await Promise.all(clients.map(({ client }) => client.close()));
    expect(clock.waiting).toBe(0);
  },
);

/** The object, with another value of one member. */
function replaced<Target extends object>(target: Target, name: string, value: unknown): Target {
  const get = (of: Target, key: string | symbol): unknown => {
    const member: unknown = key === name ? value : Reflect.get(of, key);
    return typeof member === "function" ? member.bind(of) : member;
  };
  return new Proxy(target, { get });
}

test("the rates of 10,000 principals are kept: the one seen least recently starts again", async () => {
  const server = serverWith({ clock: new VirtualClock() });
  server.tool("t", {}, () => "done");
  let seen!: MiddlewareRequest;
  server.use((request, next) => ((seen = request), next()));
  const [near, far] = memoryChannels();
  server.connect(far);
  const client = await connect(near, { revisions: clientRevisions });
  await client.callTool("t");
  await client.close();
  const limited = rateLimit({ calls: 1, per: "principal" });
  const { connection } = seen.context as unknown as { readonly connection: object };
  /** The same call, of another principal. */
  const call = (principal: string): string => {
    const context = replaced(seen.context, "connection", replaced(connection, "principal", principal));
    try {
      limited({ ...seen, context } as MiddlewareRequest, () => ({}));
      return "answered";
    } catch (error) {
      return (error as McpError).code;
    }
  };
  for (let each = 0; each < 10_000; each++) expect(call(`${each}`)).toBe("answered");
  expect([call("0"), call("9999")]).toEqual(["rate-limited", "rate-limited"]);
  expect(call("another")).toBe("answered");
  expect([call("1"), call("another"), call("0")]).toEqual(["rate-limited", "rate-limited", "answered"]);
});

test("wrong options are refused", () => {
  expect(() => rateLimit({ calls: 0 })).toThrow(/calls/);
  expect(() => rateLimit({ call: 1 } as never)).toThrow(/Did you mean calls/);
  for (const ms of [0, -1, 1.5, NaN, Infinity, "5"])
    expect(() => timeLimit(ms as number)).toThrow(/timeLimit/);
});
