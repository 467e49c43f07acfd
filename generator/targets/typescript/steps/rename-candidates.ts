import { formSignature } from "../../../compare/align/pair.js";
import type { FormReader } from "../../../compare/shape/form-reader.js";
import type { Conjunction, ShapeArm } from "../../../compare/shape/form.js";
import type { ProtocolModel } from "../../../model/model.js";
import { type Way, planSteps } from "./methods.js";

/** A member that may have had another name in the preceding revision. */
export interface RenameCandidate {
  /** JSON Pointer of the member, usable as the target of a note of kind `renamed`. */
  readonly target: string;
  readonly from: string;
}

/**
 * Finds new members of objects that lost a member of the same form. If several lost members fit, all are
 * candidates.
 */
export function renameCandidates(previous: ProtocolModel, model: ProtocolModel): RenameCandidate[] {
  const { lower } = planSteps(previous, model);
  const candidates = lower.planner.objects.flatMap(([newer, older]) => between(newer, older, lower));
  return [...new Map(candidates.map((each) => [`${each.target} ${each.from}`, each])).values()];
}

function between(newer: ShapeArm, older: ShapeArm, { planner }: Way): RenameCandidate[] {
  const named = planner.renamed(newer, older).flatMap(({ from, to }) => [from, to]);
  const owned = planner.ownedBy(newer, older);
  const known = new Set([...named, ...owned.source.keys(), ...owned.target.keys()]);
  const only = (member: ShapeArm, other: ShapeArm): [string, Conjunction][] =>
    [...member.properties].flatMap(([name, { nodes }]) =>
      known.has(name) || other.properties.has(name) ? [] : [[name, nodes]],
    );
  const gone = only(older, newer);
  return only(newer, older).flatMap(([, nodes]) =>
    gone
      .filter(([, former]) => form(planner.source, nodes) === form(planner.target, former))
      .map(([from]) => ({ target: nodes[0]!.pointer, from })),
  );
}

function form(reader: FormReader, nodes: Conjunction): string {
  return formSignature(reader, reader.of(nodes));
}
