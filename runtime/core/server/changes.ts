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
