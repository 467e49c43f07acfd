import { serverRevisions } from "@mcpgen/protocol";
import {
  type HandlerContext,
  type InputRequired,
  type ServerOptions,
  createServer,
  memoryStateStore,
} from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Members, RawClient, type Wired, textOf } from "../../support/raw-stdio-client.js";
import { type Wire, clientOf, routes, serverWith, wires } from "../../support/served.js";

const modern = "2026-07-28";
const keys = ["a secret that processes share"];
const requestedSchema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
const inputRequests = {
  sure: { method: "elicitation/create", params: { mode: "form", message: "Sure?", requestedSchema } },
};
const round: InputRequired = { resultType: "input_required", inputRequests, requestState: "the state" };
const inputResponses = { sure: { action: "accept", content: { ok: true } } };

type Given = Members & { readonly inputResponses?: Members; readonly requestState?: string };
type Handler = (
  params: Given,
  context: HandlerContext,
) => Members | InputRequired | Promise<Members | InputRequired>;

const text = (value: unknown): Members => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

/** Asks once, then answers with what the retry gave. */
const asksOnce: Handler = ({ inputResponses: answers, requestState }) =>
  answers ? text([answers, requestState]) : round;

interface Made {
  readonly client: RawClient;
  readonly clock: VirtualClock;
  readonly events: Members[];
  readonly call: (more?: Members, id?: number) => Promise<Wired>;
  readonly parked: () => number;
}

/** A server with this handler of `tools/call`, and a client of it. */
function made(handler: Handler, options: Partial<ServerOptions> = {}, principal = ""): Made {
  const clock = new VirtualClock(1_000_000);
  const events: Members[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      capabilities: { tools: {} },
      clock,
      onEvent: (event) => events.push(event as never) > 0,
      ...options,
    },
  );
  server.handle("tools/call", handler as never);
  onTestFinished(() => server.close());
  const client = new RawClient(server, modern, { elicitation: {} }, { principal });
  const call = (more: Members = {}): Promise<Wired> =>
    client.request("tools/call", { name: "t", arguments: { a: 1 }, ...more });
  return { client, clock, events, call, parked: () => server.stats().gauges.parked };
}

const stateOf = ({ result }: Wired): string => (result as Members)["requestState"] as string;
const refused = (code: string, cause?: string) => ({
  error: { code: -32602, data: cause === undefined ? { code } : { code, cause } },
});

test.each(routes)(
  "over %s at %s, a handler asks by its result, and gets answers and state",
  async (wire, revision) => {
    const server = serverWith({ capabilities: { tools: {} } });
    server.handle("tools/call", asksOnce as never);
    const client = await clientOf(server, wire, revision, {
      elicit: ({ message, requestedSchema: schema }) => {
        expect([message, schema]).toEqual(["Sure?", requestedSchema]);
        return { action: "accept", content: { ok: true } };
      },
    });
    expect(await client.callTool("t")).toMatchObject(text([inputResponses, "the state"]));
  },
);

test.each(["prompts/get", "resources/read"] as const)(
  "%s asks in the same way, in both eras",
  async (method) => {
    const [server, params] =
      method === "prompts/get"
        ? [serverWith({ capabilities: { prompts: {} } }), { name: "n" }]
        : [serverWith({ capabilities: { resources: {} } }), { uri: "a://b" }];
    const seen: unknown[] = [];
    server.handle(method, ((given: Given) => {
      seen.push(given.requestState);
      return given.inputResponses ? { messages: [], contents: [] } : round;
    }) as never);
    for (const revision of ["2025-11-25", modern]) {
      const client = await clientOf(server, "memory", revision, { elicit: () => ({ action: "cancel" }) });
      await client.request(method, params as never);
    }
    expect(seen).toEqual([undefined, "the state", undefined, "the state"]);
  },
);

describe("its state", () => {
  test("is sealed, and given back to the same request of the same principal", async () => {
    const { call } = made(asksOnce, { state: { keys } }, "ada");
    const asked = await call();
    expect(asked.result).toMatchObject({ resultType: "input_required", inputRequests });
    expect(Buffer.from(stateOf(asked), "base64url").toString("latin1")).not.toContain("the state");
    const given = { inputResponses, requestState: stateOf(asked) };
    expect(textOf(await call(given))).toBe(JSON.stringify([inputResponses, "the state"]));
    expect(await call({ ...given, arguments: { a: 2 } })).toMatchObject(refused("state-rejected"));
    const last = given.requestState.endsWith("A") ? "B" : "A";
    const changed = given.requestState.slice(0, -1) + last;
    expect(await call({ ...given, requestState: changed })).toMatchObject(refused("state-rejected"));
    expect(await call({ ...given, requestState: "the state" })).toMatchObject(refused("state-rejected"));
    const bob = made(asksOnce, { state: { keys } }, "bob");
    expect(await bob.call(given)).toMatchObject(refused("state-rejected"));
  });

  test("needs no process: with the same keys, another one goes on, and nothing is kept", async () => {
    const options = { state: { keys, parking: false as const } };
    const [one, other] = [made(asksOnce, options), made(asksOnce, options)];
    const given = { inputResponses, requestState: stateOf(await one.call()) };
    expect(textOf(await other.call(given))).toBe(JSON.stringify([inputResponses, "the state"]));
    expect([one.parked(), other.parked()]).toEqual([0, 0]);
    const stranger = made(asksOnce);
    expect(await stranger.call(given)).toMatchObject(refused("state-lost", "not-here"));
  });

  test("is not used up: the handler decides, whatever the store says", async () => {
    const { call } = made(asksOnce, { state: { keys, store: memoryStateStore() } });
    const given = { inputResponses, requestState: stateOf(await call()) };
    expect(await call(given)).toMatchObject({ result: { resultType: "complete" } });
    expect(await call(given)).toMatchObject({ result: { resultType: "complete" } });
  });

  test("expires after ten minutes", async () => {
    const { call, clock } = made(asksOnce);
    const given = { inputResponses, requestState: stateOf(await call()) };
    await clock.advance(599_999);
    expect(await call(given)).toMatchObject({ result: { resultType: "complete" } });
    await clock.advance(1);
    expect(await call(given)).toMatchObject(refused("state-lost", "expired"));
  });

  test("may be absent, and may come alone", async () => {
    const withoutState = made(
      (given) =>
        (given.inputResponses
          ? text(given.requestState ?? "none")
          : { ...round, requestState: undefined }) as never,
    );
    const asked = await withoutState.call();
    expect(asked.result).not.toHaveProperty("requestState");
    expect(textOf(await withoutState.call({ inputResponses }))).toBe('"none"');
    const alone = made(({ requestState }) =>
      requestState ? text(requestState) : { resultType: "input_required", requestState: "later" },
    );
    expect(textOf(await alone.call({ requestState: stateOf(await alone.call()) }))).toBe('"later"');
  });
});

test("a handler that waited for an answer may then ask by its result", async () => {
  const { call } = made(async (given, { ask }) => {
    if (given.requestState) return text(given.requestState);
    await ask.elicit("first", { message: "First?", requestedSchema: { type: "object", properties: {} } });
    return round;
  });
  const first = { requestState: stateOf(await call()), inputResponses: { first: { action: "decline" } } };
  const asked = await call(first);
  expect(asked.result).toMatchObject({ resultType: "input_required", inputRequests });
  expect(textOf(await call({ inputResponses, requestState: stateOf(asked) }))).toBe('"the state"');
});

test("middleware may ask", async () => {
  const server = serverWith();
  server.tool("t", {}, () => "done");
  server.use((request, next) =>
    request.direction === "incoming" &&
    request.method === "tools/call" &&
    !(request.params as Given).inputResponses
      ? (round as never)
      : next(),
  );
  for (const revision of ["2025-11-25", modern]) {
    const client = await clientOf(server, "memory", revision, { elicit: () => ({ action: "cancel" }) });
    expect(await client.callTool("t")).toMatchObject({ content: [{ text: "done" }] });
  }
});

describe("is refused", () => {
  test("a question that the client has not declared", async () => {
    const asked = { roots: { method: "roots/list" } };
    const { call } = made(() => ({ resultType: "input_required", inputRequests: asked }));
    expect(await call()).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    });
    const server = serverWith({ capabilities: { tools: {} } });
    server.handle("tools/call", () => ({ resultType: "input_required", inputRequests: asked }));
    const legacy = await clientOf(server, "memory", "2025-11-25");
    await expect(legacy.callTool("t")).rejects.toMatchObject({
      message: expect.stringContaining("roots") as string,
    });
  });

  test.each<readonly [string, Members]>([
    ["without questions and without state", { resultType: "input_required" }],
    ["with questions that are none", { resultType: "input_required", inputRequests: { a: null } }],
    [
      "with questions of another method",
      { resultType: "input_required", inputRequests: { a: { method: "b/c" } } },
    ],
  ])("a result %s", async (_, result) => {
    const { call, events } = made(() => result);
    expect(await call()).toMatchObject({ error: { code: -32603 } });
    expect(events).toContainEqual(expect.objectContaining({ type: "handler-error", method: "tools/call" }));
  });

  test("a result of a method that does not ask", async () => {
    const server = serverWith({ capabilities: { tools: {} } });
    server.handle("tools/list", (() => round) as never);
    for (const revision of ["2025-11-25", modern]) {
      const client = await clientOf(server, "memory", revision, { elicit: () => expect.fail("asked") });
      await expect(client.listTools()).rejects.toMatchObject({ code: "remote-error", rpcCode: -32603 });
    }
  });

  test("the eleventh round of a client before 2026-07-28", async () => {
    let rounds = 0;
    const server = serverWith({ capabilities: { tools: {} } });
    server.handle("tools/call", () => {
      rounds++;
      return { resultType: "input_required", requestState: "again" };
    });
    const client = await clientOf(server, "memory", "2025-11-25");
    await expect(client.callTool("t")).rejects.toMatchObject({ rpcCode: -32603 });
    expect(rounds).toBe(11);
  });
});

test("a cancelled call sends no round", async () => {
  const { client, call } = made(() => round);
  client.start("tools/call", { name: "t", arguments: {} }, "gone");
  client.cancel("gone");
  await call();
  expect(client.received.filter(({ id }) => id === "gone")).toEqual([]);
});

describe("large answers", () => {
  const fields = { type: "object" as const, properties: { text: { type: "string" as const } } };
  const page = { message: "?", requestedSchema: fields };
  const runsAgain = { keys, parking: false, store: memoryStateStore() } as const;

  /** A server whose handler runs again, asks twice, and returns the length of both answers. */
  function asksTwice(state: ServerOptions["state"]) {
    const server = serverWith({ state: { ...runsAgain, ...state } });
    server.tool("t", { replay: true }, async (_, { ask }) => {
      const first = await ask.elicit("first", page);
      const second = await ask.elicit("second", page);
      return String([first, second].map(({ content }) => String(content?.["text"]).length));
    });
    return server;
  }

  const each: readonly (readonly [Wire, number])[] = wires.flatMap((wire) =>
    [40_000, 1_000_000].map((size) => [wire, size] as const),
  );

  test.each(each)("over %s, an answer of %i characters, and a second question", async (wire, size) => {
    const elicit = () => ({ action: "accept" as const, content: { text: "x".repeat(size) } });
    const client = await clientOf(asksTwice({}), wire, modern, { elicit });
    const { content } = await client.callTool("t");
    expect(content).toEqual([{ type: "text", text: `${size},${size}` }]);
  });

  test("state.limit bounds the bytes of the state, sealed and received", async () => {
    const elicit = () => ({ action: "accept" as const, content: { text: "x".repeat(4000) } });
    const client = await clientOf(asksTwice({ limit: 4000 }), "memory", modern, { elicit });
    await expect(client.callTool("t")).rejects.toMatchObject({
      rpcCode: -32603,
      message: expect.stringContaining("state.limit") as string,
    });
    const { call } = made(asksOnce, { state: { limit: 4000 } });
    const given = { inputResponses, requestState: `${stateOf(await call())}${"A".repeat(4000)}` };
    expect(await call(given)).toMatchObject(refused("state-rejected"));
  });

  test("a state that a handler returned holds no answers", async () => {
    const { call } = made(({ requestState = "0" }) => ({
      ...round,
      requestState: String(Number(requestState) + 1),
    }));
    const big = { sure: { action: "accept", content: { ok: "x".repeat(500_000) } } };
    const lengths: number[] = [];
    let state: string | undefined;
    for (let count = 0; count < 4; count++) {
      state = stateOf(await call(state === undefined ? {} : { inputResponses: big, requestState: state }));
      lengths.push(state.length);
    }
    expect(new Set(lengths)).toEqual(new Set([lengths[0]]));
  });
});
