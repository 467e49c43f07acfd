import { serverRevisions } from "@mcpgen/protocol";
import {
  type Ask,
  type Change,
  type CodeFirstServer,
  type Form,
  type NotificationBus,
  defineServer,
  memoryStateStore,
} from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { everyFeature } from "../../support/every-feature/server.js";
import {
  type Members,
  RawClient,
  type Wired,
  clientOf,
  raw,
  served,
  subscriptionId,
  textOf,
} from "../../support/raw-stdio-client.js";
import { row } from "./rows.js";

const form: Form = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] },
};
const sampling = { messages: [], maxTokens: 1 };

/** A tool for each kind of question. @param replay whether each runs again for an answer */
function asker(server: CodeFirstServer, replay = false): void {
  const tool = (name: string, ask: (ask: Ask) => Promise<unknown>): void =>
    void server.tool(name, { replay }, async (_, context) => JSON.stringify(await ask(context.ask)));
  tool("elicit", (ask) => ask.elicit("k", form));
  tool("url", (ask) => ask.url("k", { message: "Look", url: "https://example.com/" }));
  tool("sample", (ask) => ask.sample("k", sampling));
  tool("roots", (ask) => ask.roots("k"));
}

/** The client answers everything that is asked, in either era. */
async function answered(client: RawClient, tool: string, result: Members): Promise<Wired> {
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"])
    client.answers = { ...client.answers, [method]: () => ({ result }) };
  const first = await client.call(tool);
  if (first.result?.["resultType"] !== "input_required") return first;
  return client.request("tools/call", {
    name: tool,
    arguments: {},
    inputResponses: Object.fromEntries(
      Object.keys(first.result["inputRequests"] as Members).map((key) => [key, result]),
    ),
    requestState: first.result["requestState"] as string,
  });
}

/** The questions to the client, in either era. */
function askedOf(client: RawClient): Wired[] {
  return client.received.flatMap((message) =>
    message.method !== undefined && message.id !== undefined
      ? [message]
      : (Object.values((message.result?.["inputRequests"] ?? {}) as Members) as Wired[]),
  );
}

describe("subscriptions", () => {
  const listen = (client: RawClient, notifications: Members, id?: string | number): string | number =>
    client.start("subscriptions/listen", { notifications }, id);
  const acknowledged = "notifications/subscriptions/acknowledged";
  const all = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ["note://one"],
  };
  const notes = (server: CodeFirstServer): void => {
    server.tool("t", {}, () => "");
    server.resource("note://one", {}, () => "");
    server.resource("note://two", {}, () => "");
  };

  row("SUB-01", "the acknowledgement lists exactly the notifications that are honoured", async (revision) => {
    const { client } = await raw(revision, (server) => void server.tool("t", {}, () => ""));
    listen(client, all);
    expect((await client.next(acknowledged)).params!["notifications"]).toEqual({ toolsListChanged: true });
    const fixed = new RawClient(
      defineServer(
        { name: "c", version: "1", tools: [{ name: "t", inputSchema: { type: "object" } }] },
        { tools: { t: () => "" } },
        { revisions: serverRevisions, checks: { t: { input: () => undefined } } },
      ),
      revision,
    );
    listen(fixed, all);
    expect((await fixed.next(acknowledged)).params!["notifications"]).toEqual({});
    const { client: full } = await raw(revision, (server) => {
      notes(server);
      server.prompt("p", {}, () => "");
    });
    listen(full, { ...all, promptsListChanged: false });
    const { promptsListChanged: _, ...rest } = all;
    expect((await full.next(acknowledged)).params!["notifications"]).toEqual(rest);
  });

  row("SUB-02", "a subscription is named by the id of its request, of the same type", async (revision) => {
    const { client, server } = await raw(revision, notes);
    const ids = [7, "7", "abc"];
    for (const id of ids) listen(client, all, id);
    await client.next(acknowledged, 3);
    server.resourceUpdated("note://one");
    await client.next("notifications/resources/updated", 3);
    for (const method of [acknowledged, "notifications/resources/updated"])
      expect(
        client.of(method).map(({ params }) => (params!["_meta"] as Members)[subscriptionId] as unknown),
      ).toEqual(ids);
  });

  row("SUB-03", "updates are sent for the listed resources only", async (revision) => {
    const { client, server } = await raw(revision, notes);
    listen(client, { resourceSubscriptions: ["note://one"] });
    await client.next(acknowledged);
    server.resourceUpdated("note://two");
    server.resourceUpdated("note://one");
    server.resourceUpdated("note://on");
    const updates = (await client.settled()).slice(1).map(({ method, params }) => [method, params!["uri"]]);
    expect(updates).toEqual([["notifications/resources/updated", "note://one"]]);
  });

  row("SUB-04", "when the server ends, a subscription is answered", async (revision) => {
    const { client, server } = await raw(revision, notes);
    const ids = [listen(client, all), listen(client, all)];
    await client.next(acknowledged, 2);
    await server.close();
    for (const id of ids) {
      const { result } = await client.answer(id);
      expect(result).toMatchObject({ resultType: "complete", _meta: { [subscriptionId]: id } });
    }
    expect(client.received).toHaveLength(4);
  });

  /** A bus that counts its listeners. */
  class CountingBus implements NotificationBus {
    readonly listeners = new Set<(change: Change) => void>();
    publish(change: Change): void {
      for (const listener of this.listeners) listener(change);
    }
    subscribe(listener: (change: Change) => void): () => void {
      this.listeners.add(listener);
      return () => void this.listeners.delete(listener);
    }
  }

  row(
    "SUB-05",
    "a cancelled subscription sends no more notifications, and leaves nothing behind",
    async (revision) => {
      const changes = new CountingBus();
      const { client, server } = await raw(revision, notes, {}, { changes });
      const id = listen(client, all);
      await client.next(acknowledged);
      client.cancel(id);
      await client.settled();
      const mark = client.received.length;
      server.resourceUpdated("note://one");
      server.tool("late", {}, () => "");
      expect(await client.settled(mark)).toEqual([]);
      // The id is free again, as after every request.
      listen(client, all, id);
      await client.next(acknowledged, 2);
      // The server listens to the bus once, for all subscriptions.
      expect(changes.listeners.size).toBe(1);
      await server.close();
      expect(changes.listeners.size).toBe(0);
    },
  );

  row("SUB-06", "subscriptions are independent of each other", async (revision) => {
    const { client, server } = await raw(revision, notes);
    listen(client, { toolsListChanged: true }, "tools");
    listen(client, { resourceSubscriptions: ["note://one"] }, "one");
    await client.next(acknowledged, 2);
    const heardBy = async (change: () => void): Promise<unknown[]> => {
      const mark = client.received.length;
      change();
      return (await client.settled(mark)).map(
        ({ params }) => (params!["_meta"] as Members)[subscriptionId] as unknown,
      );
    };
    expect(await heardBy(() => void server.tool("late", {}, () => ""))).toEqual(["tools"]);
    expect(await heardBy(() => server.resourceUpdated("note://one"))).toEqual(["one"]);
    client.cancel("tools");
    await client.settled();
    expect(await heardBy(() => void server.tool("later", {}, () => ""))).toEqual([]);
    expect(await heardBy(() => server.resourceUpdated("note://one"))).toEqual(["one"]);
  });

  row("SUB-07", "progress and log messages belong to their own request", async (revision) => {
    const client = await clientOf({ server: everyFeature(serverRevisions) }, revision);
    listen(client, all, "listening");
    await client.next(acknowledged);
    await client.call("work", {}, { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" });
    const sent = [...client.of("notifications/progress"), ...client.of("notifications/message")];
    expect(sent).toHaveLength(4);
    for (const { params } of sent)
      expect((params!["_meta"] as Members | undefined)?.[subscriptionId]).toBeUndefined();
  });
});

describe("rounds", () => {
  const capabilities = { elicitation: {} };
  const retry = (client: RawClient, requestState: unknown, age = 5, name = "elicit"): Promise<Wired> =>
    client.request("tools/call", {
      name,
      arguments: {},
      requestState,
      inputResponses: { k: { action: "accept", content: { age } } },
    } as Members);

  row("MRTR-08", "a state that was changed anywhere is refused", async (revision) => {
    const { client } = await raw(revision, asker, capabilities);
    const { result } = await client.call("elicit");
    const state = result!["requestState"] as string;
    const forged = [
      "",
      "x",
      state.slice(1),
      state.slice(0, -1),
      state.slice(0, 16),
      `${state}A`,
      `${state}=`,
      ` ${state}`,
    ];
    const half = state.length >> 1;
    forged.push(state.slice(half) + state.slice(0, half));
    // The name of the process, and what it sealed.
    const parts = state.split(".");
    expect(parts).toHaveLength(2);
    forged.push(parts.join(""), parts.join("-"));
    for (const [part, text] of parts.entries()) {
      const bytes = Buffer.from(text, "base64url");
      for (const index of bytes.keys()) {
        const changed = Buffer.from(bytes);
        changed[index]! ^= 1 << (index & 7);
        forged.push(parts.with(part, changed.toString("base64url")).join("."));
      }
    }
    // The last character has unused bits: other last characters could decode to the same bytes.
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
      if (last !== state.at(-1)) forged.push(state.slice(0, -1) + last);
    const codes = await Promise.all(forged.map(async (each) => (await retry(client, each)).error?.code));
    expect(codes).toEqual(forged.map(() => -32602));
    expect(textOf(await retry(client, state))).toContain('"age":5');
  });

  row("MRTR-08", "a state is refused for another request", async (revision) => {
    const { client } = await raw(revision, asker, capabilities);
    const { result } = await client.call("elicit");
    expect((await retry(client, result!["requestState"], 5, "roots")).error).toMatchObject({
      code: -32602,
      data: { code: "state-rejected" },
    });
    expect(textOf(await retry(client, result!["requestState"]))).toContain('"age":5');
  });

  row("MRTR-10", "every input_required result contains input requests", async (revision) => {
    const { client } = await raw(
      revision,
      (server) => {
        asker(server);
        server.tool("nothing", {}, () => ({ content: [], resultType: "input_required" }) as never);
        server.tool("none", {}, async (_, { ask }) => JSON.stringify(await ask.all({})));
      },
      { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    );
    expect((await client.call("nothing")).error?.code).toBe(-32603);
    expect((await client.call("none")).result).toMatchObject({ resultType: "complete" });
    for (const tool of ["elicit", "url", "sample", "roots"]) {
      const { result } = await client.call(tool);
      expect(result!["resultType"]).toBe("input_required");
      expect(Object.keys(result!["inputRequests"] as Members)).toEqual(["k"]);
      expect(result!["requestState"]).toEqual(expect.any(String));
    }
  });

  row("MRTR-11", "input of an undeclared capability is not requested", async (revision) => {
    const tools = {
      elicit: "elicitation/create",
      url: "elicitation/create",
      sample: "sampling/createMessage",
      roots: "roots/list",
    };
    // None of the calls is ever answered.
    const state = { parking: { perPrincipal: 100 } };
    const { client } = await raw(revision, asker, {}, { state });
    for (const elicitation of [undefined, {}, { form: {} }, { url: {} }, { form: {}, url: {} }])
      for (const sampling of [undefined, {}])
        for (const roots of [undefined, {}]) {
          client.capabilities = JSON.parse(JSON.stringify({ elicitation, sampling, roots })) as Members;
          const may: { readonly [tool: string]: boolean } = {
            elicit: elicitation !== undefined && ("form" in elicitation || !("url" in elicitation)),
            url: elicitation !== undefined && "url" in elicitation,
            sample: sampling !== undefined,
            roots: roots !== undefined,
          };
          for (const [tool, method] of Object.entries(tools)) {
            const { result, error } = await client.call(tool);
            if (may[tool]) expect(result!["inputRequests"]).toMatchObject({ k: { method } });
            else {
              expect(error).toMatchObject({
                code: -32021,
                data: { requiredCapabilities: expect.any(Object) as object },
              });
            }
          }
        }
  });

  row("MRTR-12", "any process with the key takes up what another one asked", async (revision) => {
    const make = async (keys: string[]): Promise<RawClient> => {
      const state = { keys, parking: false, store: memoryStateStore() } as const;
      return (await raw(revision, (server) => asker(server, true), capabilities, { state })).client;
    };
    const key = "a key of several processes";
    const [one, other, rotated, stranger] = [
      await make([key]),
      await make([key]),
      await make(["another key than before", key]),
      await make(["the key of a stranger"]),
    ];
    const { result } = await one.call("elicit");
    for (const client of [other, rotated])
      expect(textOf(await retry(client, result!["requestState"]))).toContain('"age":5');
    expect((await retry(stranger, result!["requestState"])).error?.code).toBe(-32602);
  });

  row("MRTR-12", "only the process where a handler waits takes up what it asked", async (revision) => {
    const make = async (key: string): Promise<RawClient> => {
      const state = { keys: [key], parking: "routed" } as const;
      return (await raw(revision, asker, capabilities, { state })).client;
    };
    const key = "a key of several processes";
    const [one, other, stranger] = [await make(key), await make(key), await make("the key of a stranger")];
    const { result } = await one.call("elicit");
    for (const [client, data] of [
      [other, { code: "state-lost", cause: "not-here" }],
      [stranger, { code: "state-rejected" }],
    ] as const)
      expect((await retry(client, result!["requestState"])).error).toMatchObject({ code: -32602, data });
    expect(textOf(await retry(one, result!["requestState"]))).toContain('"age":5');
  });

  row(
    "MRTR-13",
    "asking for input gives no cache hints, and is not for what is never answered so",
    async (revision) => {
      const { client } = await raw(
        revision,
        (server) => {
          const cache = { ttlMs: 1000, cacheScope: "public" } as const;
          server.resource("note://asks", { cache }, async (_, { ask }) =>
            JSON.stringify(await ask.elicit("k", form)),
          );
          server.prompt(
            "asks",
            {
              arguments: [{ name: "a" }],
              complete: { a: async (_, __, { ask }) => [(await ask.elicit("k", form)).action] },
            },
            async (_, { ask }) => (await ask.elicit("k", form)).action,
          );
        },
        capabilities,
      );
      for (const [method, params] of [
        ["resources/read", { uri: "note://asks" }],
        ["prompts/get", { name: "asks" }],
      ] as const) {
        const { result } = await client.request(method, params);
        expect(result).toMatchObject({ resultType: "input_required" });
        expect(result).not.toHaveProperty("ttlMs");
        expect(result).not.toHaveProperty("cacheScope");
      }
      const ref = { type: "ref/prompt", name: "asks" };
      const completion = await client.request("completion/complete", {
        ref,
        argument: { name: "a", value: "" },
      });
      expect(completion.error?.code).toBe(-32603);
      for (const method of ["server/discover", "prompts/list", "resources/list"])
        expect((await client.request(method)).result).toMatchObject({ resultType: "complete" });
    },
  );
});

describe("caching", () => {
  const cache = { ttlMs: 60_000, cacheScope: "public" } as const;
  const pagesOf = async (client: RawClient): Promise<Members[]> => {
    const pages: Members[] = [];
    let params: Members = {};
    do {
      const { result } = await client.request("tools/list", params);
      pages.push(result!);
      params = { cursor: result!["nextCursor"] as string };
    } while (params["cursor"] !== undefined);
    return pages;
  };

  row("CACHE-07", "the pages of one list have one scope", async (revision) => {
    for (const visible of [undefined, () => true]) {
      const { client } = await raw(
        revision,
        (server) => {
          for (let index = 0; index < 6; index++)
            server.tool(`t${index}`, index === 5 && visible ? { visible } : {}, () => "");
        },
        {},
        { lists: { pageSize: 2, cache } },
      );
      const pages = await pagesOf(client);
      const scope = visible ? "private" : "public";
      expect(pages.map(({ cacheScope }) => cacheScope as string)).toEqual([scope, scope, scope]);
      expect(pages.map(({ ttlMs }) => ttlMs as number)).toEqual([60_000, 60_000, 60_000]);
    }
  });

  row("CACHE-08", "lists that differ from user to user are private", async (revision) => {
    const made = served(
      (server) => {
        server.tool("all", {}, () => "");
        server.tool("admin", { visible: (_, { auth }) => auth === "admin" }, () => "");
      },
      { lists: { cache } },
    );
    for (const [auth, names] of [
      ["admin", ["all", "admin"]],
      ["guest", ["all"]],
    ] as const) {
      const client = await clientOf(made, revision, {}, { auth });
      const [page] = await pagesOf(client);
      expect(page!["cacheScope"]).toBe("private");
      expect((page!["tools"] as Members[]).map(({ name }) => name as string)).toEqual(names);
      expect((await client.call("admin")).error?.code).toBe(auth === "admin" ? undefined : -32602);
    }
  });
});

describe("elicitation and sampling", () => {
  row("ELIC-02", "modes that were not declared are not sent", async (revision) => {
    for (const [elicitation, modes] of [
      [{ form: {} }, ["form"]],
      [{ url: {} }, ["url"]],
      [{}, ["form"]],
      [{ form: {}, url: {} }, ["form", "url"]],
    ] as const) {
      const { client } = await raw(revision, asker, { elicitation });
      await answered(client, "elicit", { action: "decline" });
      await answered(client, "url", { action: "decline" });
      expect(askedOf(client).map(({ params }) => (params!["mode"] ?? "form") as string)).toEqual(modes);
    }
  });

  row("ELIC-05", "content that is not what was asked for does not reach the handler", async (revision) => {
    const reached: unknown[] = [];
    const { client } = await raw(
      revision,
      (server) => {
        server.tool("elicit", {}, async (_, { ask }) => {
          reached.push(await ask.elicit("k", form));
          return "reached";
        });
      },
      { elicitation: {} },
    );
    for (const content of [{ age: "x" }, {}, { age: 1.5 }, undefined]) {
      const { result, error } = await answered(client, "elicit", {
        action: "accept",
        ...(content ? { content } : {}),
      });
      expect(result?.["isError"] ?? error).toBeTruthy();
    }
    expect(reached).toEqual([]);
    await answered(client, "elicit", { action: "accept", content: { age: 5 } });
    expect(reached).toEqual([{ action: "accept", content: { age: 5 } }]);
  });

  row("ELIC-06", "a form that the user declines or cancels is no failure", async (revision) => {
    const { client } = await raw(revision, asker, { elicitation: {} });
    for (const action of ["accept", "decline", "cancel"]) {
      const answer = await answered(client, "elicit", {
        action,
        ...(action === "accept" ? { content: { age: 1 } } : {}),
      });
      expect(answer.result).not.toHaveProperty("isError");
      expect(JSON.parse(textOf(answer))).toMatchObject({ action });
    }
  });

  row("ELIC-10", "forms that are not flat are refused before they are sent", async (revision) => {
    const nested = [
      { type: "object", properties: { a: { type: "object", properties: {} } } },
      { type: "object", properties: { a: { type: "array", items: { type: "object" } } } },
      { type: "object" },
      { type: "string" },
      { type: "object", properties: { a: { anyOf: [{ type: "string" }] } } },
    ];
    const { client } = await raw(
      revision,
      (server) => {
        for (const [index, requestedSchema] of nested.entries())
          server.tool(`nested${index}`, {}, async (_, { ask }) => {
            return (await ask.elicit("k", { message: "?", requestedSchema } as unknown as Form)).action;
          });
      },
      { elicitation: {} },
    );
    for (const index of nested.keys())
      expect((await client.call(`nested${index}`)).result).toMatchObject({ isError: true });
    expect(askedOf(client)).toEqual([]);
  });

  const use = { type: "tool_use", id: "1", name: "t", input: {} };
  const result = { type: "tool_result", toolUseId: "1", content: [] };
  const text = { type: "text", text: "" };
  const tools = [{ name: "t", inputSchema: { type: "object" } }];
  /** Tools that sample with these parameters. */
  const samplers =
    (params: readonly Members[]) =>
    (server: CodeFirstServer): void => {
      for (const [index, each] of params.entries())
        server.tool(`sample${index}`, {}, async (_, { ask }) => {
          await ask.sample("k", { ...sampling, ...each } as unknown as Parameters<Ask["sample"]>[1]);
          return "sampled";
        });
    };

  row("SAMP-02", "tools are not sent to a client that has not declared them", async (revision) => {
    const params = [{ tools }, { toolChoice: { mode: "auto" } }, {}];
    const without = await raw(revision, samplers(params), { sampling: {} });
    for (const index of [0, 1]) {
      const { result, error } = await without.client.call(`sample${index}`);
      expect(error?.code ?? result?.["isError"]).toBe(revision < "2026" ? true : -32021);
    }
    expect(askedOf(without.client)).toEqual([]);
    const declared = await raw(revision, samplers(params), { sampling: { tools: {} } });
    for (const index of params.keys())
      await answered(declared.client, `sample${index}`, { role: "assistant", model: "m", content: text });
    expect(askedOf(declared.client)).toHaveLength(3);
  });

  row("SAMP-03", "conversations whose tool uses and results do not match are not sent", async (revision) => {
    const wrong = [
      [{ role: "user", content: [result] }],
      [{ role: "assistant", content: [use] }],
      [
        { role: "assistant", content: [use] },
        { role: "user", content: [result, text] },
      ],
      [
        { role: "assistant", content: [use, { ...use, id: "2" }] },
        { role: "user", content: [result] },
      ],
      [
        { role: "assistant", content: use },
        { role: "user", content: text },
      ],
    ];
    const right = [
      { role: "assistant", content: [text, use] },
      { role: "user", content: [result] },
    ];
    const { client } = await raw(
      revision,
      samplers([...wrong, right].map((messages) => ({ messages, tools }))),
      {
        sampling: { tools: {} },
      },
    );
    for (const index of wrong.keys())
      expect((await client.call(`sample${index}`)).result).toMatchObject({ isError: true });
    expect(askedOf(client)).toEqual([]);
    await answered(client, `sample${wrong.length}`, { role: "assistant", model: "m", content: text });
    expect(askedOf(client)).toHaveLength(1);
  });

  test.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
    "the capability sampling includes the context of servers at revisions without a separate capability (%s)",
    async (revision) => {
      const { client } = await raw(revision, samplers([{ includeContext: "allServers" }]), { sampling: {} });
      await answered(client, "sample0", { role: "assistant", model: "m", content: text });
      expect(askedOf(client).map(({ params }) => params!["includeContext"] as unknown)).toEqual([
        "allServers",
      ]);
    },
  );

  row("SAMP-04", "context of servers is not asked for where that was not declared", async (revision) => {
    const params = [
      { includeContext: "thisServer" },
      { includeContext: "allServers" },
      { includeContext: "none" },
    ];
    const { client } = await raw(revision, samplers(params), { sampling: {} });
    for (const index of [0, 1])
      expect((await client.call(`sample${index}`)).result).toMatchObject({ isError: true });
    await answered(client, "sample2", { role: "assistant", model: "m", content: text });
    expect(askedOf(client).map(({ params: sent }) => sent!["includeContext"] as unknown)).toEqual(["none"]);
  });
});
