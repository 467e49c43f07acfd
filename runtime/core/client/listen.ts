import { metaKeys } from "../protocol/meta.js";
import { McpError } from "../jsonrpc/errors.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import type { Client } from "./client.js";
import type { Connection } from "./connections.js";
import { invalidResult } from "./decode.js";
import type { Link } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { remoteError } from "./remote-error.js";
import { type Attachment, type ChangeNotice, type SubscriptionRequest, listKinds } from "./subscriptions.js";

/** Members of a filter, and what they are in a subscription (2026-07-28, subscriptions). */
const listChanged = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;

/** For requests that are answered when the server ends them. */
const never = 2 ** 52;

/**
 * Subscribes by a request whose answer ends the subscription (2026-07-28, subscriptions).
 *
 * @param decorate adds what the revision wants with each request
 */
export async function listen(
  client: Client,
  { link, agreement: { spoken } }: Connection,
  decorate: (params: Params) => Params,
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
  const answer = link.request(
    "subscriptions/listen",
    (id) => {
      own = id;
      return decorate({ notifications: filterOf(wanted) });
    },
    { signal: ended.signal, timeout: never, totalTimeout: never },
    { headers: (method, params) => mirrorHeaders(spoken, method, params) },
  );
  const over = answer.then(
    (response) => (response.error ? remoteError("subscriptions/listen", response) : undefined),
    (error: Error) => {
      const reason: unknown = ended.signal.aborted ? ended.signal.reason : error;
      return reason instanceof McpError ? reason : undefined;
    },
  );
  void over.then(off);
  const late = link.clock.schedule(() => ended.abort(unacknowledged(link)), link.timeouts.timeout);
  const first = await Promise.race([acknowledged, over.then(() => undefined)]);
  link.clock.clear(late);
  if (first === undefined)
    throw (
      (await over) ??
      invalidResult("subscriptions/listen", "the server ended the subscription without acknowledging it")
    );
  const detach = async (): Promise<void> => {
    ended.abort();
    await over;
  };
  return { honoured: requestOf(first), over, detach };
}

function unacknowledged({ timeouts: { timeout } }: Link): McpError {
  return new McpError("timeout", `subscriptions/listen: no acknowledgement for ${timeout} ms`, {
    data: { timer: "timeout", limit: timeout, elapsed: timeout },
  });
}

function filterOf({ uris, ...lists }: SubscriptionRequest): Params {
  const kinds = listKinds.filter((kind) => lists[kind]);
  return {
    ...Object.fromEntries(kinds.map((kind) => [listChanged[kind], true])),
    ...(uris ? { resourceSubscriptions: uris } : {}),
  };
}

function requestOf(filter: Params): SubscriptionRequest {
  const kinds = listKinds.filter((kind) => filter[listChanged[kind]] === true);
  const uris = filter["resourceSubscriptions"];
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, true])),
    ...(Array.isArray(uris) ? { uris: uris as string[] } : {}),
  };
}

function noticeOf(method: string, params: Params): ChangeNotice {
  return isObject(params) && typeof params["uri"] === "string" ? { method, uri: params["uri"] } : { method };
}
