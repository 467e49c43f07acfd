import type { PlacesOf } from "../../client/client.js";
import type { BatchPlace, Connection } from "../../client/connection.js";
import { invalidRequest, McpError, type Outgoing } from "@mcpgen/base";

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

/** Collects the messages of a JSON-RPC batch, and sends them in order when each place has its message or has left. */
class OutgoingBatch {
  readonly #connection: Connection;
  /** The message of each place, or `undefined` until it arrives. Empty when the batch was sent. */
  readonly #messages = new Map<BatchPlace, Outgoing | undefined>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds a place. All places are added before the first request is made. */
  place(): BatchPlace {
    const place: BatchPlace = {
      take: (connection, message) => {
        const isFree = this.#messages.has(place) && this.#messages.get(place) === undefined;
        if (connection !== this.#connection || !isFree) return false;
        this.#messages.set(place, message);
        this.#sendIfComplete();
        return true;
      },
      leave: () => {
        const waited = this.#messages.get(place) !== undefined;
        if (this.#messages.delete(place)) this.#sendIfComplete();
        return waited;
      },
    };
    this.#messages.set(place, undefined);
    return place;
  }

  #sendIfComplete(): void {
    const messages = [...this.#messages.values()].filter((message) => message !== undefined);
    if (messages.length === 0 || messages.length < this.#messages.size) return;
    this.#messages.clear();
    this.#connection.channel.postBatch!(messages);
  }
}
