import { formSignature } from "../../compare/align/pair.js";
import type { FormReader } from "../../compare/shape/form-reader.js";
import type { Conjunction, ShapeArm } from "../../compare/shape/form.js";
import type { ProtocolModel } from "../../model/model.js";
import { type Way, planSteps } from "./methods.js";

/** A member that may have had another name in the revision before. */
export interface RenameCandidate {
  /** JSON Pointer of the member, as a note of kind `renamed` has it for target. */
  readonly target: string;
  readonly from: string;
}

/**
 * Members that are new, of objects of which a member of the same form is gone. Where several of one object have
 * that form, any may be the one: all are given.
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
