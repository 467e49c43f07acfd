import { readFileSync } from "node:fs";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { Client, CodeFirstServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { serve } from "../support/http-adapters.js";
import { Party } from "../support/raw-http-client.js";
import { type Members, type Wired, raw, served } from "../support/raw-stdio-client.js";
import { connected } from "../support/scripted-stdio-server.js";
import { revisions } from "../support/revisions.js";
import { asked, transports as clientTransports } from "./client/asked.js";

// The handler and the listener for `*` get messages that no revision defines, and those of the revision in use.

type Table = { readonly has: (method: string) => boolean; readonly keys: () => Iterable<string> };

/** The methods of all revisions, and for each revision those that it has. */
function methodsOf(tables: readonly (readonly [string, Table])[]): {
  readonly all: readonly string[];
  readonly owned: (revision: string, method: string) => boolean;
} {
  const found = new Set(tables.flatMap(([, table]) => [...table.keys()]));
  // The client of this test reads no wrong result of `initialize`: it comes last.
  const isLast = found.delete("initialize");
  const all = [...[...found].sort(), ...(isLast ? ["initialize"] : [])];
  const byId = new Map(tables);
  return { all, owned: (revision, method) => byId.get(revision)!.has(method) };
}

const serverKnown = serverRevisions;
const clientKnown = clientRevisions;
const requests = methodsOf(
  serverKnown.map(({ id, table }) => [
    id,
    // Requests that only come inside of results are no requests of clients.
    new Map([...table.incomingRequests].filter(([, entry]) => !entry.payload)),
  ]),
);
const notifications = methodsOf(serverKnown.map(({ id, table }) => [id, table.incomingNotifications]));
const questions = methodsOf(clientKnown.map(({ id, table }) => [id, table.incomingRequests]));
const notices = methodsOf(clientKnown.map(({ id, table }) => [id, table.incomingNotifications]));

/** Valid parameters of a method, of the newest revision that has it. */
const examples = new Map<string, Members>();
for (const revision of revisions) {
  const file = new URL(`../../generated/${revision}/vectors.json`, import.meta.url);
  const { vectors } = JSON.parse(readFileSync(file, "utf8")) as {
    vectors: readonly { method?: string; valid: boolean; message?: Wired }[];
  };
  const found = new Set<string>();
  for (const { method, valid, message } of vectors)
    if (method !== undefined && valid && message?.method === method && !found.has(method)) {
      found.add(method);
      const { _meta: _, ...params } = (message.params ?? {}) as Members;
      examples.set(method, params);
    }
}

/** The handlers of the runtime answer these. */
const builtIn = new Set([
  ...["initialize", "ping", "logging/setLevel", "server/discover"],
  ...["subscriptions/listen", "resources/subscribe", "resources/unsubscribe"],
]);

interface Sender {
  request(method: string, params?: Members): Promise<Wired>;
  notify(method: string, params?: Members): Promise<void> | void;
}

type Connect = (revision: string, define: (server: CodeFirstServer) => void) => Promise<Sender>;

function http(adapter: "node" | "fetch", sessions: boolean): Connect {
  return async (revision, define) => {
    const { url } = await serve(adapter, served(define).server, { sessions });
    const party = await new Party(url, revision).open();
    return {
      request: (method, params) => party.request(method, params),
      notify: async (method, params = {}) => {
        expect((await party.post({ jsonrpc: "2.0", method, params })).status).toBe(202);
      },
    };
  };
}

const transports: Readonly<Record<string, Connect>> = {
  stdio: async (revision, define) => (await raw(revision, define)).client,
  "HTTP (node)": http("node", true),
  "HTTP (fetch)": http("fetch", true),
  "HTTP without sessions": http("node", false),
};

describe.each(Object.entries(transports))("a server over %s", (name, connect) => {
  const served = name === "stdio" ? revisions : revisions.slice(1);

  test.each(served)("at %s, a fallback handler gets no request of another revision", async (revision) => {
    const got: string[] = [];
    const client = await connect(revision, (server) =>
      server.handle("*", (_params, { method }) => {
        got.push(method);
        return {};
      }),
    );
    for (const method of requests.all) {
      if (builtIn.has(method) && requests.owned(revision, method)) continue;
      const { error } = await client.request(method, examples.get(method));
      if (requests.owned(revision, method))
        expect([method, error]).not.toMatchObject([method, { code: -32601 }]);
      else expect([method, error]).toMatchObject([method, { code: -32601 }]);
    }
    expect((await client.request("acme/any")).error).toBeUndefined();
    const expected = requests.all.filter((each) => requests.owned(revision, each) && !builtIn.has(each));
    expect(got).toEqual([...expected, "acme/any"]);
  });

  test.each(served)(
    "at %s, a fallback listener gets no notification of another revision",
    async (revision) => {
      const got: string[] = [];
      const client = await connect(revision, (server) => {
        server.handle("acme/any", {}, () => ({}));
        server.on("*", (_params, { method }) => void got.push(method));
      });
      await client.request("acme/any");
      got.length = 0;
      for (const method of notifications.all)
        if (!/cancelled|progress$/.test(method)) await client.notify(method, examples.get(method));
      await client.notify("notifications/acme/any");
      await client.request("acme/any");
      const expected = notifications.all.filter(
        (each) => notifications.owned(revision, each) && !/cancelled|progress$/.test(each),
      );
      expect(got).toEqual([...expected, "notifications/acme/any"]);
    },
  );
});

test("a request of the modern era on a connection with a session is judged by its own revision", async () => {
  const got: string[] = [];
  const { client } = await raw("2025-11-25", (server) =>
    server.handle("*", (_params, { method, revision }) => {
      got.push(`${method} ${revision}`);
      return {};
    }),
  );
  client.revision = "2026-07-28";
  for (const method of ["logging/setLevel", "ping", "resources/subscribe", "initialize"])
    expect((await client.request(method, examples.get(method))).error).toMatchObject({ code: -32601 });
  await client.request("acme/any");
  client.revision = "2025-11-25";
  expect((await client.request("server/discover", {})).error).toMatchObject({ code: -32601 });
  expect(got).toEqual(["acme/any 2026-07-28"]);
});

describe.each(clientTransports)("a client over %s", (transport) => {
  const used = transport === "stdio" ? revisions : revisions.slice(1);

  test.each(used)("at %s, a fallback handler gets no question of another revision", async (revision) => {
    const got: string[] = [];
    const wanted = ["acme/any", ...questions.all].filter((method) => method !== "ping");
    const options = {
      prepare: (client: Client) =>
        void client.handle("*", (_params, { method }) => {
          got.push(method);
          return { action: "decline" };
        }),
    };
    for (const method of wanted) {
      const params = examples.get(method) ?? {};
      const { answers, failure } = await asked(revision, transport, [{ method, params }], options);
      if (method === "acme/any")
        expect([answers, failure]).toMatchObject([[{ result: { action: "decline" } }], undefined]);
      else if (revision < "2026" && !questions.owned(revision, method))
        expect([method, answers]).toMatchObject([method, [{ error: { code: -32601 } }]]);
    }
    expect(got.filter((method) => !questions.owned(revision, method))).toEqual(["acme/any"]);
  });
});

test.each(revisions)(
  "at %s, the listeners of a client get no notification of another revision",
  async (revision) => {
    const got: string[] = [];
    const { client, peer } = await connected(revision);
    client.on("*", (_params, method) => void got.push(method));
    const sent = notices.all.filter((method) => !/cancelled|progress$/.test(method));
    for (const method of sent) client.on(method, (_params, own) => void got.push(`own ${own}`));
    for (const method of [...sent, "notifications/acme/any"]) peer.notify(method, examples.get(method));
    // Answered after the notifications were read.
    await client.callTool("t").catch(() => undefined);
    const owned = sent.filter((method) => notices.owned(revision, method));
    expect(got).toEqual([...owned.flatMap((method) => [`own ${method}`, method]), "notifications/acme/any"]);
  },
);
