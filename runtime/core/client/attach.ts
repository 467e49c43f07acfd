import type { MethodFacts } from "@mcpgen/protocol/model";
import { McpError } from "../jsonrpc/errors.js";
import { unbounded } from "./bounds.js";
import type { Client } from "./client.js";
import type { Connection } from "./connections.js";
import type { Link } from "./link.js";
import {
  type Attachment,
  type ChangeNotice,
  type ListKind,
  type SubscriptionRequest,
  listKinds,
} from "./subscriptions.js";
import { isGranted } from "../protocol/revision-view.js";
import { metaKeys } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { exactParams } from "../protocol/send-check.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import { invalidResult, remoteError } from "./decode.js";
import { type Hooked, exchangeThrough } from "./middleware.js";
import { mirrorHeaders } from "./mirrored-headers.js";

/** The number of subscriptions of a connection per URI. The server knows one subscription per URI. */
const watchers = new WeakMap<Link, Map<string, number>>();

/** Adds or removes one subscription of a URI. Returns the number of subscriptions. */
function count(link: Link, uri: string, change: 1 | -1): number {
  const counts = watchers.get(link) ?? new Map<string, number>();
  watchers.set(link, counts);
  const now = (counts.get(uri) ?? 0) + change;
  counts.set(uri, now);
  return now;
}

/**
 * Subscribes in the legacy era: one `resources/subscribe` per URI. Servers send `list_changed` notifications without a
 * subscription.
 */
export async function attachLegacy(
  client: Client,
  { link, negotiated }: Connection,
  wanted: SubscriptionRequest,
  push: (notice: ChangeNotice) => void,
): Promise<Attachment> {
  const { view, capabilities } = negotiated;
  const offered = (entry: MethodFacts | undefined): boolean =>
    entry !== undefined && isGranted(entry, "server", capabilities);
  const { incomingNotifications, outgoingRequests } = view.table;
  const kinds = listKinds.filter(
    (kind) => wanted[kind] && offered(incomingNotifications.get(`notifications/${kind}/list_changed`)),
  );
  const uris = offered(outgoingRequests.get("resources/subscribe")) ? (wanted.uris ?? []) : [];
  const watched: string[] = [];
  let settle: (why: McpError | undefined) => void = () => {};
  const over = new Promise<McpError | undefined>((resolve) => (settle = resolve));
  const off = forward(client, kinds, uris, push);
  const forget = link.whenClosed((why) => {
    off();
    settle(why);
  });
  const detach = async (): Promise<void> => {
    off();
    forget();
    settle(undefined);
    if (!outgoingRequests.has("resources/unsubscribe")) return;
    // After the connection has closed, the server has no subscription left to cancel.
    while (watched.length > 0 && !link.over) {
      const uri = watched.pop()!;
      if (count(link, uri, -1) === 0) await client.request("resources/unsubscribe", { uri });
    }
  };
  try {
    for (const uri of uris) {
      await client.request("resources/subscribe", { uri });
      count(link, uri, 1);
      watched.push(uri);
    }
    if (link.over) throw link.over;
  } catch (error) {
    await detach().catch(() => undefined);
    throw error;
  }
  const honoured = {
    ...Object.fromEntries(kinds.map((kind) => [kind, true])),
    ...(uris.length > 0 ? { uris } : {}),
  };
  return { honoured, possible: possible(honoured), over, detach };
}

/** Passes notifications on to `push`. Returns the function that stops this. */
function forward(
  client: Client,
  kinds: readonly ListKind[],
  uris: readonly string[],
  push: (notice: ChangeNotice) => void,
): () => void {
  const watched = new Set(uris);
  const offs = kinds.map((kind) =>
    client.on(`notifications/${kind}/list_changed`, (_, method) => push({ method })),
  );
  offs.push(
    client.on("notifications/resources/updated", ({ uri }, method) => {
      if (watched.has(uri as string)) push({ method, uri: uri as string });
    }),
  );
  return () => offs.forEach((off) => off());
}

/** The member of a request that asks for each notification of the protocol. */
const memberOf: { readonly [method: string]: keyof SubscriptionRequest } = {
  "notifications/tools/list_changed": "tools",
  "notifications/prompts/list_changed": "prompts",
  "notifications/resources/list_changed": "resources",
  "notifications/resources/updated": "uris",
};

/** Who subscribes. */
interface Subscriber {
  readonly client: Client;
  /** The middleware of the client. */
  readonly hooked: Hooked;
  /** Adds the `_meta` of the revision. */
  readonly withMeta: (params: Params) => Params;
}

/**
 * Subscribes in the modern era: one `subscriptions/listen`, whose answer ends the subscription (2026-07-28,
 * subscriptions).
 *
 */
export async function attachModern(
  { client, hooked, withMeta }: Subscriber,
  { link, negotiated: { view } }: Connection,
  wanted: SubscriptionRequest,
  push: (notice: ChangeNotice) => void,
): Promise<Attachment> {
  const ended = new AbortController();
  let acknowledge: (filter: Params) => void = () => {};
  const acknowledged = new Promise<Params>((resolve) => (acknowledge = resolve));
  let own: number | undefined;
  const off = client.on("*", (params, method) => {
    if (params._meta?.[metaKeys.subscriptionId] !== own) return;
    if (method !== "notifications/subscriptions/acknowledged") return push(noticeOf(method, params));
    const filter = params["notifications"];
    acknowledge(isObject(filter) ? filter : {});
  });
  const { signal } = ended;
  const listen = "subscriptions/listen";
  const sent = { method: listen, params: { notifications: filterOf(wanted as Params, view) }, signal };
  const answer = exchangeThrough(hooked, view, sent, (given, context) =>
    link.request(
      listen,
      (id) => {
        own = id;
        return exactParams(view, id, listen, withMeta(view.lower("outgoingRequests", listen, given)));
      },
      { ...unbounded, signal },
      { headers: (method, params) => mirrorHeaders(view, method, params), sent: context },
    ),
  );
  const over = answer.then(
    (response) => (response.error ? remoteError(listen, response) : undefined),
    (error: Error) => {
      const reason: unknown = ended.signal.aborted ? ended.signal.reason : error;
      return reason instanceof McpError ? reason : undefined;
    },
  );
  void over.then(off);
  const timer = link.clock.schedule(() => ended.abort(unacknowledged(link)), link.timeouts.timeout);
  const first = await Promise.race([acknowledged, over.then(() => undefined)]);
  link.clock.clear(timer);
  if (first === undefined)
    throw (await over) ?? invalidResult(listen, "the server ended the subscription without acknowledging it");
  const detach = async (): Promise<void> => {
    ended.abort();
    await over;
  };
  const honoured = requestOf(first, view);
  return { honoured, possible: possible(honoured, view), over, detach };
}

function unacknowledged({ timeouts: { timeout } }: Link): McpError {
  return new McpError("timeout", `subscriptions/listen: no acknowledgement for ${timeout} ms`, {
    data: { timer: "timeout", limit: timeout, elapsed: timeout },
  });
}

/** A notification that a subscription may select (2026-07-28, subscriptions). */
interface Selectable {
  readonly method: string;
  /** The member of a request that asks for it; of an extension, that of the filter. */
  readonly asked: string;
  readonly filter: string;
  readonly filterKey: string | undefined;
}

function selectable({ table }: RevisionView<"client">): Selectable[] {
  return [...table.incomingNotifications].flatMap(([method, { filter, filterKey }]) =>
    filter === undefined ? [] : [{ method, asked: memberOf[method] ?? filter, filter, filterKey }],
  );
}

/** The members of requests that extensions add to those of `SubscriptionRequest`. */
export function addedMembers(views: readonly RevisionView<"client">[]): string[] {
  return views.flatMap((view) =>
    selectable(view).flatMap(({ method, asked }) => (Object.hasOwn(memberOf, method) ? [] : [asked])),
  );
}

function filterOf(wanted: Params, view: RevisionView<"client">): Params {
  const members = selectable(view).filter(({ asked }) => wanted[asked]);
  return Object.fromEntries(members.map(({ asked, filter }) => [filter, wanted[asked]]));
}

function requestOf(given: Params, view: RevisionView<"client">): SubscriptionRequest {
  const members = selectable(view).filter(({ filter, filterKey }) =>
    filterKey === undefined ? given[filter] === true : Array.isArray(given[filter]),
  );
  return Object.fromEntries(members.map(({ asked, filter }) => [asked, given[filter]]));
}

/** A notice for each thing that may have changed while the connection was lost. */
function possible(honoured: SubscriptionRequest, view?: RevisionView<"client">): ChangeNotice[] {
  const lists = listKinds.filter((kind) => honoured[kind]);
  const added = view ? selectable(view).filter(({ method }) => !Object.hasOwn(memberOf, method)) : [];
  return [
    ...lists.map((kind) => ({ method: `notifications/${kind}/list_changed` })),
    ...(honoured.uris ?? []).map((uri) => ({ method: "notifications/resources/updated", uri })),
    ...added.flatMap(({ method, asked, filterKey }): ChangeNotice[] => {
      const value = (honoured as Params)[asked];
      if (filterKey === undefined) return value === true ? [{ method }] : [];
      return ((value ?? []) as unknown[]).map((key) => ({ method, params: { [filterKey]: key } }));
    }),
  ];
}

function noticeOf(method: string, params: Params): ChangeNotice {
  if (!Object.hasOwn(memberOf, method)) return { method, params };
  return isObject(params) && typeof params["uri"] === "string" ? { method, uri: params["uri"] } : { method };
}
