import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { ExtensionTable } from "@mcpgen/protocol/model";
import { connect, createServer, memoryChannels, type ServerOptions } from "@mcpgen/runtime";
import { serverExtension } from "../../generated/extending.js";
import { failureOf } from "../support/failure-of.js";
import { type SearchTypes, id, searchClient, searchServer } from "./search-extension.js";

type Table = ExtensionTable<"server">;
type Used = NonNullable<ServerOptions["extensions"]>[number];

const handlers = { "search/query": () => ({ items: [] }) };
const search = searchServer.implement(handlers);

/** An extension with nothing but what a test gives it. */
function other(change: Partial<Table>, more: object = {}): Used {
  const [, table] = [...searchServer.bases][2]!;
  const none = new Map();
  const empty: Table = {
    ...table,
    incomingRequests: none,
    incomingNotifications: none,
    outgoingRequests: none,
    outgoingNotifications: none,
    errors: {},
    augments: none,
    declared: {},
  };
  return serverExtension<SearchTypes>({
    format: 1,
    id: "com.example/other",
    version: "2.0.0",
    role: "server",
    bases: new Map([["2026-07-28", { ...empty, ...change }]]),
    ...more,
  });
}

/** Why a server with these extensions is refused. */
function refusal(
  extensions: readonly unknown[],
  revisions = serverRevisions,
  options: Partial<ServerOptions> = {},
): unknown {
  try {
    createServer({ name: "s", version: "1" }, { revisions, extensions: extensions as Used[], ...options });
  } catch (error) {
    return error;
  }
  return undefined;
}

const result = { name: "X", accepts: () => true, key: "resultType" };

test("a server takes several extensions", () => {
  expect(refusal([search, other({})])).toBeUndefined();
  expect(refusal([])).toBeUndefined();
});

describe("a name has one owner", () => {
  const ours = "extension com.example/other 2.0.0";
  const theirs = `extension ${id} 1.0.0`;
  const base = "revision 2026-07-28";
  const selected = (filter: string) => new Map([["notifications/other", { filter }]]);

  test.each<[string, Partial<Table>, string]>([
    ["method", { outgoingRequests: new Map([["tools/call", {}]]) }, `method tools/call of ${base}`],
    [
      "method",
      { outgoingNotifications: new Map([["search/query", {}]]) },
      `method search/query of ${theirs}`,
    ],
    ["error", { errors: { HEADER_MISMATCH: { code: -1 } } }, `error HEADER_MISMATCH of ${base} (-32020)`],
    ["error", { errors: { SEARCH_BUSY: { code: -1 } } }, `error SEARCH_BUSY of ${theirs} (-31001)`],
    ["filter", { outgoingNotifications: selected("toolsListChanged") }, `filter toolsListChanged of ${base}`],
    ["filter", { outgoingNotifications: selected("searchTopics") }, `filter searchTopics of ${theirs}`],
    [
      "resultType",
      { augments: new Map([["prompts/get", [{ ...result, value: "input_required" }]]]) },
      `resultType input_required of ${base}`,
    ],
    [
      "resultType",
      { augments: new Map([["prompts/get", [{ ...result, value: "deferred" }]]]) },
      `resultType deferred of ${theirs}`,
    ],
  ])("%s", (_, change, first) => {
    expect(refusal([search, other(change)])).toMatchObject({
      code: "invalid-definition",
      message: expect.stringMatching(
        new RegExp(`^${first.replace(/[()]/g, "\\$&")} is one of ${ours}.* at 2026-07-28, too\\. Rename it`),
      ),
    });
  });

  test("a place of settings", () => {
    const path = ["extensions", id];
    expect(refusal([search, other({ declared: { server: { path } } })])).toMatchObject({
      code: "invalid-definition",
      message: `capability extensions.${id} of ${theirs} is one of ${ours} at 2026-07-28, too. Rename it, or use one of them.`,
    });
  });

  test("an error of a revision with sessions has a second code in an extension", () => {
    const errors = { METHOD_NOT_FOUND: { code: -31_404 } };
    const [, table] = [...other({ errors }).extension.bases][0]!;
    const bases = new Map([["2025-11-25", table as Table]]);
    expect(refusal([search, other({}, { bases })])).toBeUndefined();
    expect(refusal([other({}, { bases }), other({}, { bases, id: "com.example/third" })])).toBeUndefined();
  });

  test("an error of the same name and code is shared", () => {
    expect(refusal([search, other({ errors: { SEARCH_BUSY: { code: -31_001 } } })])).toBeUndefined();
  });
});

describe("an extension that a server cannot use", () => {
  const cases: readonly [string, () => unknown[], string][] = [
    ["is given twice", () => [search, search], `extension ${id}: it is given twice. Remove one.`],
    [
      "belongs to the other side",
      () => [searchClient],
      `extension ${id}: it is the one of a client. Import it from the module of a server.`,
    ],
    [
      "needs another",
      () => [other({}, { needs: { extensions: ["com.example/more"] } })],
      "extension com.example/other: it needs extension com.example/more. Add it.",
    ],
    [
      "has tables of another format",
      () => [other({}, { format: 2 })],
      "extension com.example/other: its tables have format 2; this code reads 1.",
    ],
    [
      "lacks a handler",
      () => [searchServer],
      `extension ${id}: there is no handler of search/query. Give implement one.`,
    ],
    [
      "lacks a handler that its settings ask for",
      () => [searchServer.implement(handlers, { settings: { purge: true } })],
      `extension ${id}: there is no handler of search/purge. Give implement one.`,
    ],
    [
      "has a handler of no method",
      () => [searchServer.implement({ ...handlers, "search/queries": () => ({}) } as never)],
      `extension ${id}: search/queries: there is no such request. There are search/purge, search/query.`,
    ],
    [
      "has a handler that is no function",
      () => [searchServer.implement({ "search/query": 7 } as never)],
      `extension ${id}: search/query: expected a function, got number.`,
    ],
    [
      "listens to no notification",
      () => [searchServer.implement(handlers, { on: { "notifications/search": () => {} } } as never)],
      `extension ${id}: notifications/search: there is no such notification. There are notifications/search/hint.`,
    ],
    [
      "runs around no request",
      () => [searchServer.implement(handlers, { around: { "tools/cal": (_, next) => next() } })],
      `extension ${id}: around tools/cal: there is no such request. There are `,
    ],
    [
      "has wrong settings",
      () => [searchServer.implement(handlers, { settings: { fuzzy: "very" } } as never)],
      `extension ${id}: settings: {"fuzzy":"very"} is no SearchServerSettings at 2025-06-18.`,
    ],
    [
      "declares nothing, and has settings",
      () => [{ ...other({}), settings: {} }],
      "extension com.example/other: a server declares nothing for it. Leave settings out.",
    ],
    [
      "has wrong cache hints",
      () => [searchServer.implement(handlers, { cache: { ttlMs: -1, cacheScope: "public" } })],
      `extension ${id}: cache: expected { ttlMs, cacheScope }: milliseconds from 0 on, and public or private; got {"ttlMs":-1,"cacheScope":"public"}.`,
    ],
    [
      "has cache hints for no result",
      () => [searchServer.implement(handlers, { cache: { ttlMs: 1, cacheScope: "public" } })],
      `extension ${id}: cache: none of its results has cache hints. Leave it out.`,
    ],
    [
      "has settings that are not JSON",
      () => [searchServer.implement(handlers, { settings: { fuzzy: true, limit: 1n } } as never)],
      `extension ${id}: settings: they are not JSON: `,
    ],
    [
      "has settings that are no object",
      () => [searchServer.implement(handlers, { settings: null } as never)],
      `extension ${id}: settings: expected an object, got null.`,
    ],
    [
      "has a misspelt option",
      () => [searchServer.implement(handlers, { setting: { fuzzy: true } } as never)],
      `extension ${id}: implement has no option setting. There are settings, on, around and cache.`,
    ],
    [
      "has no handlers at all",
      () => [searchServer.implement(undefined as never)],
      `extension ${id}: handlers: expected an object of functions by method, got undefined.`,
    ],
    [
      "has listeners that are no object",
      () => [searchServer.implement(handlers, { on: [] } as never)],
      `extension ${id}: on: expected an object of functions by method, got object.`,
    ],
    [
      "is none",
      () => [{}],
      "extensions: expected a list of extensions, each as its module exports it or as its function implement returns it, got [{}].",
    ],
  ];

  test.each([{ [id]: {} }, { [id]: { fuzzy: true }, "com.example/more": {} }])(
    "is also declared by the program itself: %j",
    (extensions) => {
      expect(refusal([search], serverRevisions, { capabilities: { extensions } })).toMatchObject({
        code: "invalid-definition",
        message: `extension ${id}: capabilities declares extensions.${id}, too. Give the settings to implement, and leave that out.`,
      });
    },
  );

  test.each([
    {},
    { extensions: {} },
    { extensions: { "com.example/more": {} } },
    { experimental: { [id]: {} } },
  ])("is not refused because of these capabilities of the program: %j", (capabilities) =>
    expect(refusal([search], serverRevisions, { capabilities })).toBeUndefined(),
  );

  test.each(cases)("%s", (_, extensions, message) => {
    expect(refusal(extensions())).toMatchObject({
      code: "invalid-definition",
      message: expect.stringContaining(message),
    });
  });

  test("does not support any of its revisions", () => {
    const old = serverRevisions.filter((revision) => revision.id === "2024-11-05");
    expect(refusal([search], old)).toMatchObject({
      code: "invalid-definition",
      message: `extension ${id}: it is made for 2025-06-18, 2025-11-25, 2026-07-28, and the revisions are 2024-11-05. Generate it for one of them, or leave it out.`,
    });
  });
});

test("a client refuses extensions in the same way", async () => {
  const refused = connect(memoryChannels()[0], {
    revisions: clientRevisions,
    extensions: [searchClient, searchClient],
  });
  expect(await failureOf(refused)).toMatchObject({
    code: "invalid-definition",
    message: `extension ${id}: it is given twice. Remove one.`,
  });
});

test("a client refuses an extension that it declares itself", async () => {
  const refused = connect(memoryChannels()[0], {
    revisions: clientRevisions,
    extensions: [searchClient.implement({ "search/consent": () => ({ granted: true }) })],
    capabilities: { extensions: { [id]: {} } },
  });
  expect(await failureOf(refused)).toMatchObject({
    code: "invalid-definition",
    message: `extension ${id}: capabilities declares extensions.${id}, too. Give the settings to implement, and leave that out.`,
  });
});

describe("two extensions with the same methods, at different revisions", () => {
  /** One of the bases alone, with handlers that say which. */
  const at = (base: string, heard: string[]) =>
    serverExtension<SearchTypes>({
      format: 1,
      id: `com.example/of-${base}`,
      version: "1.0.0",
      role: "server",
      bases: new Map([[base, searchServer.bases.get(base)!]]),
    }).implement(
      { "search/query": () => ({ items: [base] }) },
      { on: { "notifications/search/hint": () => void heard.push(base) } },
    );

  test.each(["2025-11-25", "2026-07-28"])("each answers at its own revision: %s", async (revision) => {
    const heard: string[] = [];
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: serverRevisions, extensions: [at("2025-11-25", heard), at("2026-07-28", heard)] },
    );
    const [ours, theirs] = memoryChannels();
    server.connect(theirs);
    const extensions = [searchClient.implement({ "search/consent": () => ({ granted: true }) })];
    const client = await connect(ours, { revisions: clientRevisions, revision, extensions });
    await client.notify("notifications/search/hint", { words: ["x"] });
    expect(await client.request("search/query", { query: "x" })).toMatchObject({ items: [revision] });
    expect(heard).toEqual([revision]);
    await client.close();
  });
});
