import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type JsonSchema,
  type McpError,
  defineServer,
  methodSchemas,
} from "@mcpgen/runtime";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { SseParty } from "../../support/raw-sse-client.js";
import { type Members, type Wired, clientOf, raw, served } from "../../support/raw-stdio-client.js";

const eras = ["2025-11-25", "2026-07-28"] as const;

const numbers = {
  type: "object",
  properties: { values: { type: "array", items: { type: "number" } } },
  required: ["values"],
  additionalProperties: false,
} as const;
const total = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;

/** A request and a notification that no revision defines, and the messages that listeners got. */
function acme(server: CodeFirstServer, heard: unknown[] = []): void {
  server.handle("acme/sum", { params: numbers, result: total }, ({ values }) => ({
    sum: values.reduce((sum, value) => sum + value, 0),
  }));
  server.handle("acme/broken", { result: total }, () => ({ sum: "many" }) as never);
  server.on("notifications/acme/seen", { params: z.object({ at: z.coerce.number() }) }, ({ at }, context) => {
    heard.push({ at, method: context.method, revision: context.revision, id: context.session?.era });
  });
}

/** A client over each transport: how it sends, at a revision. */
interface Sender {
  request(method: string, params?: Members): Promise<Wired>;
  notify(method: string, params?: Members): Promise<void>;
}

type Connect = (revision: string, define: (server: CodeFirstServer) => void) => Promise<Sender>;

const http =
  (adapter: "node" | "fetch", sessions: boolean): Connect =>
  async (revision, define) => {
    const { server } = served(define);
    const { url } = await serve(adapter, server, { sessions });
    const party = await new Party(url, revision).open();
    return {
      request: (method, params) => party.request(method, params),
      notify: async (method, params = {}) => {
        const answer = await party.post({ jsonrpc: "2.0", method, params });
        expect(answer.status).toBe(202);
      },
    };
  };

const transports: Readonly<Record<string, Connect>> = {
  stdio: async (revision, define) => {
    const { client } = await raw(revision, define);
    return {
      request: (method, params) => client.request(method, params),
      notify: async (method, params) => client.notify(method, params),
    };
  },
  "HTTP (node)": http("node", true),
  "HTTP (fetch)": http("fetch", true),
  "HTTP without sessions": http("node", false),
};

describe.each(Object.entries(transports))("over %s", (_, connect) => {
  describe.each(eras)("at %s", (revision) => {
    test("a vendor request is handled: its params and its result fit their schemas", async () => {
      const client = await connect(revision, acme);
      const { result } = await client.request("acme/sum", { values: [1, 2.5] });
      expect(result).toMatchObject({ sum: 3.5 });
      expect(result!["resultType"]).toBe(revision === "2026-07-28" ? "complete" : undefined);
    });

    test("wrong params are refused with their issues, and a wrong result is an internal error", async () => {
      const client = await connect(revision, acme);
      const wrong = await client.request("acme/sum", { values: ["1"] });
      expect(wrong.error).toMatchObject({
        code: -32602,
        message: 'the params are wrong: values[0]: expected number, got "1" (string)',
      });
      expect((await client.request("acme/broken")).error).toMatchObject({ code: -32603 });
    });

    test("a vendor notification reaches its listener, parsed; with wrong params it is dropped", async () => {
      const heard: Members[] = [];
      const client = await connect(revision, (server) => acme(server, heard));
      await client.notify("notifications/acme/seen", { at: "soon" });
      await client.notify("notifications/acme/seen", { at: "7" });
      await client.request("acme/sum", { values: [] });
      expect(heard).toMatchObject([{ at: 7, method: "notifications/acme/seen", revision }]);
    });

    test("without a handler a vendor request is unknown; a fallback handler gets it, and its params", async () => {
      const bare = await connect(revision, () => {});
      expect((await bare.request("acme/any", { a: 1 })).error).toMatchObject({ code: -32601 });
      const client = await connect(revision, (server) =>
        server.handle("*", ({ a }, { method }) => ({ tools: [], method, a })),
      );
      expect((await client.request("acme/any", { a: 1 })).result).toMatchObject({ method: "acme/any", a: 1 });
      // The server has no tools, so it does not have the methods of tools, either.
      expect((await client.request("tools/list")).result).toMatchObject({ method: "tools/list" });
      expect((await client.request("tools/list", { cursor: 1 })).error).toMatchObject({ code: -32602 });
    });

    test("a fallback listener gets notifications without a listener", async () => {
      const heard: string[] = [];
      const client = await connect(revision, (server) => {
        acme(server);
        server.on("*", (_params, { method }) => void heard.push(method));
      });
      await client.notify("notifications/acme/seen", { at: "7" });
      await client.notify("notifications/acme/other", { b: 2 });
      await client.request("acme/sum", { values: [] });
      expect(heard.filter((method) => method !== "notifications/initialized")).toEqual([
        "notifications/acme/other",
      ]);
    });
  });
});

test("over HTTP+SSE a vendor request is handled, too", async () => {
  const { server } = served((own) =>
    own.handle("acme/where", {}, (_, { url, sessionId }) => ({ url, sessionId: typeof sessionId })),
  );
  const { url } = await serve("node", server, { sse: true });
  const party = await new SseParty(url, "2024-11-05").open();
  const { result } = await party.request("acme/where", {});
  expect(result).toEqual({ url: expect.stringMatching(/^\/mcp\?sessionId=/) as string, sessionId: "string" });
});

test("over HTTP the headers of a vendor request must agree with its body", async () => {
  const { server } = served(acme);
  const { url } = await serve("node", server);
  const party = new Party(url, "2026-07-28");
  const wrong = await party.post(party.message("acme/sum", { values: [] }), { "mcp-method": "tools/call" });
  expect(wrong.status).toBe(400);
  expect(await wrong.whole()).toContain("Mcp-Method");
  const unknown = await party.post(party.message("acme/none"));
  expect(unknown.status).toBe(404);
});

describe.each(eras)("at %s", (revision) => {
  test("a handler can ask, notify and be cancelled like any other", async () => {
    const aborted: string[] = [];
    const { client } = await raw(
      revision,
      (server) => {
        server.handle("acme/slow", {}, async (params, { notify, signal, meta }) => {
          expect(params).toEqual({});
          notify("notifications/acme/started", { trace: meta["trace"] });
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          aborted.push("aborted");
          return {};
        });
        server.handle("acme/ask", {}, async (_, { ask }) => ({ roots: await ask.roots("r") }));
      },
      { roots: {} },
    );
    client.answers = { "roots/list": () => ({ result: { roots: [{ uri: "file:///x" }] } }) };
    const id = client.start("acme/slow", { _meta: { trace: "t" } });
    expect(await client.next("notifications/acme/started")).toMatchObject({ params: { trace: "t" } });
    client.cancel(id);
    await client.settled();
    expect(aborted).toEqual(["aborted"]);
    const { result, error } = await client.request("acme/ask");
    // Only the requests that the specification lists may be answered with input requests (2026-07-28, MRTR).
    if (revision === "2026-07-28") expect(error?.message).toBe("acme/ask cannot ask for roots/list");
    else expect(result).toEqual({ roots: [{ uri: "file:///x" }] });
  });
});

/** Tools that send requests of any method to their client. */
function asking(server: CodeFirstServer): void {
  server.tool<{ method: string; params?: object }>("ask", {}, async ({ method, params }, { ask }) => {
    const asked = params ? { method, params } : { method };
    return JSON.stringify(
      await ask.request("a", asked).catch((error: McpError) => ({ code: error.code, remote: error.remote })),
    );
  });
}

const outcomeOf = ({ result }: Wired): unknown => JSON.parse(result!["content"][0].text as string);

describe.each(serverRevisions.map(({ id }) => id))("in a running call at %s", (revision) => {
  const isModern = revision === "2026-07-28";

  test("a handler sends requests that no revision defines, where servers send requests", async () => {
    const { client } = await raw(revision, asking);
    client.answers = {
      "acme/pick": ({ params }) => ({ result: { picked: params!["from"] } }),
      "acme/refuse": () => ({ error: { code: -7, message: "no", data: 0 } }),
      ping: () => ({ result: {} }),
    };
    const ask = async (method: string, params?: Members): Promise<unknown> =>
      outcomeOf(await client.call("ask", { method, ...(params && { params }) }));
    const refused = { code: "missing-capability" };
    expect(await ask("acme/pick", { from: [1] })).toEqual(isModern ? refused : { picked: [1] });
    expect(await ask("acme/refuse")).toEqual(
      isModern ? refused : { code: "remote-error", remote: { code: -7, message: "no", data: 0 } },
    );
    expect(await ask("ping")).toEqual(isModern ? refused : {});
    // Other revisions define it, or the client has not declared it.
    for (const method of ["tasks/get", "elicitation/create", "roots/list"])
      expect(await ask(method, {}), method).toEqual(refused);
    expect(client.of("tasks/get")).toEqual([]);
  });

  test("which end with the call, and by its time limits", async () => {
    if (isModern) return;
    const { client, clock } = await raw(revision, asking, {}, { timeouts: { timeout: 500 } });
    const id = client.startCall("ask", { method: "acme/slow" });
    const { id: requestId } = await client.next("acme/slow");
    client.cancel(id);
    expect((await client.next("notifications/cancelled")).params).toMatchObject({ requestId });
    const late = client.startCall("ask", { method: "acme/slow" });
    await client.next("acme/slow", 2);
    clock.advance(500);
    expect(outcomeOf(await client.answer(late))).toEqual({ code: "timeout" });
  });
});

test("over HTTP a request of a handler comes on the stream of its call", async () => {
  const { server } = served(asking);
  const party = await new Party((await serve("node", server)).url, "2025-11-25").open();
  const stream = await party.post(
    party.message("tools/call", { name: "ask", arguments: { method: "acme/pick" } }),
  );
  /** The messages of the stream; its first event has none. */
  const messages = (): Wired[] =>
    stream.events.flatMap(({ data = "" }) => (data === "" ? [] : [JSON.parse(data) as Wired]));
  const asked = await stream.until(() => messages()[0]);
  expect(asked).toMatchObject({ method: "acme/pick" });
  await party.post({ jsonrpc: "2.0", id: asked.id, result: { picked: 1 } });
  expect(outcomeOf(await stream.until(() => messages()[1]))).toEqual({ picked: 1 });
});

test("a client may answer a question with its task, if the server asks for one", async () => {
  const { client } = await raw("2025-11-25", asking, {
    elicitation: { form: {} },
    tasks: { requests: { elicitation: { create: {} } } },
  });
  const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z" };
  const task = { taskId: "t", status: "working", ttl: 5, ...times };
  client.answers = {
    "elicitation/create": () => ({ result: { task } }),
    "tasks/get": () => ({ result: { ...task, status: "completed" } }),
    "tasks/result": () => ({ result: { action: "decline" } }),
  };
  const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
  const ask = async (method: string, params: Members): Promise<unknown> =>
    outcomeOf(await client.call("ask", { method, params }));
  expect(await ask("elicitation/create", { ...form, task: {} })).toEqual({ task });
  expect(await ask("elicitation/create", form)).toEqual({ code: "invalid-result" });
  expect(await ask("tasks/get", { taskId: "t" })).toMatchObject({ status: "completed" });
  expect(await ask("tasks/result", { taskId: "t" })).toEqual({ action: "decline" });
});

test("a method of the protocol may also have schemas: both are checked", async () => {
  const { client } = await raw("2025-11-25", (server) =>
    server.handle(
      "tools/list",
      { params: { type: "object", properties: { cursor: { type: "string", maxLength: 2 } } } },
      () => ({ tools: [] }),
    ),
  );
  expect((await client.request("tools/list", { cursor: "ab" })).result).toEqual({ tools: [] });
  expect((await client.request("tools/list", { cursor: "abc" })).error).toMatchObject({ code: -32602 });
  expect((await client.request("tools/list", { cursor: 1 })).error).toMatchObject({ code: -32602 });
});

test("before the handshake, a server of the legacy era refuses a vendor request", async () => {
  const made = served(acme, { revisions: { known: serverRevisions, speaks: ["2025-11-25"] } });
  const { client } = await raw("2025-11-25", () => {});
  const early = await clientOf(made, "2026-07-28");
  early.revision = "2025-11-25";
  expect((await early.request("acme/sum", { values: [1] })).error).toMatchObject({ code: -32600 });
  expect(client.faults).toEqual([]);
});

test("schemas of libraries need no JSON Schema, and parse params and results", async () => {
  const { client } = await raw("2025-06-18", (server) =>
    server.handle(
      "acme/day",
      {
        params: v.pipe(
          v.object({ day: v.string() }),
          v.transform(({ day }) => new Date(day)),
        ),
        result: v.pipe(
          v.object({ day: v.date() }),
          v.transform(({ day }) => ({ day: day.toISOString() })),
        ),
      },
      (day) => ({ day, _meta: { kept: true } }),
    ),
  );
  const day = "2026-11-23T00:00:00.000Z";
  expect((await client.request("acme/day", { day })).result).toEqual({ day, _meta: { kept: true } });
});

const contract = { name: "acme", version: "1", tools: [] };

test("a server of a contract reads schemas with the option `schemas`", async () => {
  const options = { revisions: serverRevisions, checks: {} };
  const bare = defineServer(contract, { tools: {} }, options);
  expect(() => bare.handle("acme/sum", {}, () => ({}))).toThrow("{ schemas: methodSchemas }");
  const server = defineServer(contract, { tools: {} }, { ...options, schemas: methodSchemas });
  server.handle("acme/sum", { params: numbers, result: total }, ({ values }) => ({ sum: values.length }));
  const client = await clientOf({ server }, "2026-07-28");
  expect((await client.request("acme/sum", { values: [4, 4] })).result).toMatchObject({ sum: 2 });
});

test.each<[string, (server: CodeFirstServer) => void, RegExp]>([
  [
    "a misspelt method",
    (own) => own.handle("tools/cal", () => ({})),
    /"tools\/cal" is not a client request .*pass schemas, or {}\./,
  ],
  [
    "a misspelt notification",
    (own) => own.on("notifications/root", () => {}),
    /is not a client notification/,
  ],
  [
    "a misspelt schema",
    (own) => own.handle("acme/x", { param: numbers } as object, () => ({})),
    /param: there is no such option/,
  ],
  [
    "a schema that is none",
    (own) => own.handle("acme/x", { params: { type: "no" } }, () => ({})),
    /acme\/x: params\/type/,
  ],
  [
    "an object of schemas",
    (own) => own.on("acme/x", { params: { a: z.string() } as JsonSchema }, () => {}),
    /acme\/x: params: expected a schema, got an object whose members are schemas of zod/,
  ],
])("%s is refused", (_, define, problem) => {
  const { server } = served(() => {});
  expect(() => define(server)).toThrow(problem);
});
