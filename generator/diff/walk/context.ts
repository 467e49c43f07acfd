import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import type { Kind, Role, ProtocolModel } from "../../model/model.js";
import type { Aligner } from "../../compare/align/aligner.js";
import type { Fact, Edge, Pair } from "../../compare/align/pair.js";

/** The message or result that contains a value; it decides which schema validates it. */
export type Context =
  | {
      readonly part: Kind;
      readonly method: string;
      readonly from: Role;
      /** Set if the value is the message itself rather than its params. */
      readonly whole?: true;
    }
  /** A result; `from` is the side that answers. */
  | { readonly part: "result"; readonly method: string; readonly from: Role }
  /** A complete response; `from` is the side that answers. */
  | { readonly part: "response"; readonly method: string; readonly from: Role }
  /** A request, or its result, that is sent inside other messages. */
  | {
      readonly part: "embedded-request" | "embedded-result";
      readonly method: string;
      readonly from: Role;
      readonly whole?: true;
    }
  /** The envelope, which all messages share. */
  | { readonly part: "envelope"; readonly definition: readonly [string, string] }
  /** A definition in messages of both revisions, but not in corresponding places. */
  | { readonly part: "definition"; readonly definition: readonly [string, string] };

/** The message with `value` as its params, its result, or itself, depending on the context. */
export function messageOf(context: Context, value: JsonValue | undefined): JsonValue | undefined {
  if ("whole" in context && context.whole) return value;
  const params: JsonObject = value === undefined ? {} : { params: value };
  switch (context.part) {
    case "request":
    case "embedded-request":
      return { jsonrpc: "2.0", id: 1, method: context.method, ...params };
    case "notification":
      return { jsonrpc: "2.0", method: context.method, ...params };
    case "result":
      return value === undefined ? undefined : { jsonrpc: "2.0", id: 1, result: value };
    default:
      return value;
  }
}

/** The result of comparing methods, and the roots for comparing schemas. */
export interface MethodComparison {
  readonly facts: MessageFact[];
  readonly roots: Root[];
}

/** One method in one direction. */
export interface Direction {
  readonly old: ProtocolModel;
  readonly next: ProtocolModel;
  readonly aligner: Aligner;
  readonly name: string;
  /** The sender. */
  readonly from: Role;
  readonly comparison: MethodComparison;
}

/** @param writer the role that writes the part, if it is not the sender */
export function messageFact(
  { name, from }: Direction,
  fact: Fact,
  context: Context,
  writer: Role = from,
): MessageFact {
  return { fact, context, writers: [writer], methods: [name] };
}

/** JSON Pointers of two definitions, of which one may be absent. */
export function definitionsAt(old: string | null | undefined, next: string | null | undefined): Fact["at"] {
  const place = (name: string | null | undefined): string | null =>
    name === null || name === undefined ? null : pointer("/$defs", name);
  return { old: place(old), new: place(next) };
}

/** A start of the schema comparison: the params, result or message of a method. */
export interface Root {
  readonly pair: Pair;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
  /** Selects the members to compare from here. Members handled by other roots are skipped. */
  readonly isEntered?: (key: string, edge: Edge) => boolean;
  /** Set to report only facts for which a message proves a break. */
  readonly needsProof?: true;
  /** Selects the facts to report. Facts reported by other roots are skipped. */
  readonly isReported?: (fact: Fact, pair: Pair) => boolean;
}

/** A difference that concerns a whole message, found without comparing schemas. */
export interface MessageFact {
  readonly fact: Fact;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
}
