import type { MethodFacts } from "@mcpgen/protocol/model";
import type { Client, CodeFirstServer, ConnectOptions, ServerOptions } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { type MadeUp, madeUp } from "../support/made-tables.js";
import { clientOf, eras, routes, serverWith } from "../support/served.js";

// What a method needs that one of the sides has not declared: columns of the tables, and no names of methods.

const error = "MISSING_REQUIRED_CLIENT_CAPABILITY";
const path = ["experimental", "extras"];
const ofClient: MethodFacts = { capability: { of: "client", path } };
const ofServer: MethodFacts = { capability: { of: "server", path } };
const required: MethodFacts = { requires: { of: "client", path, error } };
const declaring = { capabilities: { experimental: { extras: {} } } } as object;

const event = "notifications/extras/event";

/** A server and its client, either of which declares the capability or not. */
async function pair(
  [wire, revision]: (typeof routes)[number],
  more: MadeUp,
  declared: { readonly server?: boolean; readonly client?: boolean },
  prepare: (server: CodeFirstServer) => void = () => {},
  clientTables: MadeUp = more,
): Promise<{ server: CodeFirstServer; client: Client }> {
  const server = serverWith({
    ...(declared.server ? declaring : {}),
    revisions: madeUp(more).server,
    // No released revision has the definitions that would judge what is sent.
    validation: { send: "off" },
  } as Partial<ServerOptions>);
  prepare(server);
  const client = await clientOf(server, wire, revision, {
    ...(declared.client ? declaring : {}),
    revisions: madeUp(clientTables).client,
    validation: { send: "off" },
  } as Partial<ConnectOptions>);
  return { server, client };
}

describe.each([
  ["capability", ofClient],
  ["requires", required],
])("a notification that needs a declaration of the client (%s)", (_, facts) => {
  const tables: MadeUp = { clientRequests: { "extras/do": {} }, serverNotifications: { [event]: facts } };

  test.each(routes)(
    "is sent to clients that have declared it, and to no other (%s, %s)",
    async (...route) => {
      const isApart = route[0] === "HTTP" && route[1] === "2025-11-25";
      for (const client of [false, true]) {
        const own = await pair(route, tables, { client }, (server) =>
          server.handle("extras/do", {}, (_params, context) => {
            context.notify(event, { by: "context" });
            // Over HTTP, what belongs to no request has another stream, whose order to this one is open.
            if (!isApart) context.session.notify(event, { by: "session" });
            return {};
          }),
        );
        const heard: unknown[] = [];
        own.client.on(event, ({ by }) => heard.push(by));
        await own.client.request("extras/do", {});
        const all = isApart ? ["context"] : ["context", "session"];
        expect(heard).toEqual(client ? all : []);
      }
    },
  );

  test("is not sent to a session either that the application notifies", async () => {
    for (const client of [false, true]) {
      const own = await pair(["memory", "2025-11-25"], tables, { client }, (server) =>
        server.handle("extras/do", {}, () => ({})),
      );
      const heard: unknown[] = [];
      own.client.on(event, (params) => heard.push(params));
      own.server.notify(event, {});
      // In memory, messages come in their order.
      await own.client.request("extras/do", {});
      expect(heard).toHaveLength(client ? 1 : 0);
    }
  });
});

test.each([
  ["capability", ofClient],
  ["requires", required],
])("a subscription to what the client has not declared (%s)", async (column, facts) => {
  const filter = "extrasChanged";
  const tables: MadeUp = { serverNotifications: { [event]: { ...facts, filter } } };
  const refused = await pair(["memory", "2026-07-28"], tables, {});
  const asked = { extrasChanged: true, tools: true };
  if (column === "requires")
    expect(await failureOf(refused.client.subscribe<typeof asked>(asked))).toMatchObject({ rpcCode: -32021 });
  else expect((await refused.client.subscribe<typeof asked>(asked)).honoured).not.toHaveProperty(filter);
  const { client } = await pair(["memory", "2026-07-28"], tables, { client: true });
  expect((await client.subscribe<typeof asked>(asked)).honoured).toHaveProperty(filter, true);
});

describe.each([
  ["capability", ofClient],
  ["requires", required],
])("a request of clients that needs their declaration (%s)", (_, facts) => {
  const tables: MadeUp = { clientRequests: { "extras/do": facts } };

  test.each(routes)("is refused before its handler runs (%s, %s)", async (...route) => {
    let ran = 0;
    const handled = (server: CodeFirstServer): void =>
      server.handle("extras/do", {}, () => {
        ran++;
        return {};
      });
    // A client whose tables do not say what it needs.
    const careless = await pair(route, tables, {}, handled, { clientRequests: { "extras/do": {} } });
    expect(await failureOf(careless.client.request("extras/do", {}))).toMatchObject(
      route[1] === "2026-07-28"
        ? { rpcCode: -32021, data: { requiredCapabilities: { experimental: { extras: {} } } } }
        : { rpcCode: -32601 },
    );
    const careful = await pair(route, tables, {}, handled);
    expect(await failureOf(careful.client.request("extras/do", {}))).toMatchObject({
      code: "missing-capability",
    });
    expect(ran).toBe(0);
    const { client } = await pair(route, tables, { client: true }, handled);
    await client.request("extras/do", {});
    expect(ran).toBe(1);
  });
});

test.each(eras)(
  "a request of the server that needs a declaration of the client is refused (%s)",
  async (revision) => {
    const payload = revision === "2026-07-28" ? { payload: true as const } : {};
    const result = { accepts: () => true };
    const tables: MadeUp = { serverRequests: { "extras/ask": { ...ofClient, ...payload, result } } };
    const asking = (server: CodeFirstServer): void =>
      void server.tool("ask", {}, async (_args, { ask }) =>
        JSON.stringify(await ask.all({ it: { method: "extras/ask" as never } })),
      );
    const refused = await pair(["memory", revision], tables, {}, asking);
    const outcome = refused.client.callTool("ask");
    if (revision === "2026-07-28") expect(await failureOf(outcome)).toMatchObject({ rpcCode: -32021 });
    else
      expect(await outcome).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("extras") as string }],
      });
    const { client } = await pair(["memory", revision], tables, { client: true }, asking);
    client.handle("extras/ask", () => ({ yes: true }));
    expect((await client.callTool("ask")).content).toEqual([{ type: "text", text: '{"it":{"yes":true}}' }]);
  },
);

test("a request of the server that a revision does not have is refused in the first round", async () => {
  const tables = madeUp({});
  for (const revision of eras) {
    const without = tables.server.map((each) => {
      const outgoingRequests = new Map(each.table.outgoingRequests);
      if (each.id === revision) outgoingRequests.delete("roots/list");
      return { ...each, table: { ...each.table, outgoingRequests } };
    });
    const server = serverWith({ revisions: without });
    server.tool("roots", {}, async (_args, { ask }) => JSON.stringify(await ask.roots("them")));
    const client = await clientOf(server, "memory", revision, { roots: [] });
    const outcome = await client.callTool("roots").catch((error: unknown) => error);
    expect(JSON.stringify(outcome) + String(outcome)).toMatch(
      revision === "2026-07-28" ? "tools/call cannot ask for roots/list" : `${revision} has no roots/list`,
    );
  }
});

describe.each(eras)("what a client sends at %s", (revision) => {
  const hint = "notifications/extras/hint";

  test.each([
    ["capability", ofServer],
    ["requires", { requires: { of: "server", path, error } } satisfies MethodFacts],
  ])("needs what the server has declared (%s)", async (_, facts) => {
    const tables: MadeUp = { clientNotifications: { [hint]: facts }, clientRequests: { "extras/do": facts } };
    const handled = (server: CodeFirstServer): void => server.handle("extras/do", {}, () => ({}));
    const { client } = await pair(["memory", revision], tables, {}, handled);
    for (const refused of [client.notify(hint, {}), client.request("extras/do", {})])
      expect(await failureOf(refused)).toMatchObject({
        code: "missing-capability",
        message: expect.stringContaining("the server has not declared experimental.extras") as string,
      });
    const able = await pair(["memory", revision], tables, { server: true }, handled);
    await able.client.notify(hint, {});
    expect(await able.client.request("extras/do", {})).toBeDefined();
  });
});

test("after lost changes, clients hear of each list that the tables have", async () => {
  const changed = "notifications/extras/list_changed";
  const capability = { of: "server", path: [...path, "listChanged"] } as const;
  const tables: MadeUp = { serverNotifications: { [changed]: { capability, filter: "extrasChanged" } } };
  let lose = (): void => {};
  const changes = {
    publish: () => {},
    subscribe: (_listener: unknown, onGap: () => void) => {
      lose = onGap;
      return () => {};
    },
  };
  const capabilities = { experimental: { extras: { listChanged: true } } } as object;
  const server = serverWith({ revisions: madeUp(tables).server, changes, capabilities });
  const client = await clientOf(server, "memory", "2026-07-28", { revisions: madeUp(tables).client });
  const asked = { extrasChanged: true };
  const heard = (await client.subscribe<typeof asked>(asked))[Symbol.asyncIterator]();
  lose();
  expect((await heard.next()).value).toMatchObject({ method: changed });
});
