import {
  type JsonObject,
  type JsonValue,
  atPointer,
  canonicalText,
  canonicalise,
  isJsonObject,
} from "@mcpgen/engine";
import type { NoteConflict } from "../notes/conflict.js";
import type { Note } from "../notes/note.js";
import { type LoadedRevision, type RevisionSource, readDocument } from "./revision-source.js";

/** A revision, read and resolved, and its files. */
interface Loaded {
  readonly source: RevisionSource;
  readonly loaded: LoadedRevision;
}

/**
 * Carried notes about places that the schema describes otherwise than that of the revision before: the notes replace, or
 * rely on, what was there.
 */
export async function changedPlaces(current: Loaded, previous: Loaded): Promise<NoteConflict[]> {
  const notes = current.loaded.carried.filter(({ kind }) => relying.has(kind));
  if (notes.length === 0) return [];
  const { revision } = previous.source;
  const [before, now] = await Promise.all(
    [previous, current].map(async ({ source }) => (await readDocument(source)).document),
  );
  return notes.flatMap((note) =>
    note.targets.flatMap((target): NoteConflict[] => {
      const message =
        note.kind === "error"
          ? lostCode(target, current.loaded, previous.loaded, revision)
          : changeAt(note, target, before!, now!, revision);
      return message === undefined ? [] : [{ note, target, message }];
    }),
  );
}

/** Kinds of notes that replace what the schema says at their target, or that are true only of what stood there. */
const relying: ReadonlySet<Note["kind"]> = new Set(["errata", "error", "open", "owned"]);

function changeAt(
  { kind }: Note,
  target: string,
  before: JsonObject,
  now: JsonObject,
  revision: string,
): string | undefined {
  const [old, next] = [atPointer(before, target), atPointer(now, target)];
  if (old === undefined || next === undefined || textOf(old) === textOf(next)) return undefined;
  if (kind === "open")
    return isClosed(next) && !isClosed(old)
      ? `the schema closes the object, which was open in ${revision}`
      : undefined;
  const effect =
    kind === "owned" ? "the protocol machinery fills in what it was" : "the note replaces what stands there";
  return `the schema has changed here since ${revision}, from ${shown(old)} to ${shown(next)}: ${effect}`;
}

/** A code that a definition had, and that none has now. */
function lostCode(
  target: string,
  { model }: LoadedRevision,
  previous: LoadedRevision,
  revision: string,
): string | undefined {
  const of = ({ errors }: LoadedRevision["model"]) =>
    errors.find(({ code, definition }) => String(code) === target && definition !== undefined)?.definition;
  const before = of(previous.model);
  if (before === undefined || of(model) !== undefined) return undefined;
  const moved = model.errors.find(({ definition }) => definition === before);
  const now = moved ? `${before} has ${moved.code} now` : "no definition has it now";
  return `${before} had this code in ${revision}, and ${now}`;
}

function isClosed(node: JsonValue): boolean {
  return isJsonObject(node) && node["additionalProperties"] === false;
}

/** The schema without its prose. */
function textOf(node: JsonValue): string {
  return isJsonObject(node)
    ? canonicalText(canonicalise({ $defs: { node } }, { descriptions: false }))
    : canonicalText(node);
}

/** The beginning of a schema. */
function shown(node: JsonValue): string {
  const text = JSON.stringify(node);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
