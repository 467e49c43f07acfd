import { serverRevisions } from "@mcpgen/protocol";
import {
  type HandlerContext,
  type ServerOptions,
  type StateOptions,
  createServer,
  defineToolServer,
  memoryStateStore,
} from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import * as web from "../../../runtime/core/http-web.js";
import { type Members, RawClient, type Wired, textOf } from "../../support/raw-stdio-client.js";

const keys = ["a secret that processes share"];
const requestedSchema = {
  type: "object" as const,
  properties: { ok: { type: "boolean" as const } },
  required: ["ok" as const],
};
const form = { message: "?", requestedSchema };
const yes = { action: "accept", content: { ok: true } };

type Handler = (context: HandlerContext) => Promise<string>;

/** A server with one tool, and a client of it. */
function served(handler: Handler, options: Partial<ServerOptions> = {}, definition = {}) {
  const clock = new VirtualClock(1_000_000);
  const events: Members[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      clock,
      onEvent: (event) => events.push(event as never) > 0,
      ...options,
    },
  );
  server.tool("t", definition, (_, context) => handler(context));
  const client = new RawClient(server, "2026-07-28", { elicitation: {} });
  const call = (requestState?: string, inputResponses?: Members, capabilities?: Members): Promise<Wired> =>
    client.request("tools/call", {
      name: "t",
      arguments: {},
      ...(requestState === undefined ? {} : { requestState }),
      ...(inputResponses && { inputResponses }),
      ...(capabilities && { _meta: capabilities }),
    });
  return { server, clock, client, call, events, parked: () => server.stats().gauges.parked };
}

const stateOf = ({ result }: Wired): string => (result as Members)["requestState"] as string;
const askedIn = ({ result }: Wired): string[] => Object.keys((result as Members)["inputRequests"] as Members);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The error of a state, by its code and its cause. */
const refused = (code: string, cause?: string) => ({
  error: { code: -32602, data: cause === undefined ? { code } : { code, cause } },
});

test("a handler goes on where it asked: nothing runs twice, local variables live", async () => {
  const done: string[] = [];
  const { call, parked } = served(async ({ ask }) => {
    done.push("before");
    const found = [];
    for (let count = 0; count < 3; count++) found.push((await ask.elicit(`q${count}`, form)).action);
    done.push("after");
    return found.join();
  });
  let answer = await call();
  for (let count = 0; count < 3; count++) {
    expect(askedIn(answer)).toEqual([`q${count}`]);
    expect(parked()).toBe(1);
    answer = await call(stateOf(answer), { [`q${count}`]: yes });
  }
  expect(textOf(answer)).toBe("accept,accept,accept");
  expect(done).toEqual(["before", "after"]);
  expect(parked()).toBe(0);
});

test("what is asked in one turn goes out together; what is asked between two rounds, with the next", async () => {
  let late!: () => void;
  const between = new Promise<void>((resolve) => (late = resolve));
  const { call } = served(async ({ ask }) => {
    const third = between.then(() => ask.elicit("c", form));
    const both = await ask.all({
      a: { method: "elicitation/create", params: { mode: "form", ...form } },
      b: { method: "elicitation/create", params: { mode: "form", ...form } },
    });
    return [...Object.keys(both), (await third).action].join();
  });
  const first = await call();
  expect(askedIn(first)).toEqual(["a", "b"]);
  late();
  await turn();
  // A question without an answer is asked again.
  const second = await call(stateOf(first), { a: yes });
  expect(askedIn(second)).toEqual(["b", "c"]);
  expect(textOf(await call(stateOf(second), { b: yes, c: yes }))).toBe("a,b,accept");
});

describe("a state", () => {
  const paying =
    (done: string[]): Handler =>
    async ({ ask }) => {
      await ask.elicit("pay", form);
      done.push("paid");
      return "thanks";
    };

  test("that is repeated gets the same answer for 30 s, then `state-used`", async () => {
    const done: string[] = [];
    const { call, clock } = served(paying(done));
    const state = stateOf(await call());
    const answers = await Promise.all([call(state, { pay: yes }), call(state, { pay: yes })]);
    await clock.advance(29_999);
    answers.push(await call(state, { pay: { action: "decline" } }));
    expect(answers.map(textOf)).toEqual(["thanks", "thanks", "thanks"]);
    await clock.advance(1);
    expect(await call(state, { pay: yes })).toMatchObject(refused("state-used"));
    await clock.advance(600_000);
    expect(await call(state, { pay: yes })).toMatchObject(refused("state-used"));
    expect(done).toEqual(["paid"]);
  });

  test("is good for a right answer after a wrong one, which runs nothing", async () => {
    const done: string[] = [];
    const { call } = served(paying(done));
    const state = stateOf(await call());
    for (const [pay, message] of [
      [{ action: "accept", content: { ok: "yes" } }, "content.ok"],
      [{ action: "accept", content: {} }, "ok"],
      [{ action: "maybe" }, "action"],
    ] as const)
      expect(await call(state, { pay })).toMatchObject({
        error: {
          code: -32602,
          message: expect.stringMatching(new RegExp(`inputResponses: .*"pay".*${message}`)),
        },
      });
    expect(done).toEqual([]);
    expect(textOf(await call(state, { pay: yes }))).toBe("thanks");
  });

  test("of another request, or changed, is rejected; that of another process is lost", async () => {
    const done: string[] = [];
    const { call, client } = served(paying(done));
    const state = stateOf(await call());
    const other = served(paying(done));
    expect(await other.call(state, { pay: yes })).toMatchObject(refused("state-lost", "not-here"));
    const changed = state.slice(0, -1) + (state.endsWith("A") ? "B" : "A");
    expect(await call(changed, { pay: yes })).toMatchObject(refused("state-rejected"));
    const elsewhere = { name: "t", arguments: { a: 1 }, requestState: state, inputResponses: { pay: yes } };
    expect(await client.request("tools/call", elsewhere)).toMatchObject(refused("state-rejected"));
    expect(textOf(await call(state, { pay: yes }))).toBe("thanks");
    expect(done).toEqual(["paid"]);
  });

  test("expires after 5 minutes without an answer: the ask rejects, the signal aborts, `finally` runs", async () => {
    const seen: unknown[] = [];
    const { call, clock, parked, events } = served(async ({ ask, signal }) => {
      try {
        await ask.elicit("pay", form);
      } catch (error) {
        seen.push((error as { code: string }).code);
        await turn();
        seen.push(signal.aborted);
        throw error;
      } finally {
        seen.push("finally");
      }
      return "never";
    });
    const state = stateOf(await call());
    await clock.advance(299_999);
    expect(parked()).toBe(1);
    await clock.advance(1);
    await turn();
    await turn();
    expect(seen).toEqual(["ask-expired", true, "finally"]);
    expect(parked()).toBe(0);
    expect(clock.waiting).toBe(0);
    expect(await call(state, { pay: yes })).toMatchObject(refused("state-lost", "expired"));
    expect(events.filter(({ type }) => String(type).startsWith("call-"))).toEqual([
      { type: "call-parked", method: "tools/call", name: "t", round: 1, parked: 1, principal: "" },
      { type: "call-lost", method: "tools/call", name: "t", cause: "expired", parked: 0, principal: "" },
    ]);
    // What it threw after its end is not reported.
    expect(events.filter(({ type }) => type === "handler-error")).toEqual([]);
  });

  test("expires after 10 minutes in all", async () => {
    const { call, clock, parked } = served(async ({ ask }) => {
      for (let count = 0; ; count++) await ask.elicit(`q${count}`, form);
    });
    let answer = await call();
    for (let count = 0; count < 3; count++) {
      await clock.advance(190_000);
      answer = await call(stateOf(answer), { [`q${count}`]: yes });
    }
    await clock.advance(29_999);
    expect(parked()).toBe(1);
    await clock.advance(1);
    expect(parked()).toBe(0);
    expect(await call(stateOf(answer), { q3: yes })).toMatchObject(refused("state-lost", "expired"));
  });
});

test("the timeout of an ask ends its wait; what the handler then answers waits for the next round", async () => {
  const { call, clock } = served(async ({ ask }) =>
    ask.elicit("k", form, { timeout: 1000 }).then(
      () => "answered",
      ({ code }: { code: string }) => `asked in vain: ${code}`,
    ),
  );
  const state = stateOf(await call());
  await clock.advance(1000);
  await turn();
  expect(textOf(await call(state, { k: yes }))).toBe("asked in vain: timeout");
});

test("progress, logs and meta are those of the round that runs", async () => {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { call, client } = served(async (context) => {
    const asked = context.ask.elicit("k", form);
    context.progress(1);
    await released;
    context.progress(2);
    await asked;
    context.progress(3);
    return String(context.meta["progressToken"]);
  });
  const meta = (token: string): Members => ({ progressToken: token });
  const first = await call(undefined, undefined, meta("one"));
  release();
  await turn();
  const last = await call(stateOf(first), { k: yes }, meta("two"));
  expect(textOf(last)).toBe("two");
  const reports = client.received.filter(({ method }) => method === "notifications/progress");
  expect(reports.map(({ params }) => [params!["progressToken"], params!["progress"]])).toEqual([
    ["one", 1],
    ["two", 2],
    ["two", 3],
  ]);
});

test("a question goes to no client that does not declare what it needs", async () => {
  const { call, client } = served(async ({ ask }) => {
    const second = ask.elicit("a", form).then(() => ask.elicit("b", form));
    return second.then(
      ({ action }) => action,
      ({ code }: { code: string }) => code,
    );
  });
  const first = await call();
  const none = { "io.modelcontextprotocol/clientCapabilities": {} };
  expect(textOf(await call(stateOf(first), { a: yes }, none))).toBe("missing-capability");
  expect(client.received.some(({ result }) => result && askedInOr(result))).toBe(true);
});
const askedInOr = (result: Members): boolean => result["inputRequests"] !== undefined;

describe("bounds", () => {
  const asking: Handler = async ({ ask }) => (await ask.elicit("k", form)).action;

  test("a principal has 32 calls that wait; the next is refused at its ask, and none is evicted", async () => {
    const { call, parked, clock } = served(asking);
    const states: string[] = [];
    for (let count = 0; count < 32; count++) states.push(stateOf(await call()));
    expect(await call()).toMatchObject({
      error: { data: { code: "asks-limit", limit: "state.parking.perPrincipal" } },
    });
    expect(parked()).toBe(32);
    expect(textOf(await call(states[0], { k: yes }))).toBe("accept");
    expect(askedIn(await call())).toEqual(["k"]);
    await clock.advance(300_000);
    expect(parked()).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test("in all, they may be raised and lowered", async () => {
    const { call } = served(asking, { state: { parking: { calls: 1, perPrincipal: 10 } } });
    await call();
    expect(await call()).toMatchObject({ error: { data: { limit: "state.parking.calls" } } });
  });

  test("a result that waits takes bytes: one that is too large is replaced by an error", async () => {
    const { call, clock } = served(async ({ ask }) => {
      await ask.elicit("k", form, { timeout: 1 }).catch(() => {});
      return "x".repeat(3 * 1_048_576);
    });
    const state = stateOf(await call());
    await clock.advance(1);
    await turn();
    expect(await call(state, {})).toMatchObject({ error: { data: { limit: "state.parking.memory" } } });
  });
});

describe("where nothing waits", () => {
  const handler: Handler = async ({ ask }) => (await ask.elicit("k", form)).action;

  test("an ask names both ways out, unless the handler may run again", async () => {
    const { call } = served(handler, { state: { parking: false } });
    expect(textOf(await call())).toMatch(/replay: true.*state\.parking/);
    const again = served(handler, { state: { parking: false } }, { replay: true });
    const state = stateOf(await again.call());
    expect(textOf(await again.call(state, { k: yes }))).toBe("accept");
  });

  test("a handler for workers waits for nothing, unless `state.parking` is given", async () => {
    for (const parking of [undefined, {}, "routed"] as const) {
      const { server, call } = served(handler, { state: parking && { parking } } as never);
      const { close } = web.createHttpHandler(server, { graceMs: 0 });
      onTestFinished(close);
      const { result } = await call();
      expect(JSON.stringify(result).includes("replay: true")).toBe(parking === undefined);
    }
  });
});

describe("shared keys", () => {
  const handler: Handler = async ({ ask }) => (await ask.elicit("k", form)).action;
  const over = (state: StateOptions): (() => void) => {
    const { server } = served(handler, { state });
    return () => void createHttpHandler(server, { graceMs: 0 }).close();
  };

  test("over HTTP need `state.parking`, which names the ways out", () => {
    expect(over({ keys })).toThrow(/state\.parking: .*"routed".*false.*cluster/);
    expect(over({ keys, parking: "routed" })).not.toThrow();
    expect(over({ keys, parking: false })).not.toThrow();
    expect(over({})).not.toThrow();
  });

  test("and `replay: true` need a store, from code and from a contract", () => {
    const state = { keys, parking: "routed" } as const;
    const problem = '"t": replay: processes that share state.keys share a state.store, too.';
    expect(() => served(handler, { state }, { replay: true })).toThrow(problem);
    expect(() =>
      served(handler, { state: { ...state, store: memoryStateStore() } }, { replay: true }),
    ).not.toThrow();
    const tools = [{ name: "t", inputSchema: { type: "object" as const }, replay: true }];
    const contract = { name: "s", version: "1", tools };
    const check = (): undefined => undefined;
    const checks = { t: { input: check } };
    expect(() =>
      defineToolServer(contract, { tools: { t: () => "" } }, {
        revisions: serverRevisions,
        checks,
        state,
      } as never),
    ).toThrow(problem);
  });

  test("a handler that may run again never waits: another process takes its round", async () => {
    const store = memoryStateStore();
    const state = { keys, store, parking: "routed" } as const;
    const one = served(handler, { state }, { replay: true });
    const other = served(handler, { state }, { replay: true });
    const round = stateOf(await one.call());
    expect(one.parked()).toBe(0);
    expect(await other.call(round, { k: { action: "accept", content: { ok: 1 } } })).toMatchObject({
      error: { code: -32602 },
    });
    expect(textOf(await other.call(round, { k: yes }))).toBe("accept");
    expect(await one.call(round, { k: yes })).toMatchObject(refused("state-used"));
    // In development, the first time is worth a line.
    expect(textOf(await other.call(stateOf(await one.call()), { k: yes }))).toBe("accept");
    expect(other.events.filter(({ type }) => type === "warning")).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^tools\/call "t": the handler runs again/) as string,
      }),
    ]);
  });

  test("one that may not is lost in another process, and goes on in its own", async () => {
    const state = { keys, parking: "routed" } as const;
    const one = served(handler, { state });
    const other = served(handler, { state });
    const round = stateOf(await one.call());
    expect(await other.call(round, { k: yes })).toMatchObject(refused("state-lost", "not-here"));
    expect(textOf(await one.call(round, { k: yes }))).toBe("accept");
  });
});

describe("a state whose use takes long", () => {
  /** Judges answers slowly whose `note` is `slow`, until the test lets them go. */
  function slowForm() {
    let go!: () => void;
    const isSlow = new Promise<void>((resolve) => (go = resolve));
    const object = (): Members => ({ type: "object", properties: { note: { type: "string" } } });
    const jsonSchema = { input: object, output: object };
    const validate = async (value: unknown) => {
      if ((value as Members)["note"] === "slow") await isSlow;
      return { value };
    };
    const schema = { "~standard": { version: 1 as const, vendor: "test", validate, jsonSchema } };
    return { message: "?", requestedSchema: schema as never, go: () => go() };
  }

  test.each([{}, { keys, parking: "routed" as const }])(
    "is not used for a later round: with the state %j",
    async (state) => {
      const { go, ...slow } = slowForm();
      const done: string[] = [];
      const { call, clock, parked } = served(
        async ({ ask }) => {
          await ask.elicit("a", slow);
          done.push("a");
          await ask.elicit("b", form);
          done.push("b");
          return "done";
        },
        { state },
      );
      const first = stateOf(await call());
      const noted = (note: string) => ({ a: { action: "accept", content: { note } } });
      const late = call(first, noted("slow"));
      await turn();
      const second = stateOf(await call(first, noted("fast")));
      go();
      // The answer to the state is that of the request that used it.
      expect(stateOf(await late)).toBe(second);
      expect(textOf(await call(second, { b: yes }))).toBe("done");
      expect(done).toEqual(["a", "b"]);
      expect([parked(), clock.waiting]).toEqual([0, 0]);
    },
  );

  test("fails for all requests that repeat it, if its store fails, and stays good", async () => {
    let isBroken = true;
    let fails!: (error: Error) => void;
    const store = {
      use: () => (isBroken ? new Promise<boolean>((_, reject) => (fails = reject)) : true),
    };
    const { call } = served(async ({ ask }) => (await ask.elicit("a", form)).action, {
      state: { keys, store, parking: "routed" },
    });
    const state = stateOf(await call());
    const both = [call(state, { a: yes }), call(state, { a: yes })];
    await expect.poll(() => fails).toBeDefined();
    await turn();
    fails(new Error("the disk is full"));
    for (const { error } of await Promise.all(both)) expect(error?.code).toBe(-32603);
    isBroken = false;
    expect(textOf(await call(state, { a: yes }))).toBe("accept");
  });

  test("expires while its store hangs", async () => {
    const store = { use: () => new Promise<boolean>(() => {}) };
    let code: unknown;
    const { call, clock, parked } = served(
      async ({ ask, signal }) => {
        code = await ask.elicit("a", form).catch((error: { code: string }) => error.code);
        return String(signal.aborted);
      },
      { state: { keys, store, parking: "routed" } },
    );
    const state = stateOf(await call());
    void call(state, { a: yes });
    await turn();
    await clock.advance(300_000);
    expect([code, parked()]).toEqual(["ask-expired", 0]);
  });
});

test("a question is the text that is sent: later changes, and members that JSON leaves out, do not count", async () => {
  const cyclic: { [name: string]: unknown } = { toJSON: () => "short" };
  cyclic["self"] = cyclic;
  const properties: { [name: string]: unknown } = { ok: { type: "boolean" } };
  const { call, server } = served(async ({ ask }) => {
    const asked = { message: "?", requestedSchema: { type: "object", properties }, cyclic };
    const answer = ask.elicit("__proto__", asked as never);
    properties["later"] = { type: "string" };
    return (await answer).action;
  });
  const first = await call();
  expect(askedIn(first)).toEqual(["__proto__"]);
  expect(JSON.stringify(first)).not.toContain("later");
  expect(server.definition.parking!.bytes).toBeLessThan(1000);
  const answers = JSON.parse('{"__proto__":{"action":"decline"}}') as Members;
  expect(textOf(await call(stateOf(first), answers))).toBe("decline");
});

test("a state of a handler that runs again belongs to its parameters, whatever shape they have", async () => {
  const { client, server } = served(async () => "", {}, {});
  server.definition.parking = undefined;
  const runs: unknown[] = [];
  server.tool("free", { replay: true, inputSchema: { type: "object" } }, async (given, { ask }) => {
    runs.push(given);
    return (await ask.elicit("a", form)).action;
  });
  const call = (given: Members, more: Members = {}): Promise<Wired> =>
    client.request("tools/call", { name: "free", arguments: given, ...more });
  const requestState = stateOf(await call({ x: { to: "me" } }));
  const more = { requestState, inputResponses: { a: yes } };
  expect(await call({ x: [["to", "me"]] }, more)).toMatchObject(refused("state-rejected"));
  expect(runs).toEqual([{ x: { to: "me" } }]);
});

test("reports of a handler that is away give way to its result", async () => {
  const { call } = served(
    async ({ ask, progress, log }) => {
      void ask.elicit("a", form).catch(() => {});
      await turn();
      await turn();
      for (let count = 0; count < 100; count++) {
        progress(count, 100, "x".repeat(50_000));
        log("error", "x".repeat(50_000));
      }
      return "y".repeat(1_000_000);
    },
    { capabilities: { logging: {} } },
  );
  const state = stateOf(await call());
  expect(textOf(await call(state, {}))).toHaveLength(1_000_000);
});

test("what a library throws instead of judging is not shown to the client", async () => {
  const object = (): Members => ({ type: "object", properties: { note: { type: "string" } } });
  const jsonSchema = { input: object, output: object };
  const validate = (): never => {
    throw new Error("secret host");
  };
  const schema = { "~standard": { version: 1 as const, vendor: "test", validate, jsonSchema } };
  const { call, events } = served(
    async ({ ask }) => (await ask.elicit("a", { message: "?", requestedSchema: schema as never })).action,
    { errors: { thrown: "hide" } },
  );
  const { error } = await call(stateOf(await call()), { a: { action: "accept", content: {} } });
  expect(error?.code).toBe(-32603);
  expect(JSON.stringify(error)).not.toContain("secret");
  expect(events).toContainEqual(expect.objectContaining({ type: "handler-error" }));
});
