import {
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  descendants,
  pointer,
  pointerTokens,
  groupBy,
} from "@mcpgen/engine";
import type { Assumption, Method, ProtocolModel } from "../../model/model.js";
import type { Note, RenamedNote, StepNote } from "../../notes/note.js";
import { counted } from "../../print/terminal-text.js";
import { type Decision, type Question, asking, noteOf, replacing } from "./question.js";
import type { Undecided } from "../../targets/typescript/steps/decisions.js";
import { planSteps } from "../../targets/typescript/steps/methods.js";
import type { RenameCandidate } from "../../targets/typescript/steps/rename-candidates.js";
import { minimalAt } from "../../sample/sample.js";

/** The inputs of the questions about assumptions. */
interface Assumed {
  readonly assumptions: readonly Assumption[];
  readonly model: ProtocolModel;
  /** The model of the preceding revision. */
  readonly before: ProtocolModel | undefined;
  /** The notes in the notes file; undefined if there is no file. */
  readonly notes: readonly Note[] | undefined;
  /** Questions about values that conversion steps refuse. */
  readonly steps: readonly Question[];
  readonly file: string;
}

/** Decisions about assumptions that neither the schema nor notes confirm, grouped by kind. */
export function assumed(given: Assumed): Decision[] {
  return [...groupBy(given.assumptions, ({ kind }) => kind)].map(([kind, all]): Decision => ({
    kind: "assumption",
    title: `${counted(all.length, "thing")} assumed about ${kind}`,
    advice: "If an assumption is wrong, correct it with a note; `mcpgen explain MG1201` lists the kinds.",
    file: given.file,
    items: all.map(({ subject, text }) => `${subject}: ${text}`),
    questions: kind === "lower" ? given.steps : all.flatMap((one) => questionsOf(one, given)),
  }));
}

/** Questions with notes that state the assumption, for the user to confirm or correct. */
function questionsOf(assumption: Assumption, given: Assumed): Question[] {
  const { subject, text } = assumption;
  const all = `${subject}: ${text}`;
  // Without a notes file, some facts are assumed that a file must state. All notes must be added together, so
  // the first question offers all of them.
  if (!given.notes) return [asking(all, ...(isFirst(assumption, given) ? wholeFile(given) : []))];
  if (assumption.kind === "alternative") return alternatives(assumption, all, given.model, given.notes);
  const note = noteFor(assumption, given);
  return [note ? asking(`${all} Is that right?`, note) : asking(all)];
}

/** Whether this is the first assumption with a note; it offers the notes of all. */
function isFirst(assumption: Assumption, given: Assumed): boolean {
  return given.assumptions.find((one) => noteFor(one, given) !== undefined) === assumption;
}

/** The notes that state all assumptions about a schema without notes. */
function wholeFile(given: Assumed): JsonObject[] {
  return given.assumptions.flatMap((one): JsonObject[] => {
    const note = noteFor(one, given);
    return note ? [note] : [];
  });
}

function noteFor(assumption: Assumption, { model, before }: Assumed): JsonObject | undefined {
  const { kind, subject } = assumption;
  const method = model.methods.find(({ name }) => name === subject);
  switch (kind) {
    case "extends":
      return noteOf("extends", textsOf(assumption.value), { base: subject });
    case "open":
      return noteOf("open", textsOf(assumption.value));
    case "error": {
      const error = model.errors.find(({ code }) => String(code) === subject);
      const http = before?.errors.find(({ name }) => name === error?.name)?.http ?? error?.http;
      return error && noteOf("error", [subject], { name: error.name, ...(http !== undefined && { http }) });
    }
    case "pairing": {
      const result = method?.result?.definition;
      return result === undefined ? undefined : noteOf("pairing", [subject], { result });
    }
    case "sender":
      return method && noteOf("sender", [subject], { sender: senderOf(method) });
    default:
      return undefined;
  }
}

function senderOf({ senders }: Method): string {
  return senders.length === 2 ? "both" : senders[0]!;
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * Questions about an alternative result: one note for each method that may return it, with its discriminator.
 */
function alternatives(
  { subject }: Assumption,
  text: string,
  { methods }: ProtocolModel,
  notes: readonly Note[],
): Question[] {
  const answered = methods.filter(({ result }) =>
    result?.alternatives.some(({ definition }) => definition === subject),
  );
  const marked = answered.flatMap((method): Question[] => {
    const { result, name } = method;
    const mark = result!.alternatives.find(({ definition }) => definition === subject)?.discriminator;
    if (mark?.value === undefined || result!.definition === undefined) return [];
    const present = notes.find((note) => note.kind === "pairing" && note.targets.includes(name));
    const note = noteOf("pairing", [name], {
      result: result!.definition,
      alternatives: result!.alternatives.map(({ definition }) => definition),
      alternativeMark: { [mark.key]: mark.value },
    });
    if (!present) return [asking(`${text} Is that right of ${name}?`, note)];
    return present.targets.length === 1
      ? [replacing(`${text} Is that right of ${name}?`, present.pointer, note)]
      : [];
  });
  return marked.length > 0 ? marked : [asking(text)];
}

/** Whether two assumptions are equal. */
export function isSame(one: Assumption, other: Assumption): boolean {
  return one.kind === other.kind && one.subject === other.subject && one.text === other.text;
}

type Direction = StepNote["kind"];

/** The possible notes for a value, from the least loss to the greatest, and the one tried now. */
interface Choice {
  readonly pointer: string;
  readonly ways: readonly JsonObject[];
  way: number;
}

/** A value that steps refuse, and a note that defines another conversion. */
export interface StepProposal {
  readonly pointer: string;
  readonly what: string;
  readonly note: JsonObject;
}

/**
 * The model as if the candidates for renamed members were confirmed, so that their values need no other note.
 * A member with several candidate names is left unchanged.
 */
export function withRenames(
  model: ProtocolModel,
  previous: ProtocolModel,
  candidates: readonly RenameCandidate[],
): ProtocolModel {
  const isOnly = (one: RenameCandidate): boolean =>
    candidates.every(
      (each) => each === one || (each.target !== one.target && formerPlace(each) !== formerPlace(one)),
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

/** The pointer of the member under its earlier name. */
export function formerPlace({ target, from }: RenameCandidate): string {
  return target.replace(/[^/]*$/, from);
}

/** Fields of a note that trying it does not need. */
const unwritten = { reason: "", link: "", carried: false, pointer: "" } as const;

/** Maximum number of rounds. Each round replaces the notes that failed with their next alternative. */
const mostRounds = 12;

/**
 * Proposes notes for all values that the other revision cannot express, if a note can address them. Each
 * proposal was tried: it is possible and has an effect. They must be added together: once one note exists for
 * a pair of revisions, every such value needs one.
 *
 * @param direction `lower`: converts values of the new revision to the preceding one; `lift`: the opposite
 * direction
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
    // Without a note to try, this is the plan of the generated output.
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

/** The best target for a note: the definition of the value itself rather than the union around it. */
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

/**
 * The possible notes for a value: a value for a required member or a constant, a text in its place, omission,
 * or refusal.
 */
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

/** A stable code for a refusal, made of the definition and the member, in lower case with hyphens. */
function codeOf(place: string, what: string): string {
  const tokens = pointerTokens(place).filter(
    (token) => !/^(?:\$defs|properties|items|anyOf|oneOf|\d+)$/.test(token),
  );
  const words = [...new Set([...tokens, ...(tokens.length === 0 ? [what] : [])])].join(" ");
  const parts = words.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  const code = parts.join("-").toLowerCase();
  return /^[a-z]/.test(code) ? code : "not-expressible";
}
