import { type JsonObject, type JsonValue, atPointer, isJsonObject, jsonEqual } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { nameAdvice } from "../../diagnostics/suggest.js";
import type { JsonFile } from "../../files/json-file.js";
import type { Note } from "../../notes/note.js";
import { parseNotes } from "../../notes/parse.js";
import { notesText, noteEntries, targetsOf, withoutTargets } from "../../revision/carried-notes.js";
import { basePrefix } from "../flatten.js";

/** The initial notes of an extension version. */
export interface NewNotes {
  /** The content of notes.json. */
  readonly text: string;
  readonly notes: readonly Note[];
  /** The version that the notes were carried over from. */
  readonly from?: string;
  readonly carried: number;
  /** Reasons for notes, or targets of notes, that were omitted. */
  readonly dropped: readonly string[];
}

/** The subjects that notes can refer to. */
export interface NoteSubjects {
  /** The extension's schema in canonical form. */
  readonly document: JsonObject;
  readonly bases: readonly { readonly revision: string; readonly document: JsonObject }[];
  /** Methods of the extension and of its bases. */
  readonly methods: ReadonlySet<string>;
}

/** Places of objects that a program closed and that a note opens again. */
type Reopened = readonly string[];

/** The notes from a file given by the user, which must fit this schema, and the note about closed objects. */
export function givenNotes(file: JsonFile, subjects: NoteSubjects, reopened: Reopened): NewNotes {
  const bases = subjects.bases.map(({ revision }) => revision);
  parseNotes(file, { bases });
  const entries = noteEntries(file.value);
  const dropped = entries.flatMap((entry) => faultsOf(entry, subjects).map(({ text }) => text));
  return { ...notesFile([...entries, ...reopening(entries, reopened)], bases), carried: 0, dropped };
}

/** The notes of another version, marked as carried, without those whose subject does not exist here. */
export function carriedOver(
  file: JsonFile,
  from: string,
  subjects: NoteSubjects,
  reopened: Reopened,
): NewNotes {
  const bases = subjects.bases.map(({ revision }) => revision);
  const dropped: string[] = [];
  const written = noteEntries(file.value).filter(({ reason }) => reason !== derived);
  const entries = written.flatMap((entry) => {
    const faults = faultsOf(entry, subjects);
    dropped.push(...faults.map(({ text }) => text));
    return forBases(
      withoutTargets(
        entry,
        faults.map(({ target }) => target),
      ),
      bases,
    );
  });
  const carried = entries.map((entry): JsonObject => ({ ...entry, carried: true }));
  const all = [...carried, ...reopening(entries, reopened)];
  return { ...notesFile(all, bases), from, carried: carried.length, dropped };
}

/** Only the notes that follow from the schema. */
export function derivedNotes(subjects: NoteSubjects, reopened: Reopened): NewNotes {
  const bases = subjects.bases.map(({ revision }) => revision);
  return { ...notesFile(reopening([], reopened), bases), carried: 0, dropped: [] };
}

/** The side that sends a method, as in a note of kind `sender`. */
export type Sender = "client" | "server" | "both";

/**
 * Adds a note of kind `sender` for each method, and removes the method from other notes of that kind.
 *
 * @param methods methods of the extension
 * @throws CodedError MG2004 for a method that the extension does not have
 */
export function withSenders(
  { text, ...rest }: NewNotes,
  senders: ReadonlyMap<string, Sender>,
  methods: ReadonlySet<string>,
  bases: NoteSubjects["bases"],
): NewNotes {
  for (const method of senders.keys()) expectMethod(method, methods);
  const named = new Set(senders.keys());
  const others = noteEntries(JSON.parse(text) as JsonValue).flatMap((entry) =>
    entry["kind"] === "sender" ? withoutTargets(entry, named) : [entry],
  );
  const given = (["client", "server", "both"] as const).flatMap((sender): JsonObject[] => {
    const target = [...senders].flatMap(([method, side]) => (side === sender ? [method] : []));
    if (target.length === 0) return [];
    const one = target.length === 1 ? target[0]! : target;
    return [{ kind: "sender", target: one, sender, reason: "Given with --sender.", link: "" }];
  });
  return {
    ...rest,
    ...notesFile(
      [...others, ...given],
      bases.map(({ revision }) => revision),
    ),
  };
}

function expectMethod(method: string, methods: ReadonlySet<string>): void {
  if (methods.has(method)) return;
  throw new CodedError("MG2004", `--sender: there is no method ${JSON.stringify(method)}`, {
    next: nameAdvice(method, methods, "Write a method of the extension."),
  });
}

function notesFile(
  entries: readonly JsonObject[],
  bases: readonly string[],
): Pick<NewNotes, "text" | "notes"> {
  const value = { format: 1, notes: [...entries] };
  return {
    text: notesText(entries),
    notes: parseNotes({ file: "notes.json", value }, { bases }),
  };
}

/** Reason text of the note that is derived from the file, for every version again. */
const derived =
  "Derived: the file says of every object what other members may be, as programs print types that are open.";

/** The note that opens objects closed by a program, unless another note does. */
function reopening(entries: readonly JsonObject[], reopened: Reopened): JsonObject[] {
  const open = new Set(entries.filter(({ kind }) => kind === "open").flatMap(targetsOf));
  const target = reopened.filter((place) => !open.has(place));
  if (target.length === 0) return [];
  return [{ kind: "open", target: target.length === 1 ? target[0]! : target, reason: derived, link: "" }];
}

interface Fault {
  readonly target: string;
  readonly text: string;
}

function faultsOf(entry: JsonObject, subjects: NoteSubjects): Fault[] {
  const reason = wholeFault(entry, subjects);
  return targetsOf(entry).flatMap((target) => {
    const fault = reason ?? targetFault(entry, target, subjects);
    return fault === undefined ? [] : [{ target, text: `${String(entry["kind"])} on ${target}: ${fault}` }];
  });
}

/** The fault of a note whose fields name a definition or place that does not exist. */
function wholeFault(entry: JsonObject, { document, bases }: NoteSubjects): string | undefined {
  const { kind, result, definition, filter, base } = entry;
  if (["lower", "lift", "renamed", "reshaped", "wrapped"].includes(String(kind)))
    return "it is about two revisions";
  for (const name of [result, definition, base]) {
    if (typeof name !== "string") continue;
    const plain = name.replace(`${basePrefix}#/$defs/`, "");
    const isThere = [document, ...bases.map((one) => one.document)].some(
      ({ $defs }) => isJsonObject($defs) && Object.hasOwn($defs, plain),
    );
    if (!isThere) return `there is no definition ${JSON.stringify(name)}`;
  }
  if (typeof filter === "string" && placeOf(filter, document, bases) === undefined)
    return `there is nothing at ${filter}`;
  return undefined;
}

function targetFault(entry: JsonObject, target: string, subjects: NoteSubjects): string | undefined {
  const { document, bases, methods } = subjects;
  const { kind, becomes } = entry;
  if (kind === "error") return undefined;
  if (!target.startsWith("/") && !target.startsWith(`${basePrefix}#`)) {
    if (kind === "member" || target === "*" || methods.has(target)) return undefined;
    return `there is no method ${JSON.stringify(target)}`;
  }
  const place = placeOf(target, document, bases);
  if (place === undefined) return "the schema has nothing at this place";
  if (becomes !== undefined && jsonEqual(becomes, place)) return "the schema already says so";
  return undefined;
}

function placeOf(target: string, document: JsonObject, bases: NoteSubjects["bases"]): JsonValue | undefined {
  if (!target.startsWith(`${basePrefix}#`)) return atPointer(document, target);
  const at = target.slice(basePrefix.length + 1);
  return bases.map((base) => atPointer(base.document, at)).find((found) => found !== undefined);
}

/** The entries, limited to the extension's bases. */
function forBases(entries: readonly JsonObject[], known: readonly string[]): JsonObject[] {
  return entries.flatMap((entry) => {
    const { bases } = entry;
    if (!Array.isArray(bases)) return [entry];
    const left = bases.filter((base) => known.includes(String(base)));
    return left.length > 0 ? [{ ...entry, bases: left }] : [];
  });
}
