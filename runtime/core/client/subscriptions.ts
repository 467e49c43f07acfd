import { metaKeys } from "../era/meta.js";
import type { Spoken } from "../era/spoken.js";
import { McpError } from "../peer/errors.js";
import { type Params, type ResponseMessage, isObject } from "../peer/message.js";
import type { Agreement } from "./agreement.js";
import type { Client } from "./client.js";
import type { Link } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { NoticeQueue } from "./notice-queue.js";
import { remoteError } from "./remote-error.js";

/** What to hear of. */
export interface SubscriptionRequest {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  /** The list of resources. */
  readonly resources?: boolean;
  /** URIs of resources whose contents to watch. */
  readonly uris?: readonly string[];
}

/** Something that changed. */
export interface ChangeNotice {
  /** Notification that told of it. */
  readonly method: string;
  readonly uri?: string;
}

/**
 * Changes as they come. Ends when the server ends it in order, and when a reader leaves off (`break` in
 * `for await`); fails when the connection breaks.
 */
export interface Subscription extends AsyncIterable<ChangeNotice> {
  /** The part of what was wanted that the server tells of. */
  readonly honoured: SubscriptionRequest;
  close(): Promise<void>;
}

const listChanged = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;

type Kind = keyof typeof listChanged;

/** @internal */
export async function subscribe(
  client: Client,
  link: Link,
  agreement: Agreement,
  decorate: (params: Params) => Params,
  wanted: SubscriptionRequest,
): Promise<Subscription> {
  return agreement.spoken.table.outgoingRequests.has("subscriptions/listen")
    ? listen(client, link, agreement.spoken, decorate, wanted)
    : watch(client, link, agreement, wanted);
}

/** 2026-07-28: a request whose answer ends the subscription. */
async function listen(
  client: Client,
  link: Link,
  spoken: Spoken<"client">,
  decorate: (params: Params) => Params,
  wanted: SubscriptionRequest,
): Promise<Subscription> {
  const queue = new NoticeQueue();
  const ended = new AbortController();
  let acknowledge: (filter: Params) => void = () => {};
  const acknowledged = new Promise<Params>((resolve) => (acknowledge = resolve));
  let own: number | undefined;
  const off = client.on("*", (params, method) => {
    if (params._meta?.[metaKeys.subscriptionId] !== own) return;
    if (method === "notifications/subscriptions/acknowledged")
      return acknowledge(params["notifications"] as Params);
    queue.push(noticeOf(method, params));
  });
  const never = 2 ** 52;
  const answer = link.request(
    "subscriptions/listen",
    (id) => {
      own = id;
      return decorate({ notifications: filterOf(wanted) });
    },
    { signal: ended.signal, timeout: never, totalTimeout: never },
    { headers: (method, params) => mirrorHeaders(spoken, method, params) },
  );
  const done = settle(answer, queue, ended.signal);
  void done.then(off);
  const late = link.clock.schedule(() => ended.abort(unacknowledged(link)), link.timeouts.timeout);
  const first = await Promise.race([acknowledged, done.then(() => undefined)]);
  link.clock.clear(late);
  if (first === undefined) await queue.failure();
  const close = async (): Promise<void> => {
    ended.abort();
    await done;
  };
  queue.leave = close;
  return { honoured: requestOf(first ?? {}), [Symbol.asyncIterator]: () => queue, close };
}

/** How a subscription ends: in order by the server's answer or by us, or with an error. */
function settle(answer: Promise<ResponseMessage>, queue: NoticeQueue, ended: AbortSignal): Promise<void> {
  return answer.then(
    (response) => (response.error ? queue.fail(remoteError("subscriptions/listen", response)) : queue.end()),
    (error: Error) => {
      const reason: unknown = ended.aborted ? ended.reason : error;
      if (reason instanceof McpError) queue.fail(reason);
      else queue.end();
    },
  );
}

function unacknowledged({ timeouts: { timeout } }: Link): McpError {
  return new McpError("timeout", `subscriptions/listen: no acknowledgement for ${timeout} ms`, {
    data: { timer: "timeout", limit: timeout, elapsed: timeout },
  });
}

/** How many subscriptions of a connection watch each URI: the server knows of one. */
const watchers = new WeakMap<Link, Map<string, number>>();

/** Counts one watcher of a URI more, or less. Returns how many there are. */
function count(link: Link, uri: string, change: 1 | -1): number {
  const counts = watchers.get(link) ?? new Map<string, number>();
  watchers.set(link, counts);
  const now = (counts.get(uri) ?? 0) + change;
  counts.set(uri, now);
  return now;
}

/** Before: resources are watched one by one, and lists are told of without being asked. */
async function watch(
  client: Client,
  link: Link,
  { spoken, capabilities }: Agreement,
  wanted: SubscriptionRequest,
): Promise<Subscription> {
  const queue = new NoticeQueue();
  const kinds = (Object.keys(listChanged) as Kind[]).filter(
    (kind) => wanted[kind] && capabilities[kind]?.listChanged,
  );
  const uris = capabilities.resources?.subscribe ? (wanted.uris ?? []) : [];
  const watched: string[] = [];
  const off = hear(client, kinds, uris, queue);
  const forget = link.whenClosed((why) => {
    off();
    queue.fail(why);
  });
  const close = async (): Promise<void> => {
    off();
    forget();
    queue.end();
    if (!spoken.table.outgoingRequests.has("resources/unsubscribe")) return;
    // A server that is gone watches nothing any more; another one never did.
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
    await close().catch(() => undefined);
    throw error;
  }
  queue.leave = close;
  const honoured = {
    ...Object.fromEntries(kinds.map((kind) => [kind, true])),
    ...(uris.length > 0 ? { uris } : {}),
  };
  return { honoured, [Symbol.asyncIterator]: () => queue, close };
}

/** Fills the queue with what is told of. Returns what ends it. */
function hear(
  client: Client,
  kinds: readonly Kind[],
  uris: readonly string[],
  queue: NoticeQueue,
): () => void {
  const offs = kinds.map((kind) =>
    client.on(`notifications/${kind}/list_changed`, (params, method) => queue.push(noticeOf(method, params))),
  );
  offs.push(
    client.on("notifications/resources/updated", (params, method) => {
      if (uris.includes(params["uri"] as string)) queue.push(noticeOf(method, params));
    }),
  );
  return () => offs.forEach((off) => off());
}

function filterOf({ uris, ...lists }: SubscriptionRequest): Params {
  const kinds = (Object.keys(listChanged) as Kind[]).filter((kind) => lists[kind]);
  return {
    ...Object.fromEntries(kinds.map((kind) => [listChanged[kind], true])),
    ...(uris ? { resourceSubscriptions: uris } : {}),
  };
}

function requestOf(filter: Params): SubscriptionRequest {
  const kinds = (Object.keys(listChanged) as Kind[]).filter((kind) => filter[listChanged[kind]] === true);
  const uris = filter["resourceSubscriptions"];
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, true])),
    ...(Array.isArray(uris) ? { uris: uris as string[] } : {}),
  };
}

function noticeOf(method: string, params: Params): ChangeNotice {
  return isObject(params) && typeof params["uri"] === "string" ? { method, uri: params["uri"] } : { method };
}
