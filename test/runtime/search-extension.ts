import type {
  AddedResult,
  ExtensionTable,
  IncomingRequest,
  OutgoingRequest,
  Requirement,
  Role,
} from "@mcpgen/protocol/model";
import {
  type ClientExtension,
  type ServerExtension,
  clientExtension,
  serverExtension,
} from "../../generated/extending.js";

/** The params and results of the extension, in the form of a generated module. */
export interface SearchTypes {
  readonly clientRequests: {
    "search/query": {
      params: { query: string; cursor?: string };
      result: { items: string[]; nextCursor?: string };
    };
    "search/purge": { params: { topic: string } | undefined; result: object };
  };
  readonly serverRequests: {
    "search/consent": { params: { reason: string }; result: { granted: boolean } };
  };
  readonly clientNotifications: { "notifications/search/hint": { params: { words: string[] } } };
  readonly serverNotifications: { "notifications/search/changed": { params: { topic: string } } };
  readonly clientSettings: { languages?: string[] };
  readonly serverSettings: { fuzzy?: boolean; purge?: boolean };
  readonly optional: "search/purge";
}

export const id = "com.example/search";

const path = ["extensions", id];

const requires: Requirement = { of: "client", path, error: "MISSING_REQUIRED_CLIENT_CAPABILITY" };

type Members = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;

/** A definition of an object, with the checks of some members. */
function definition(name: string, members: { readonly [key: string]: (value: unknown) => boolean }) {
  const accepts = (value: unknown): boolean =>
    isObject(value) && Object.entries(members).every(([key, check]) => check(value[key]));
  return { name, accepts, is: accepts };
}

const string = (value: unknown): boolean => typeof value === "string";
const optional =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || check(value);
const list =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(check);
const boolean = (value: unknown): boolean => typeof value === "boolean";

/** A message: params with these members. */
const message = (name: string, members: Parameters<typeof definition>[1]) =>
  definition(name, { params: (params) => definition("", members).is(params ?? {}) });

const query = message("SearchQueryRequest", { query: string, cursor: optional(string) });
const queryResult = definition("SearchQueryResult", { items: list(string) });
const purge = message("SearchPurgeRequest", { topic: optional(string) });
const consent = message("SearchConsentRequest", { reason: string });
const consentResult = definition("SearchConsentResult", { granted: boolean });
const hint = message("SearchHintNotification", { words: list(string) });
const changed = message("SearchChangedNotification", { topic: string });
const deferred = definition("DeferredResult", { ticket: string });
const empty = definition("EmptyResult", {});

const settingsOf = {
  client: definition("SearchClientSettings", { languages: optional(list(string)) }),
  server: definition("SearchServerSettings", { fuzzy: optional(boolean), purge: optional(boolean) }),
};

const offered = { of: "server", path } as const;
const purging = { of: "server", path: [...path, "purge"] } as const;

/** The table of one base. @param isModern whether results have a type, and subscriptions a filter */
function table<R extends Role>(role: R, isModern: boolean): ExtensionTable<R> {
  const headers = isModern ? { headers: [{ header: "Mcp-Name", from: ["params", "query"] }] } : {};
  const payload = isModern ? ({ payload: true } as const) : {};
  const filter = isModern ? { filter: "searchTopics", filterKey: "topic" } : {};
  const requests: [string, IncomingRequest & OutgoingRequest][] = [
    ["search/query", { ...query, capability: offered, requires, ...headers, multiRoundTrip: true }],
    ["search/purge", { ...purge, capability: purging, requires }],
  ];
  const asking = { ...definition("InputRequiredResult", {}), key: "resultType", value: "input_required" };
  const results: { readonly [method: string]: OutgoingRequest } = {
    "search/query": {
      result: queryResult,
      ...(isModern ? { alternatives: [asking] } : {}),
      page: { member: "items", ...definition("Item", {}), accepts: string },
    },
    "search/purge": { result: empty },
  };
  const fromServer = new Map([["search/consent", { ...consent, ...payload, capability: clientHas }]]);
  const notified = new Map([
    ["notifications/search/changed", { ...changed, capability: offered, requires, ...filter }],
  ]);
  const hints = new Map([["notifications/search/hint", { ...hint, capability: offered }]]);
  const asked = new Map([
    ["search/consent", { ...fromServer.get("search/consent")!, result: consentResult }],
  ]);
  const added: AddedResult = isModern
    ? { ...deferred, key: "resultType", value: "deferred", requires }
    : { ...deferred, key: "ticket", requires };
  const isClient = role === "client";
  return {
    role,
    incomingRequests: isClient ? fromServer : new Map(requests),
    incomingNotifications: isClient ? notified : hints,
    outgoingRequests: isClient
      ? new Map(requests.map(([method, entry]) => [method, { ...entry, ...results[method] }]))
      : asked,
    outgoingNotifications: isClient ? hints : notified,
    errors: { SEARCH_BUSY: { code: -31_001, http: 503 } },
    augments: new Map([["tools/call", [added]]]),
    declared: {
      client: { path, settings: settingsOf.client },
      server: { path, settings: settingsOf.server },
    },
    members: [],
  };
}

const clientHas = { of: "client", path } as const;

const bases = { "2025-06-18": false, "2025-11-25": false, "2026-07-28": true };

function extension<R extends Role>(role: R) {
  const tables = Object.entries(bases).map(([base, isModern]) => [base, table(role, isModern)] as const);
  return { format: 1, id, version: "1.0.0", role, bases: new Map(tables) } as const;
}

/** An extension with every feature, handwritten in the form of a generated one. */
export const searchServer: ServerExtension<SearchTypes> = serverExtension(extension("server"));
export const searchClient: ClientExtension<SearchTypes> = clientExtension(extension("client"));
