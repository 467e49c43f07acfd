import type { ClientResults } from "@mcpgen/protocol/open";
import type { RequestOptions } from "@mcpgen/protocol/model";
import type { Outgoing } from "../jsonrpc/channel.js";
import { McpError, invalidRequest } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { BatchPlace, Link } from "./link.js";
import type { GivenBy, VendorRequestOptions } from "./vendor-methods.js";

/** A request of a batch. */
export interface BatchRequest {
  readonly method: string;
  readonly params?: object;
  readonly notification?: false;
  readonly options?: RequestOptions & Partial<VendorRequestOptions>;
}

/** A notification of a batch. */
export interface BatchNotification {
  readonly method: string;
  readonly params?: object;
  readonly notification: true;
}

/** The outcome of each message of a batch, in their order. */
export type BatchResults<Messages extends readonly (BatchRequest | BatchNotification)[]> = {
  -readonly [Index in keyof Messages]: PromiseSettledResult<ResultOf<Messages[Index]>>;
};

type ResultOf<Message> = Message extends BatchNotification
  ? undefined
  : Message extends { readonly options: { readonly result: infer Schema } }
    ? GivenBy<Schema>
    : Message extends { readonly method: infer Method extends keyof ClientResults }
      ? ClientResults[Method]
      : Params;

/**
 * The places of messages in one batch.
 *
 * @throws {McpError} `not-expressible`: the revision or the transport has no batches; `invalid-request`: one of the messages
 *   is `initialize`
 */
export function placesOf(
  requests: readonly { readonly method: string }[],
  link: Link,
  { id, table }: RevisionView<"client">,
): readonly BatchPlace[] {
  if (!table.batches || !link.batches)
    throw new McpError(
      "not-expressible",
      `${table.batches ? "the transport" : `revision ${id}`} has no batches; send the requests one by one`,
    );
  const isList = Array.isArray(requests) && requests.every((each) => typeof each?.method === "string");
  if (!isList) throw new McpError("invalid-definition", "batch: expected a list of objects with a method");
  if (requests.some(({ method }) => method === "initialize"))
    throw invalidRequest("initialize is never part of a batch");
  const batch = new OutgoingBatch(link);
  return requests.map(() => batch.place());
}

/** Collects the messages of a JSON-RPC batch, and sends them in order when each place has its message or was given up. */
class OutgoingBatch {
  readonly #link: Link;
  readonly #places: BatchPlace[] = [];
  readonly #awaited = new Set<BatchPlace>();
  readonly #messages = new Map<BatchPlace, Outgoing>();

  constructor(link: Link) {
    this.#link = link;
  }

  /** Adds a place. All places are added before the first request is made. */
  place(): BatchPlace {
    const place: BatchPlace = {
      take: (link, message) => {
        if (link !== this.#link || !this.#awaited.delete(place)) return false;
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
    this.#link.postBatch(messages);
  }
}
