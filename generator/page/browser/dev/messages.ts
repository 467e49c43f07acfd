// Messages between `mcpgen dev` and its page. Only types, because both sides import them.

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | Members;

/** A JSON object. */
export interface Members {
  readonly [name: string]: Json;
}

/** A message of the loop to its page: one event of the stream `events`. */
export type PageEvent =
  | CycleEvent
  | ConnectionEvent
  | { readonly type: "offer"; readonly version: number }
  | WireEvent
  | CallEvent
  | QuestionEvent
  | { readonly type: "settled"; readonly question: number }
  | { readonly type: "log"; readonly level: string; readonly text: string };

/** One cycle of the loop. */
export interface CycleEvent {
  readonly type: "cycle";
  /** The changed files, or another cause. */
  readonly subject: string;
  readonly done: readonly string[];
  readonly findings: readonly Remark[];
  readonly milliseconds?: number;
}

/** A finding, with its place if it has one. */
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
  /** Revisions that the page can request, oldest first. */
  readonly revisions: readonly { readonly id: string; readonly era: string }[];
  /** The only revision to use; without it, the newest that both sides support. */
  readonly wanted?: string;
  /** The negotiated revision. */
  readonly revision?: string;
  readonly era?: string;
  /** The methods of the requests that a client of the revision can send. */
  readonly requests?: readonly string[];
  readonly server?: Members;
  readonly capabilities?: Members;
  readonly instructions?: string;
  /** The reason why the connection failed or ended. */
  readonly reason?: string;
}

export type Side = "client" | "server";

/** A message on the wire. It is sent again once it was validated. */
export interface WireEvent {
  readonly type: "wire";
  /** Number of the message within the loop. */
  readonly number: number;
  /** Number of the connection; a recording contains one connection. */
  readonly connection: number;
  readonly from: Side;
  /** Time since the connection began, in milliseconds. */
  readonly at: number;
  /** The text, truncated if it is long. */
  readonly text: string;
  /** Length of the complete text in characters. */
  readonly length: number;
  /** Absent until the revision is negotiated. */
  readonly verdicts?: readonly Verdict[];
}

/** The result of validating a message, or one message of a batch, with a revision. */
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

/** What the page can request from the server. */
export type CallKind = "tool" | "resource" | "prompt" | "request";

/** The state of one request of the page. */
export interface CallEvent {
  readonly type: "call";
  readonly id: number;
  readonly kind: CallKind;
  /** Name of the tool or prompt, URI, or method. */
  readonly name: string;
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly milliseconds: number;
  /** The task that the call became, with its last known state. */
  readonly task?: { readonly id: string; readonly status?: string; readonly message?: string };
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly result?: Members;
  /** Issues of the structured content according to the tool's `outputSchema`; empty if it is valid. */
  readonly structured?: readonly Issue[];
  readonly error?: { readonly code?: number; readonly message: string; readonly data?: Json };
}

/** A question of the server to its user or a model. */
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
  /** Whether to send arguments that the schema rejects. */
  readonly anyway: boolean;
}

/** Response to `POST call`: the number of the call, or the reason why nothing was sent. */
export type CallAnswer = { readonly call: number } | { readonly issues: readonly Issue[] };

/** Body of `POST answer`. */
export interface QuestionAnswer {
  readonly question: number;
  /** The result; without it, the server's request is rejected. */
  readonly result?: Members;
}

/** Body of `GET offer`: what the server offers, with findings. */
export interface Offer {
  readonly version: number;
  readonly tools: readonly Item[];
  readonly resources: readonly Item[];
  readonly resourceTemplates: readonly Item[];
  readonly prompts: readonly Item[];
  /** Entries that are not shown, with the reason. */
  readonly leftOut: readonly string[];
  /** The reason why the lists cannot be read. */
  readonly unread?: string;
  /** Whether the badges are complete. */
  readonly isJudged: boolean;
  /** Differences from the contract that do not concern a tool. */
  readonly drift: readonly string[];
}

/** An entry of a list. */
export interface Item {
  /** The entry as listed by the server. */
  readonly entry: Members;
  readonly badges: readonly Badge[];
}

export interface Badge {
  readonly kind: "plain" | "error" | "warning" | "drift";
  readonly text: string;
  /** The findings behind the badge, one per line. */
  readonly lines: readonly string[];
}
