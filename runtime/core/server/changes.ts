import type { Params } from "../jsonrpc/message.js";

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
