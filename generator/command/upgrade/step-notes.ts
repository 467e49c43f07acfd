import {
  type JsonObject,
  type JsonValue,
  type Schema,
  descendants,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import type { Undecided } from "../../emit/steps/decisions.js";
import { planSteps } from "../../emit/steps/methods.js";
import type { ProtocolModel } from "../../model/model.js";
import type { StepNote } from "../../notes/note.js";
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
    ...{ reason: "", link: "", carried: false, pointer: "" },
    ...ways[way]!,
  } as unknown as StepNote;
}

/** What a note can say: a value for a member that must be there; a text in the place of a value, or nothing; a refusal. */
function waysOf({ pointer: place, what, isAbsent }: Undecided, target: Schema): JsonObject[] {
  const refusal: JsonObject = { how: "refuse", code: codeOf(place, what) };
  if (!isAbsent) return [{ how: "text", text: `[${what.replace(/[{}]/g, "")}]` }, { how: "drop" }, refusal];
  const value = sampleAt(target, place);
  return [...(value === undefined ? [] : [{ how: "fill", value }]), refusal];
}

/** The simplest value that a place of a schema takes. */
function sampleAt(schema: Schema, place: string): JsonValue | undefined {
  const definition = schema.definitions.get(pointerTokens(place)[1] ?? "");
  const node = definition && [...descendants(definition.node)].find((each) => each.pointer === place);
  return node && minimalAt(schema, node);
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
