import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Assumption, Method, ProtocolModel } from "../../model/model.js";
import type { Note } from "../../notes/note.js";
import { counted } from "../../print/counted.js";
import { type Decision, type Question, asking, noteOf, replacing } from "./question.js";

/** The inputs of the questions about assumptions. */
interface Assumed {
  readonly assumptions: readonly Assumption[];
  readonly model: ProtocolModel;
  /** That of the revision before. */
  readonly before: ProtocolModel | undefined;
  /** Those of the notes file; undefined where there is none. */
  readonly notes: readonly Note[] | undefined;
  /** The questions about the values that steps refuse. */
  readonly steps: readonly Question[];
  readonly file: string;
}

/** Assumptions that neither the schema nor notes confirm, by kind. */
export function assumed(given: Assumed): Decision[] {
  const kinds = new Map<string, Assumption[]>();
  for (const one of given.assumptions) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  return [...kinds].map(([kind, all]): Decision => ({
    kind: "assumption",
    title: `${counted(all.length, "thing")} assumed about ${kind}`,
    advice: "If an assumption is wrong, correct it with a note; `mcpgen explain MG1201` lists the kinds.",
    file: given.file,
    items: all.map(({ subject, text }) => `${subject}: ${text}`),
    questions: kind === "lower" ? given.steps : all.flatMap((one) => questionsOf(one, given)),
  }));
}

/** The notes that say what was assumed: to be confirmed, or mended. */
function questionsOf(assumption: Assumption, given: Assumed): Question[] {
  const { subject, text } = assumption;
  const all = `${subject}: ${text}`;
  // Without a file of notes, more is assumed than with one: a file with one note would say less.
  if (!given.notes) return [asking(all, ...(isFirst(assumption, given) ? wholeFile(given) : []))];
  if (assumption.kind === "alternative") return alternatives(assumption, all, given.model, given.notes);
  const note = noteFor(assumption, given);
  return [note ? asking(`${all} Is that right?`, note) : asking(all)];
}

/** The notes of the whole file stand with the first assumption that has one. */
function isFirst(assumption: Assumption, given: Assumed): boolean {
  return given.assumptions.find((one) => noteFor(one, given) !== undefined) === assumption;
}

/** The notes that say what was assumed of a schema without notes. */
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

/** The mark of an alternative, in a note on each method that it may answer. */
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

/** Whether two assumptions say the same. */
export function isSame(one: Assumption, other: Assumption): boolean {
  return one.kind === other.kind && one.subject === other.subject && one.text === other.text;
}
