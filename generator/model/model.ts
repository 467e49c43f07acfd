import type { Deprecation, JsonValue, Schema } from "@mcpgen/engine";

export type Role = "client" | "server";
export type Era = "legacy" | "modern";

/** Everything MCP-specific that the emitters need to know of one revision; resolved once. */
export interface ProtocolModel {
  /** The revision's id, e.g. `2025-11-25`. */
  readonly revision: string;
  readonly status: "released" | "draft" | "handwritten";
  /** `legacy`: initialize handshake and sessions; `modern`: stateless, per-request `_meta`. */
  readonly era: Era;
  readonly schema: Schema;
  /** Natural order of name. */
  readonly methods: readonly Method[];
  readonly errors: readonly ErrorCode[];
  /** Standard HTTP headers that mirror parts of a request. */
  readonly headers: readonly HeaderRule[];
  /** Properties the era owns, which authors never write: definition name → property names. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
  /** What was derived by convention because neither schema nor notes say it. */
  readonly assumptions: readonly Assumption[];
}

export interface Method {
  readonly name: string;
  readonly kind: "request" | "notification";
  /** Who sends it. */
  readonly senders: readonly Role[];
  /** The method never travels as a JSON-RPC message of its own: it is a payload inside results (2026-07-28). */
  readonly payload: boolean;
  /** Definition of the message, e.g. `CallToolRequest`. */
  readonly message: string;
  /** The definition describes `jsonrpc` and `id` too, and not only `method` and `params`. */
  readonly envelope: boolean;
  readonly params: Params;
  /** Requests only. */
  readonly result?: ResultOf;
  /** Which capability of which side gates it, dotted path into that side's capabilities. */
  readonly capability?: { readonly of: Role; readonly path: string };
  readonly cacheable: boolean;
  readonly multiRoundTrip: boolean;
  readonly deprecated?: Deprecation;
  readonly description?: string;
  readonly see?: string;
}

export interface Params {
  /** Definition of the params, where they have one of their own. */
  readonly definition?: string;
  readonly presence: "required" | "optional" | "none";
}

export interface ResultOf {
  /** The definition that answers the method when it is done, e.g. `CallToolResult`. */
  readonly definition: string;
  /** Definitions that may come in its place, e.g. `CreateTaskResult`, `InputRequiredResult`. */
  readonly alternatives: readonly string[];
}

export interface ErrorCode {
  readonly code: number;
  readonly name: string;
  readonly http?: number;
  /** Definition of the whole error message, if the schema has one. */
  readonly definition?: string;
  readonly description?: string;
}

export interface HeaderRule {
  readonly header: string;
  /** Method it applies to; `*` is every request. */
  readonly method: string;
  /** JSON Pointer into the message, or `null` for the negotiated revision. */
  readonly from: string | null;
}

export interface Assumption {
  /** Stable kind, e.g. `pairing`, `sender`, `extends`. */
  readonly kind: string;
  readonly subject: string;
  /** One sentence: what was assumed and from what. */
  readonly text: string;
  readonly value?: JsonValue;
}
