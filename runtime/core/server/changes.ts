import { metaKeys } from "../protocol/meta.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { RequestContext } from "./context.js";
import { mostReserved, weightOf } from "../jsonrpc/weight.js";
import { declares } from "../protocol/capabilities.js";

/** Something a client may want to hear of, outside any request of its own. */
export interface Change {
  /** Notification that tells of it. */
  readonly method: string;
  /** The resource it is about, for `notifications/resources/updated`. */
  readonly uri?: string;
}

/**
 * Carries changes from the definition of a server to its connections; replace it to carry them between
 * processes.
 */
export interface NotificationBus {
  publish(change: Change): void;
  /** Returns what ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** The bus inside one process. */
export class Changes implements NotificationBus {
  private readonly listeners = new Set<(change: Change) => void>();

  get size(): number {
    return this.listeners.size;
  }

  publish(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** Which member of the filter lets a notification through. */
const filters: { readonly [method: string]: string } = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
  "notifications/resources/updated": "resourceSubscriptions",
};

/** `subscriptions/listen` (2026-07-28, subscriptions): answered when the server ends the stream. */
export function listen(params: { readonly notifications: Params }, context: RequestContext): Promise<Params> {
  const { connection, protocol, requestId, signal } = context;
  // It is kept as long as the stream is open, with all that its sender says of itself.
  const weight = weightOf(context.request, mostReserved);
  connection.reserve(weight);
  const honoured = honouredPart(params.notifications, context);
  const watched = new Set(Object.values(honoured).filter(Array.isArray).flat() as unknown[]);
  const _meta = { [metaKeys.subscriptionId]: requestId };
  context.notify("notifications/subscriptions/acknowledged", { _meta, notifications: honoured });
  return new Promise((resolve, reject) => {
    const stop = connection.onChange((change) => {
      if (wants(honoured, watched, change))
        context.notify(change.method, { _meta, ...(change.uri === undefined ? {} : { uri: change.uri }) });
    });
    const stay = connection.onClosing(() => {
      end();
      resolve({ _meta });
    });
    const end = (): void => {
      connection.release(weight);
      stop();
      stay();
    };
    signal.addEventListener("abort", () => {
      end();
      reject(new McpError("cancelled", `the subscription at ${protocol.spoken.id} was ended`));
    });
  });
}

/** What of a filter the server can honour: what it has declared that it tells. */
function honouredPart(filter: Params, { connection, protocol }: RequestContext): Params {
  const declared = connection.definition.capabilities();
  const honoured: Record<string, unknown> = {};
  for (const [method, member] of Object.entries(filters)) {
    const wanted = filter[member];
    const capability = protocol.spoken.table.outgoingNotifications.get(method)?.capability;
    if (wanted === undefined || wanted === false || !capability) continue;
    if (declares(declared, capability.path)) honoured[member] = wanted;
  }
  return honoured;
}

function wants(filter: Params, watched: ReadonlySet<unknown>, { method, uri }: Change): boolean {
  const wanted = filter[filters[method] ?? ""];
  return uri === undefined ? wanted === true : Array.isArray(wanted) && watched.has(uri);
}
