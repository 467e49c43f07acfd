import type { PlacesOf } from "../../client/client.js";
import type { BatchPlace, Connection } from "../../client/connection.js";
import type { Outgoing } from "../../jsonrpc/channel.js";
import { McpError, invalidRequest } from "../../jsonrpc/errors.js";

/** The places of messages in one JSON-RPC batch. */
export const placesOf: PlacesOf = (messages, connection) => {
  if (!connection.channel.postBatch)
    throw new McpError("not-expressible", "the transport has no batches; send the requests one by one");
  const isList = Array.isArray(messages) && messages.every((each) => typeof each?.method === "string");
  if (!isList) throw new McpError("invalid-definition", "batch: expected a list of objects with a method");
  if (messages.some(({ method }) => method === "initialize"))
    throw invalidRequest("initialize is never part of a batch");
  const batch = new OutgoingBatch(connection);
  return messages.map(() => batch.place());
};

/** Collects the messages of a JSON-RPC batch, and sends them in order when each place has its message or was given up. */
class OutgoingBatch {
  readonly #connection: Connection;
  readonly #places: BatchPlace[] = [];
  readonly #awaited = new Set<BatchPlace>();
  readonly #messages = new Map<BatchPlace, Outgoing>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds a place. All places are added before the first request is made. */
  place(): BatchPlace {
    const place: BatchPlace = {
      take: (connection, message) => {
        if (connection !== this.#connection || !this.#awaited.delete(place)) return false;
        this.#messages.set(place, message);
        this.#sendIfComplete();
        return true;
      },
      leave: () => {
        const waited = this.#messages.delete(place);
        if (this.#awaited.delete(place)) this.#sendIfComplete();
        return waited;
      },
    };
    this.#places.push(place);
    this.#awaited.add(place);
    return place;
  }

  #sendIfComplete(): void {
    if (this.#awaited.size > 0 || this.#messages.size === 0) return;
    const messages = this.#places.flatMap((place) => this.#messages.get(place) ?? []);
    this.#messages.clear();
    this.#connection.channel.postBatch!(messages);
  }
}
