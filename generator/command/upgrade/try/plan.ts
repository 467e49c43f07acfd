import type { JsonObject, JsonValue } from "@mcpgen/engine";

// What a rehearsal gives to the process that runs the conversations, and what that answers. Types alone: the process reads
// no other file of mcpgen.

/** The conversations to run. */
export interface RehearsalPlan {
  /** JavaScript of the generated modules by their paths, without extension. */
  readonly modules: { readonly [path: string]: string };
  /** The address of a module of mcpgen: beside it stands the runtime. */
  readonly from: string;
  /** Id of the revision in whose words the handlers and the calls are written. */
  readonly vocabulary: string;
  /** Oldest first. */
  readonly revisions: readonly RevisionWords[];
}

/** Samples of all that an application of one revision writes. */
export interface RevisionWords {
  readonly id: string;
  /** What a server declares, so that nothing is gated. */
  readonly capabilities: JsonObject;
  /** Requests of clients that handlers answer. */
  readonly requests: readonly SampledRequest[];
  /** Requests of servers, which a handler makes while it runs. */
  readonly asks: readonly SampledAsk[];
  /** Notifications that applications send, by the sender. */
  readonly notifications: { readonly [side in "client" | "server"]: readonly SampledAsk[] };
  /** Notifications of servers that a subscription selects. */
  readonly changes: readonly SubscribedChange[];
}

export interface SubscribedChange {
  readonly method: string;
  /** The member of its params that a subscription names a value of. */
  readonly key?: string;
}

export interface SampledRequest {
  readonly method: string;
  /** The handler may ask the client before it answers, in any era. */
  readonly asks: boolean;
  readonly params: readonly JsonValue[];
  readonly results: readonly JsonValue[];
}

export interface SampledAsk {
  readonly method: string;
  readonly params: readonly JsonValue[];
}

/** What came of one conversation. */
export interface Conversation {
  /** The revision of the messages. */
  readonly revision: string;
  /** The side that is written in the vocabulary; `both`: both sides are written in the words of the revision. */
  readonly pinned: "server" | "client" | "both";
  readonly calls: readonly Call[];
  readonly losses: readonly Lost[];
  /** Messages that are not what their revision describes, in words. */
  readonly invalid: readonly string[];
}

/** A request and its samples, and what came of it. */
export interface Call {
  /** The method, and the numbers of the samples. */
  readonly name: string;
  /** Absent where it was served: the handler ran, and its result came. */
  readonly refused?: string;
}

/** Something that the other side did not get. */
export interface Lost {
  readonly method: string;
  readonly pointer: string;
  readonly how: string;
}
