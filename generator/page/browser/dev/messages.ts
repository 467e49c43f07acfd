// What `mcpgen dev` and its page send to each other. Types only: both sides import them.

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | Members;

/** A JSON object. */
export interface Members {
  readonly [name: string]: Json;
}

/** A message of the loop to its page, as one event of the stream `events`. */
export type PageEvent =
  | CycleEvent
  | ConnectionEvent
  | { readonly type: "offer"; readonly version: number }
  | WireEvent
  | CallEvent
  | QuestionEvent
  | { readonly type: "settled"; readonly question: number }
  | { readonly type: "log"; readonly level: string; readonly text: string };

/** One run of the loop. */
export interface CycleEvent {
  readonly type: "cycle";
  /** The files that changed, or another cause. */
  readonly subject: string;
  readonly done: readonly string[];
  readonly findings: readonly Remark[];
  readonly milliseconds?: number;
}

/** Something that was found, with its place where it has one. */
export interface Remark {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly place?: string;
}

/** The state of the connection to the server. */
export interface ConnectionEvent {
  readonly type: "connection";
  readonly state: "connecting" | "connected" | "failed" | "ended";
  /** Revisions that the page can ask for, the oldest first. */
  readonly revisions: readonly { readonly id: string; readonly era: string }[];
  /** The only revision to use; the newest that both sides have without it. */
  readonly wanted?: string;
  /** The negotiated revision. */
  readonly revision?: string;
  readonly era?: string;
  readonly server?: Members;
  readonly capabilities?: Members;
  readonly instructions?: string;
  /** Why it failed or ended. */
  readonly reason?: string;
}

export type Side = "client" | "server";

/** A message on the wire. It is sent again when its verdict is known. */
export interface WireEvent {
  readonly type: "wire";
  /** Counts all messages of the loop. */
  readonly number: number;
  /** Counts the connections: a recording has one. */
  readonly connection: number;
  readonly from: Side;
  /** Milliseconds since the connection began. */
  readonly at: number;
  /** The text; of a long one, the beginning. */
  readonly text: string;
  /** The characters of the whole text. */
  readonly length: number;
  /** Absent while the revision is not negotiated. */
  readonly verdicts?: readonly Verdict[];
}

/** The verdict of a revision on a message, or on one message of a batch. */
export interface Verdict {
  readonly revision: string;
  readonly kind: "request" | "notification" | "result" | "error" | "unknown";
  readonly method?: string;
  readonly issues: readonly Issue[];
}

export interface Issue {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
}

/** What the page can ask the server for. */
export type CallKind = "tool" | "resource" | "prompt" | "request";

/** The state of one request of the page. */
export interface CallEvent {
  readonly type: "call";
  readonly id: number;
  readonly kind: CallKind;
  /** The name of the tool or the prompt, the URI, or the method. */
  readonly name: string;
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly milliseconds: number;
  /** The task that the call has become, by its last known state. */
  readonly task?: { readonly id: string; readonly status?: string; readonly message?: string };
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly result?: Members;
  /** The issues of the structured content by the tool's `outputSchema`; none if it is valid. */
  readonly structured?: readonly Issue[];
  readonly error?: { readonly code?: number; readonly message: string; readonly data?: Json };
}

/** What the server asks its user or a model. */
export interface QuestionEvent {
  readonly type: "question";
  readonly question: number;
  readonly kind: "form" | "url" | "sampling" | "roots";
  readonly params: Members;
}

/** Body of `POST call`. */
export interface CallRequest {
  readonly kind: CallKind;
  readonly name: string;
  readonly params: Members;
  /** Sends arguments that the schema refuses, too. */
  readonly anyway: boolean;
}

/** Answer to `POST call`: the number of the call, or why nothing was sent. */
export type CallAnswer = { readonly call: number } | { readonly issues: readonly Issue[] };

/** Body of `POST answer`. */
export interface QuestionAnswer {
  readonly question: number;
  /** The result; without it, the request is rejected. */
  readonly result?: Members;
}

/** Body of `GET offer`: what the server offers, and what is to be said about it. */
export interface Offer {
  readonly version: number;
  readonly tools: readonly Item[];
  readonly resources: readonly Item[];
  readonly resourceTemplates: readonly Item[];
  readonly prompts: readonly Item[];
  /** Entries that are not shown, and why. */
  readonly leftOut: readonly string[];
  /** Why the lists cannot be read. */
  readonly unread?: string;
  /** Whether the badges are complete. */
  readonly isJudged: boolean;
  /** Differences from the contract that belong to no tool. */
  readonly drift: readonly string[];
}

/** An entry of a list. */
export interface Item {
  /** As the server listed it. */
  readonly entry: Members;
  readonly badges: readonly Badge[];
}

export interface Badge {
  readonly kind: "plain" | "error" | "warning" | "drift";
  readonly text: string;
  /** The findings behind it, a line each. */
  readonly lines: readonly string[];
}
