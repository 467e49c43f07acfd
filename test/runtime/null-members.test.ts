import { readFileSync } from "node:fs";
import type { ClientEvent, ServerEvent } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { adapters, serve } from "../support/http-adapters.js";
import { Party, messagesOf } from "../support/raw-http-client.js";
import { type Members, clientOf, logLevel, served } from "../support/raw-stdio-client.js";
import { until } from "../support/until.mjs";
import { connected, reply } from "../support/scripted-stdio-server.js";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** A request of each method that the server below answers. */
const requests: { readonly [method: string]: Members } = {
  "tools/list": {},
  "tools/call": { name: "echo" },
  "resources/list": {},
  "resources/templates/list": {},
  "resources/read": { uri: "memo://a" },
  "prompts/list": {},
  "prompts/get": { name: "greet" },
};

const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;

/** @param replay whether the handler that asks runs again for an answer (2026-07-28) */
const withAll = (replay = false) => {
  const events: ServerEvent[] = [];
  const made = served(
    (server) => {
      server.tool("echo", {}, () => "here");
      server.tool("ask", { replay }, async (_, { ask }) => (await ask.elicit("form", form)).action);
      server.resource("memo://a", {}, () => "memo");
      server.prompt("greet", { arguments: [{ name: "who" }] }, () => "hello");
      server.onEvent((event) => events.push(event));
    },
    replay ? { state: { parking: false } } : {},
  );
  return { ...made, warnings: () => events.filter(({ type }) => type === "nulls-ignored") };
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
}

/** The optional members of the params of a method, by JSON Pointer into the request. */
function optionalMembers(revision: string, method: string): string[] {
  const document = JSON.parse(readFileSync(`schema/${revision}/schema.json`, "utf8")) as {
    readonly $defs?: { readonly [name: string]: Schema };
  };
  const at = (schema: Schema): Schema =>
    schema.$ref ? at(document.$defs![schema.$ref.split("/").at(-1)!]!) : schema;
  const request = Object.values(document.$defs!).find(
    ({ properties }) => properties?.["method"]?.const === method,
  );
  const params = at(request!.properties!["params"]!);
  const { required = [] } = params;
  return Object.keys(params.properties ?? {}).filter((name) => !required.includes(name));
}

const each = revisions.flatMap((revision) =>
  Object.keys(requests).map((method) => [method, revision] as const),
);

describe("null for optional members, on a server", () => {
  test.each(each)("of the params of %s (%s) counts as absent, with a warning", async (method, revision) => {
    const made = withAll();
    const client = await clientOf(made, revision);
    const plain = await client.request(method, requests[method]);
    expect(plain.result).toBeDefined();
    const members = optionalMembers(revision, method).filter((name) => name !== "_meta" || !client.isModern);
    for (const name of members) {
      const before = made.warnings().length;
      const request = client.requestOf(method, requests[method]);
      client.send({ ...request, params: { ...request.params, [name]: null } });
      expect((await client.answer(request.id)).result).toEqual(plain.result);
      expect(made.warnings().slice(before)).toMatchObject([{ method, members: [`/params/${name}`] }]);
    }
  });

  test.each(each)("for required members of %s (%s) is an error", async (method, revision) => {
    const client = await clientOf(withAll(), revision);
    for (const name of Object.keys(requests[method]!))
      expect((await client.request(method, { ...requests[method], [name]: null })).error?.code).toBe(-32602);
  });

  test.each(revisions)("beside a wrong member does not hide the error (%s)", async (revision) => {
    const client = await clientOf(withAll(), revision);
    const { error } = await client.request("tools/call", { name: 5, arguments: null });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("name") as string });
  });

  test.each(revisions.filter((revision) => revision < "2026"))(
    "as params (%s) counts as absent",
    async (revision) => {
      const made = withAll();
      const client = await clientOf(made, revision);
      for (const method of ["tools/list", "ping"]) {
        const request = client.requestOf(method);
        client.send({ ...request, params: null });
        expect((await client.answer(request.id)).result).toBeDefined();
      }
      expect(made.warnings()).toHaveLength(2);
    },
  );

  test("as log level and client of a modern request counts as absent", async () => {
    const made = withAll();
    const client = await clientOf(made, "2026-07-28");
    const { result } = await client.request("tools/list", {
      _meta: { [logLevel]: null, progressToken: null },
    });
    expect(result).toBeDefined();
    expect(made.warnings()).toHaveLength(1);
  });

  test.each(adapters)("over HTTP (%s) counts as absent, and headers are still compared", async (adapter) => {
    const made = withAll();
    const { url } = await serve(adapter, made.server);
    for (const revision of ["2025-06-18", "2026-07-28"] as const) {
      const party = await new Party(url, revision).open();
      const call = await party.post(party.message("tools/call", { name: "echo", arguments: null }));
      await call.whole();
      expect(messagesOf(call)[0]!.result).toBeDefined();
    }
    expect(made.warnings()).toHaveLength(2);
  });

  test("of the answer to a form counts as absent", async () => {
    for (const [revision, replay] of [
      ["2025-06-18", false],
      ["2025-11-25", false],
      ["2026-07-28", false],
      ["2026-07-28", true],
    ] as const) {
      const made = withAll(replay);
      const client = await clientOf(made, revision, { elicitation: {} });
      const declined = { action: "decline", content: null };
      client.answers = { "elicitation/create": () => ({ result: declined }) };
      let { result } = await client.call("ask");
      if (client.isModern) {
        const { requestState } = result!;
        const again = { name: "ask", arguments: {}, requestState, inputResponses: { form: declined } };
        ({ result } = await client.request("tools/call", again as Members));
      }
      expect(result).toMatchObject({ content: [{ text: "decline" }] });
      expect(made.warnings()).toMatchObject([{ method: "elicitation/create" }]);
    }
  });

  test.each(revisions)("in a client's declarations counts as absent (%s)", async (revision) => {
    const declared: unknown[] = [];
    const made = served((server) =>
      server.tool("ask", {}, async (_, { ask, clientCapabilities, clientInfo }) => {
        declared.push(clientCapabilities, clientInfo);
        return clientCapabilities.elicitation ? (await ask.elicit("form", form)).action : "cannot";
      }),
    );
    const given = {
      ...{ roots: null, sampling: null, experimental: null },
      ...(revision >= "2025-06-18" && { elicitation: { url: null } }),
      ...(revision >= "2026" && { extensions: null }),
    };
    const client = await clientOf(made, revision, given);
    client.answers = { "elicitation/create": () => ({ result: { action: "decline" } }) };
    const { result, error } = await client.call("ask");
    expect(error).toBeUndefined();
    expect(declared[0]).toEqual(revision >= "2025-06-18" ? { elicitation: {} } : {});
    if (client.isModern) expect(result).toMatchObject({ inputRequests: { form: {} } });
    else expect(result).toMatchObject({ content: [{ text: revision < "2025-06" ? "cannot" : "decline" }] });
  });

  test("as the params of a notification counts as absent", async () => {
    const made = withAll();
    let changed = 0;
    made.server.on("notifications/roots/list_changed", () => void changed++);
    const client = await clientOf(made, "2025-11-25");
    client.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed", params: null });
    await until("the listener is called", () => changed === 1);
    expect(made.warnings()).toHaveLength(1);
  });

  /** A server with a notification and a request that no revision has. */
  const withVendor = (nulls?: "reject") => {
    const heard: unknown[] = [];
    const events: ServerEvent[] = [];
    const made = served(
      (server) => {
        server.onEvent((event) => event.type === "nulls-ignored" && events.push(event));
        server.on("acme/seen", {}, (params) => void heard.push(params));
        server.handle("acme/ask", {}, () => ({ answer: 1 }));
      },
      nulls && { validation: { nulls } },
    );
    return { ...made, heard, events };
  };
  const seen = { jsonrpc: "2.0", id: null, method: "acme/seen", params: { a: 1 } };

  test.each(revisions)("as the id of a notification counts as absent (%s)", async (revision) => {
    const { heard, events, ...made } = withVendor();
    const client = await clientOf(made, revision);
    client.send(seen);
    await until("the listener is called", () => heard.length === 1);
    if (revision === "2025-03-26") client.send([seen, client.requestOf("ping")]);
    else client.send(seen);
    await until("the listener is called again", () => heard.length === 2);
    expect(heard).toEqual([{ a: 1 }, { a: 1 }]);
    expect(events).toMatchObject([1, 2].map(() => ({ method: "acme/seen", members: ["/id"] })));
  });

  test.each(revisions)("as the id of a request is an error (%s)", async (revision) => {
    const { events, ...made } = withVendor();
    const client = await clientOf(made, revision);
    for (const method of ["tools/list", "acme/ask"]) {
      client.received.length = 0;
      client.send({ ...client.requestOf(method), id: null });
      expect((await client.answer(undefined)).error, method).toMatchObject({ code: -32600 });
    }
    expect(events).toEqual([]);
  });

  test("as an id is an error if the server rejects null", async () => {
    const { heard, ...made } = withVendor("reject");
    const client = await clientOf(made, "2025-11-25");
    client.send(seen);
    expect((await client.answer(undefined)).error).toMatchObject({ code: -32600 });
    expect(heard).toEqual([]);
  });

  test.each(adapters)(
    "as an id over HTTP (%s) counts as absent or is an error, like over stdio",
    async (adapter) => {
      const { heard, events, ...made } = withVendor();
      const { url } = await serve(adapter, made.server);
      for (const revision of ["2025-06-18", "2026-07-28"] as const) {
        const party = await new Party(url, revision).open();
        expect((await party.post(seen)).status).toBe(202);
        await until("the listener is called", () => heard.length === events.length && heard.length > 0);
        expect((await party.post({ ...party.message("tools/list"), id: null })).status).toBe(400);
      }
      expect(heard).toEqual([{ a: 1 }, { a: 1 }]);
    },
  );
});

describe("null for optional members, on a client", () => {
  const content = [{ type: "text", text: "done", annotations: null }];
  const script = {
    "tools/list": () => ({
      result: { tools: [{ name: "t", inputSchema: { type: "object" }, description: null }] },
    }),
    "tools/call": () => ({ result: { content, isError: null } }),
  };

  test.each(revisions)("is reported by one event each (%s)", async (revision) => {
    const events: ClientEvent[] = [];
    const { client, peer } = await connected(revision, script, {
      onEvent: (event) => event.type === "nulls-ignored" && events.push(event),
    });
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "done" }]);
    expect(events).toMatchObject([{ method: "tools/call", members: ["/content/0/annotations", "/isError"] }]);
    expect((await client.listTools()).items).toHaveLength(1);
    expect(events).toHaveLength(2);
    const heard = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
    peer.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: null });
    await heard;
    expect(events).toHaveLength(3);
  });

  test("of a round of input counts as absent", async () => {
    const rounds: readonly Members[] = [
      { inputRequests: { r: { method: "roots/list", params: null } }, requestState: null },
      { inputRequests: null, requestState: "state" },
      { inputRequests: {}, requestState: "state", _meta: null },
    ];
    const asked: (Members | undefined)[] = [];
    const { client } = await connected(
      "2026-07-28",
      {
        "tools/call": (request, peer) => {
          asked.push(request.params);
          const round = rounds[asked.length - 1];
          return round
            ? { result: { resultType: "input_required", ...round } }
            : reply(peer, { content: [] });
        },
      },
      { roots: [{ uri: "file:///a" }] },
    );
    expect((await client.callTool("t")).content).toEqual([]);
    expect(asked[1]).toMatchObject({ inputResponses: { r: { roots: [{ uri: "file:///a" }] } } });
    expect(asked[1]).not.toHaveProperty("requestState");
    expect(asked[2]).toMatchObject({ requestState: "state" });
    const none = { resultType: "input_required", inputRequests: null, requestState: null };
    const { client: other } = await connected("2026-07-28", { "tools/call": () => ({ result: none }) });
    await expect(other.callTool("t")).rejects.toMatchObject({ code: "invalid-result" });
  });

  test.each(revisions)("as the id of a notification counts as absent (%s)", async (revision) => {
    const events: ClientEvent[] = [];
    const { client, peer } = await connected(
      revision,
      {},
      { onEvent: (event) => event.type === "nulls-ignored" && events.push(event) },
    );
    const method = "notifications/tools/list_changed";
    const heard = new Promise((resolve) => client.on(method, resolve));
    peer.send({ jsonrpc: "2.0", id: null, method });
    await heard;
    expect(events).toMatchObject([{ method, members: ["/id"] }]);
  });

  test("as the id of a request is text that is not a message", async () => {
    const events: ClientEvent[] = [];
    const asked: unknown[] = [];
    const { client, peer } = await connected(
      "2025-11-25",
      { ping: () => ({ result: {} }) },
      { roots: [], onEvent: (event) => events.push(event) },
    );
    client.on("*", (_, method) => void asked.push(method));
    peer.send({ jsonrpc: "2.0", id: null, method: "roots/list" });
    await until("a warning", () => events.some(({ type }) => type === "protocol-warning"));
    expect(events).toContainEqual(expect.objectContaining({ reason: "stray-output" }));
    expect(asked).toEqual([]);
  });

  test("is an error if the client rejects it, and a notification with it is dropped", async () => {
    const events: ClientEvent[] = [];
    const { client, peer } = await connected(
      "2025-11-25",
      {},
      { validation: { nulls: "reject" }, onEvent: (event) => events.push(event) },
    );
    const method = "notifications/tools/list_changed";
    let count = 0;
    const heard = new Promise<void>((resolve) => client.on(method, () => (count++, resolve())));
    peer.send({ jsonrpc: "2.0", id: null, method });
    peer.send({ jsonrpc: "2.0", method, params: null });
    peer.send({ jsonrpc: "2.0", method: "notifications/progress", params: null });
    peer.send({ jsonrpc: "2.0", method });
    await heard;
    expect(count).toBe(1);
    expect(events.map(({ type }) => type)).not.toContain("nulls-ignored");
  });

  test.each(revisions)("beside a wrong item of a list counts as absent (%s)", async (revision) => {
    const inputSchema = { type: "object" };
    const tools = [{ name: "good", inputSchema, title: null, description: null }, { name: "wrong" }];
    const { client } = await connected(revision, {
      "tools/list": (_, peer) => reply(peer, { tools, nextCursor: null, _meta: null }),
    });
    const { items, rejected } = await client.listTools();
    expect(items.map(({ name }) => name)).toEqual(["good"]);
    expect(rejected).toMatchObject([{ name: "wrong" }]);
  });

  test("of many items, and of the fields of a form, counts as absent", async () => {
    const many = Array.from({ length: 2000 }, () => ({
      type: "text",
      text: "x",
      annotations: null,
      _meta: null,
    }));
    const { client, peer } = await connected(
      "2025-11-25",
      { "tools/call": () => ({ result: { content: many } }) },
      {
        elicit: ({ requestedSchema }) => ({
          action: "accept",
          content: { fields: JSON.stringify(requestedSchema) },
        }),
      },
    );
    const { content } = await client.callTool("many");
    expect(content).toEqual(many.map(() => ({ type: "text", text: "x" })));
    const fields = { type: "string", title: null, description: null, minLength: null, format: null };
    const params = { message: "?", requestedSchema: { type: "object", properties: { fields } } };
    const { result } = await peer.ask("elicitation/create", params);
    expect(JSON.parse((result!["content"] as { fields: string }).fields)).toEqual({
      type: "object",
      properties: { fields: { type: "string" } },
    });
  });
});
