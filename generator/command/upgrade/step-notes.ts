import {
  type JsonObject,
  type Schema,
  type SchemaNode,
  descendants,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import type { Undecided } from "../../emit/steps/decisions.js";
import { planSteps } from "../../emit/steps/methods.js";
import type { ProtocolModel } from "../../model/model.js";
import type { RenameCandidate } from "../../emit/steps/rename-candidates.js";
import type { RenamedNote, StepNote } from "../../notes/note.js";
import { minimalAt } from "../../sample/sample.js";
import { noteOf } from "./question.js";

type Direction = StepNote["kind"];

/** How the note of a value may decide, the least loss first. */
interface Choice {
  readonly pointer: string;
  readonly ways: readonly JsonObject[];
  way: number;
}

/** A value that steps refuse, and the note that decides otherwise. */
export interface StepProposal {
  readonly pointer: string;
  readonly what: string;
  readonly note: JsonObject;
}

/**
 * The model as it is if members were renamed that may have been: their values need no other note. Members that may have had
 * several names are left as they are.
 */
export function withRenames(
  model: ProtocolModel,
  previous: ProtocolModel,
  candidates: readonly RenameCandidate[],
): ProtocolModel {
  const isOnly = (one: RenameCandidate): boolean =>
    candidates.every(
      (each) => each === one || (each.target !== one.target && placeOf(each) !== placeOf(one)),
    );
  const notes = candidates.filter(isOnly).map(({ target, from }): RenamedNote => ({
    kind: "renamed",
    targets: [target],
    previous: previous.revision,
    from,
    ...unwritten,
  }));
  return notes.length === 0 ? model : { ...model, renames: [...model.renames, ...notes] };
}

/** Where the member stood under its other name. */
function placeOf({ target, from }: RenameCandidate): string {
  return target.replace(/[^/]*$/, from);
}

/** What a note to try does not need. */
const unwritten = { reason: "", link: "", carried: false, pointer: "" } as const;

/** Rounds after which a proposal is given up: each round tries the next way of the notes that did not do. */
const mostRounds = 12;

/**
 * Notes for all values that have no form at the other revision, as far as a note can speak of them. Each was tried: it can
 * be done as it says, and decides something. They belong together, because one note on a pair of revisions says that people
 * have decided, and then every value needs one.
 *
 * @param direction `lower`: values of the new revision on their way to the one before; `lift`: the other way
 */
export function stepProposals(
  direction: Direction,
  previous: ProtocolModel,
  model: ProtocolModel,
): StepProposal[] {
  const target = direction === "lower" ? previous.schema : model.schema;
  const choices = new Map<string, Choice>();
  const found = new Map<string, Undecided>();
  for (let round = 0; round < mostRounds; round++) {
    const tried = [...choices.values()].map((choice) => tryNote(direction, previous, choice));
    // Without a note to try, the plan is the one that the output has.
    const noted = tried.length === 0 ? model : { ...model, stepNotes: [...model.stepNotes, ...tried] };
    const { decisions } = planSteps(previous, noted)[direction];
    const isTried = ({ note }: { readonly note: StepNote }): boolean => tried.includes(note);
    const failed = [...new Set(decisions.impossible.filter(isTried).flatMap(({ note }) => note.targets))];
    const idle = decisions.idle.filter(isTried).map(({ target }) => target);
    const open = decisions.undecided
      .map((one) => ({ ...one, pointer: targetOf(one) }))
      .filter(({ pointer }) => pointer !== "" && !choices.has(pointer));
    for (const target of failed) {
      const choice = choices.get(target)!;
      if (++choice.way >= choice.ways.length) choices.delete(target);
    }
    for (const target of idle) choices.delete(target);
    for (const one of open) {
      if (found.has(one.pointer)) continue;
      found.set(one.pointer, one);
      choices.set(one.pointer, { pointer: one.pointer, ways: waysOf(one, target), way: 0 });
    }
    if (failed.length + idle.length + open.filter(({ pointer }) => choices.has(pointer)).length === 0) break;
  }
  return [...choices.values()].map(({ pointer: place, ways, way }) => ({
    pointer: place,
    what: found.get(place)!.what,
    note: noteOf(direction, [place], { previous: previous.revision, ...ways[way]! }),
  }));
}

/** The place that a note had best be about: the definition of the value itself, rather than the union around it. */
function targetOf({ pointer: first, pointers, what }: Undecided): string {
  const own = pointer("/$defs", what);
  return pointers.includes(own) ? own : first;
}

function tryNote(
  direction: Direction,
  previous: ProtocolModel,
  { pointer: place, ways, way }: Choice,
): StepNote {
  return {
    kind: direction,
    targets: [place],
    previous: previous.revision,
    ...unwritten,
    ...ways[way]!,
  } as unknown as StepNote;
}

/** What a note can say: a value for a member that must be there, or can have one value only; a text in the place of a value, or nothing; a refusal. */
function waysOf({ pointer: place, what, isAbsent }: Undecided, target: Schema): JsonObject[] {
  const refusal: JsonObject = { how: "refuse", code: codeOf(place, what) };
  const node = nodeAt(target, place);
  const value = node && (isAbsent ? minimalAt(target, node) : node.const?.value);
  const fill: JsonObject[] = value === undefined ? [] : [{ how: "fill", value }];
  if (isAbsent) return [...fill, refusal];
  return [...fill, { how: "text", text: `[${what.replace(/[{}]/g, "")}]` }, { how: "drop" }, refusal];
}

function nodeAt(schema: Schema, place: string): SchemaNode | undefined {
  const definition = schema.definitions.get(pointerTokens(place)[1] ?? "");
  return definition && [...descendants(definition.node)].find((each) => each.pointer === place);
}

/** A stable name for a refusal: the definition and the member, in lower case with hyphens. */
function codeOf(place: string, what: string): string {
  const tokens = pointerTokens(place).filter(
    (token) => !/^(?:\$defs|properties|items|anyOf|oneOf|\d+)$/.test(token),
  );
  const words = [...new Set([...tokens, ...(tokens.length === 0 ? [what] : [])])].join(" ");
  const parts = words.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  const code = parts.join("-").toLowerCase();
  return /^[a-z]/.test(code) ? code : "not-expressible";
}
