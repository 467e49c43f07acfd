import type { ProtocolModel, Role } from "../../model/model.js";
import type { Aligner } from "../../compare/align/aligner.js";
import type { Fact } from "../../compare/align/pair.js";
import type { Context } from "./context.js";
import type { MessageFact, Root } from "./root.js";

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
