import { metaKeys } from "../protocol/meta.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { RequestContext } from "./context.js";
import { mostReserved, weightOf } from "../jsonrpc/json-limits.js";
import { isGranted, mayGet } from "../protocol/revision-view.js";

/** A change that clients can be notified of. */
export interface Change {
  /** Method of the notification. */
  readonly method: string;
  /** URI of the resource, for `notifications/resources/updated`. */
  readonly uri?: string;
  /** Parameters of other notifications: JSON. */
  readonly params?: Params;
}

/**
 * Carries changes from a server to its connections. Implement it to carry changes between processes.
 */
export interface NotificationBus {
  publish(change: Change): void;
  /**
   * Returns a function that ends the subscription.
   *
   * @param onGap to call after changes were lost, e.g. while the bus was away: clients are then notified of all that may have
   *   changed
   */
  subscribe(listener: (change: Change) => void, onGap?: () => void): () => void;
}

/** The notification of a resource that has changed. */
export const resourceUpdated = "notifications/resources/updated";

/** The bus within one process. */
export class Changes implements NotificationBus {
  readonly #listeners = new Set<(change: Change) => void>();

  publish(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Handles `subscriptions/listen` (2026-07-28, subscriptions). Resolves when the server ends the stream. */
export function listen(params: { readonly notifications: Params }, context: RequestContext): Promise<Params> {
  const { connection, protocol, requestId, signal } = context;
  // A bus may throw: nothing is reserved or acknowledged before.
  connection.definition.followChanges();
  // The request stays in memory as long as the stream is open.
  const weight = weightOf(context.request, mostReserved);
  connection.reserve(weight);
  const honoured = honouredFilter(params.notifications, context);
  const wanted = new Map(
    Object.entries(honoured).map(([member, value]) => [member, new Set([value].flat())]),
  );
  const _meta = { [metaKeys.subscriptionId]: requestId };
  context.send("notifications/subscriptions/acknowledged", { notifications: honoured });
  return new Promise((resolve, reject) => {
    const removeListener = connection.onChange(({ method, uri, params: sent = { uri } as Params }) => {
      const { filter, filterKey } = protocol.revision.table.outgoingNotifications.get(method) ?? {};
      if (wanted.get(filter!)?.has(filterKey === undefined || sent[filterKey])) context.send(method, sent);
    }, wanted);
    const removeCloser = connection.onClosing(() => {
      end();
      resolve({ _meta });
    });
    const end = (): void => {
      connection.release(weight);
      removeListener();
      removeCloser();
    };
    signal.addEventListener("abort", () => {
      end();
      reject(new McpError("cancelled", "the subscription was ended"));
    });
  });
}

/** The part of a filter that the server honours: the notifications whose capabilities are declared. */
function honouredFilter(filter: Params, { connection, protocol }: RequestContext): Params {
  const declared = connection.definition.capabilities();
  const honoured: Record<string, unknown> = {};
  for (const facts of protocol.revision.table.outgoingNotifications.values()) {
    const { filter: member } = facts;
    if (
      member !== undefined &&
      filter[member] &&
      isGranted(facts, "server", declared) &&
      mayGet(facts, protocol)
    )
      honoured[member] = filter[member];
  }
  return honoured;
}
