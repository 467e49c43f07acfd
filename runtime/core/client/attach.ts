import { McpError } from "../jsonrpc/errors.js";
import { unbounded } from "./bounds.js";
import type { Connection } from "./connections.js";
import type { Link } from "./link.js";
import { type Attachment, type ChangeNotice, type SubscriptionRequest, listKinds } from "./subscriptions.js";
import { metaKeys } from "../protocol/meta.js";
import { type RevisionView, exactParams } from "../protocol/revision-view.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import { invalidResult, remoteError } from "./decode.js";
import { type Hooked, type NotificationListener, exchangeThrough } from "./middleware.js";
import { mirrorHeaders } from "./mirrored-headers.js";

/** What a subscription needs of its client. */
export interface Notified {
  on(method: string, listener: NotificationListener): () => void;
  request(method: string, params: object): Promise<unknown>;
}

/**
 * Subscribes in the legacy era; `runtime/core/legacy/client` has it.
 *
 * @param push gets the notices
 */
export type LegacyAttach = (
  client: Notified,
  connection: Connection,
  wanted: SubscriptionRequest,
  push: (notice: ChangeNotice) => void,
) => Promise<Attachment>;

/** The member of a request that asks for each notification of the protocol. */
const memberOf: { readonly [method: string]: keyof SubscriptionRequest } = {
  "notifications/tools/list_changed": "tools",
  "notifications/prompts/list_changed": "prompts",
  "notifications/resources/list_changed": "resources",
  "notifications/resources/updated": "uris",
};

/** Who subscribes. */
interface Subscriber {
  readonly client: Notified;
  /** The middleware of the client. */
  readonly hooked: Hooked;
  /** Adds the `_meta` of the revision. */
  readonly withMeta: (params: Params) => Params;
}

/**
 * Subscribes in the modern era: one `subscriptions/listen`, whose answer ends the subscription (2026-07-28,
 * subscriptions).
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
export function possible(honoured: SubscriptionRequest, view?: RevisionView<"client">): ChangeNotice[] {
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
