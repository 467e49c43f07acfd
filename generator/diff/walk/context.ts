import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Kind, Role, ProtocolModel } from "../../model/model.js";
import type { Aligner } from "../../compare/align/aligner.js";
import type { Fact, Edge, Pair } from "../../compare/align/pair.js";

/** The message or result that contains a value, which decides the schema that judges it. */
export type Context =
  | {
      readonly part: Kind;
      readonly method: string;
      readonly from: Role;
      /** The value is the message itself, not its params. */
      readonly whole?: true;
    }
  /** An answer; `from` is the side that answers. */
  | { readonly part: "result"; readonly method: string; readonly from: Role }
  /** The whole message that carries an answer; `from` is the side that answers. */
  | { readonly part: "response"; readonly method: string; readonly from: Role }
  /** A request, or the answer to it, that travels inside other messages. */
  | {
      readonly part: "embedded-request" | "embedded-result";
      readonly method: string;
      readonly from: Role;
      readonly whole?: true;
    }
  /** The part that all messages share. */
  | { readonly part: "envelope"; readonly definition: readonly [string, string] }
  /** A definition that messages of both sides hold, though not in corresponding places. */
  | { readonly part: "definition"; readonly definition: readonly [string, string] };

/** The message that carries `value` in a context: its params, its result, or itself. */
export function messageOf(context: Context, value: JsonValue | undefined): JsonValue | undefined {
  if ("whole" in context && context.whole) return value;
  const params: JsonObject = value === undefined ? {} : { params: value };
  switch (context.part) {
    case "request":
      return { jsonrpc: "2.0", id: 1, method: context.method, ...params };
    case "notification":
      return { jsonrpc: "2.0", method: context.method, ...params };
    case "embedded-request":
      return { jsonrpc: "2.0", id: 1, method: context.method, ...params };
    case "result":
      return value === undefined ? undefined : { jsonrpc: "2.0", id: 1, result: value };
    default:
      return value;
  }
}

/** The result of comparing methods, with the roots of the walk. */
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

/** @param writer the role that writes the part that differs, where that is not the sender */
export function messageFact(
  { name, from }: Direction,
  fact: Fact,
  context: Context,
  writer: Role = from,
): MessageFact {
  return { fact, context, writers: [writer], methods: [name] };
}

/** A place where the comparison starts: what a message carries. */
export interface Root {
  readonly pair: Pair;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
  /** Members that other roots account for are not entered from here. */
  readonly isEntered?: (key: string, edge: Edge) => boolean;
  /** Reports only facts for which a message proves a break. */
  readonly needsProof?: true;
  /** Excludes facts that other roots report. */
  readonly isReported?: (fact: Fact, pair: Pair) => boolean;
}

/** A difference of a whole message, found without walking into it. */
export interface MessageFact {
  readonly fact: Fact;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
}
