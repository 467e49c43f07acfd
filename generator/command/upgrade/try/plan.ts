import type { JsonObject, JsonValue } from "@mcpgen/engine";

// Data exchanged with the process that runs the sessions. This file has only types, because that process
// loads no other file of mcpgen.

/** The sessions to run. */
export interface RehearsalPlan {
  /** JavaScript of the generated modules, by path without extension. */
  readonly modules: { readonly [path: string]: string };
  /** URL of a module of mcpgen; the runtime is resolved from it. */
  readonly from: string;
  /** Id of the revision whose types handlers and calls use. */
  readonly vocabulary: string;
  /** Oldest first. */
  readonly revisions: readonly RevisionWords[];
}

/** Samples of everything that an application of one revision writes. */
export interface RevisionWords {
  readonly id: string;
  /** The capabilities that the server declares: all, so that no method is gated. */
  readonly capabilities: JsonObject;
  /** Requests of clients, which the server's handlers answer. */
  readonly requests: readonly SampledRequest[];
  /** Requests of servers, which a handler sends while it runs. */
  readonly asks: readonly SampledAsk[];
  /** Notifications that applications send, by sender. */
  readonly notifications: { readonly [side in "client" | "server"]: readonly SampledAsk[] };
  /** Notifications of servers that a subscription selects. */
  readonly changes: readonly SubscribedChange[];
}

export interface SubscribedChange {
  readonly method: string;
  /** The member of the notification's params whose value a subscription names. */
  readonly key?: string;
}

export interface SampledRequest {
  readonly method: string;
  /** Whether the handler can ask the client before it answers, whichever era the revision has. */
  readonly asks: boolean;
  readonly params: readonly JsonValue[];
  readonly results: readonly JsonValue[];
}

export interface SampledAsk {
  readonly method: string;
  readonly params: readonly JsonValue[];
}

/** The result of one session. */
export interface Conversation {
  /** The revision of the messages. */
  readonly revision: string;
  /** The side that uses the vocabulary. `both`: both sides use the types of the message revision. */
  readonly pinned: "server" | "client" | "both";
  readonly calls: readonly Call[];
  readonly losses: readonly Lost[];
  /** Descriptions of messages that are invalid for their revision. */
  readonly invalid: readonly string[];
}

/** One call with its samples, and its result. */
export interface Call {
  /** The method, and the number of the sample. */
  readonly name: string;
  /** Why the call failed; absent if the handler ran and its result arrived. */
  readonly refused?: string;
}

/** A part of a value that the other side did not receive. */
export interface Lost {
  readonly method: string;
  readonly pointer: string;
  readonly how: string;
}
