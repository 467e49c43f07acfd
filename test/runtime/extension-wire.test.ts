import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServerOptions } from "@mcpgen/runtime";
import { Party, messagesOf } from "../support/raw-http-client.js";
import { type Members, metaOf, raw } from "../support/raw-stdio-client.js";
import { clientOf, serverWith, sourceOf } from "../support/served.js";
import { id, searchClient, searchServer } from "./search-extension.js";
import { cases } from "../support/cases.mjs";

const search = searchServer.implement(
  { "search/query": ({ query }) => ({ items: [query] }) },
  { settings: { fuzzy: true } },
);
const consenting = searchClient.implement({ "search/consent": () => ({ granted: true }) });
const capabilities = { extensions: { [id]: {} } };
const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [id]: {} } } } };

describe("over HTTP at 2026-07-28", () => {
  const party = async (declared: Members = capabilities) =>
    new Party(
      (await sourceOf(serverWith({ extensions: [search] }), "HTTP")) as string,
      "2026-07-28",
      {},
      declared,
    );

  test("a header that the extension names repeats a param", async () => {
    const client = await party();
    const ask = (name: string) =>
      client.post(client.message("search/query", { query: "cats" }), { "mcp-name": name });
    expect((await ask("cats")).status).toBe(200);
    const refused = await ask("dogs");
    await refused.whole();
    expect(refused.status).toBe(400);
    expect(messagesOf(refused)).toMatchObject([{ error: { code: -32020 } }]);
  });

  test("the client sends that header", async () => {
    const sent: Headers[] = [];
    const server = serverWith({ extensions: [search] });
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return globalThis.fetch(input, init);
    };
    const client = await clientOf(server, "HTTP", "2026-07-28", {
      extensions: [consenting],
      http: { fetch },
    });
    await client.request("search/query", { query: "cats" });
    expect(sent.at(-1)!.get("mcp-name")).toBe("cats");
  });

  test("a client without the extension gets status 400, even for wrong params", async () => {
    const client = await party({});
    const answer = await client.post(client.message("search/query", { query: 7 }), { "mcp-name": "7" });
    await answer.whole();
    expect(answer.status).toBe(400);
    expect(messagesOf(answer)).toMatchObject([{ error: missing }]);
  });
});

describe("over stdio", () => {
  test("a request that does not declare the extension is refused, whatever others declared", async () => {
    const { client } = await raw("2026-07-28", () => {}, capabilities, { extensions: [search] });
    expect((await client.request("search/query", { query: "cats" })).result).toMatchObject({
      items: ["cats"],
    });
    client.capabilities = {};
    expect((await client.request("search/query", {})).error).toMatchObject(missing);
    const undeclared = { notifications: { searchTopics: ["cats"] } };
    expect((await client.request("subscriptions/listen", undeclared)).error).toMatchObject(missing);
  });

  test("a filter of another type is refused", async () => {
    const { client } = await raw("2026-07-28", () => {}, capabilities, { extensions: [search] });
    for (const searchTopics of ["cats", true, 7, { 0: "cats", length: 1 }])
      expect(
        (await client.request("subscriptions/listen", { notifications: { searchTopics } })).error,
      ).toMatchObject({ code: -32602, message: "searchTopics: expected a list" });
    client.start("subscriptions/listen", { notifications: { searchTopics: ["cats"] } });
    const { params } = await client.next("notifications/subscriptions/acknowledged");
    expect(params!["notifications"]).toEqual({ searchTopics: ["cats"] });
  });

  test.each(["2024-11-05", "2025-11-25"])("at %s the method does not exist", async (revision) => {
    const { client } = await raw(revision, () => {}, {}, { extensions: [search] });
    expect((await client.request("search/query", {})).error).toMatchObject({ code: -32601 });
  });

  test("each revision declares its settings", async () => {
    const declaredAt = async (revision: string) => {
      const { client } = await raw(revision, () => {}, {}, { extensions: [search] });
      const { result } = client.isModern ? await client.request("server/discover", {}) : client.received[0]!;
      return (result!["capabilities"] as Members)["extensions"];
    };
    expect(await declaredAt("2025-03-26")).toBeUndefined();
    expect(await declaredAt("2025-11-25")).toEqual({ [id]: { fuzzy: true } });
    expect(await declaredAt("2026-07-28")).toEqual({ [id]: { fuzzy: true } });
  });
});

/** Messages as clients may send them: right, wrong and unknown ones. */
const messages = fc.array(
  fc.oneof(
    fc.record({
      method: fc.constant("tools/call"),
      params: fc.record({
        name: fc.constantFrom("echo", "gone"),
        arguments: fc.dictionary(fc.string(), fc.jsonValue()),
      }),
    }),
    fc.record({
      method: fc.constantFrom(
        "tools/list",
        "prompts/list",
        "ping",
        "completion/complete",
        "acme/none",
        "resources/read",
      ),
      params: fc.dictionary(fc.constantFrom("cursor", "name", "uri"), fc.jsonValue()),
    }),
  ),
  { minLength: 1, maxLength: 12 },
);

test.each(["2025-06-18", "2025-11-25", "2026-07-28"])(
  "at %s plain traffic has the same bytes with an extension that no client uses",
  async (revision) => {
    const linesOf = async (sent: readonly Members[], options: Partial<ServerOptions>): Promise<string[]> => {
      const { client } = await raw(
        revision,
        (server) => server.tool("echo", {}, (args) => JSON.stringify(args)),
        {},
        options,
      );
      const opened = client.lines.length;
      const ids = sent.map(({ method, params }) => {
        const _meta = client.isModern ? { _meta: metaOf({}) } : {};
        return client.start(method as string, { ...(params as Members), ..._meta });
      });
      for (const each of ids) await client.answer(each);
      return client.lines.slice(opened);
    };
    await fc.assert(
      fc.asyncProperty(messages, async (sent) => {
        expect(await linesOf(sent, { extensions: [search] })).toEqual(await linesOf(sent, {}));
      }),
      { numRuns: cases(100, 8) },
    );
  },
);
