import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, naturalCompare } from "@mcpgen/engine";
import { loadJson } from "../input/json-file.js";
import { carryNotes } from "../notes/carry.js";
import type { Lock } from "./lock.js";

/** The notes a new revision starts with. */
export interface CarriedNotes {
  /** What notes.json holds. */
  readonly text: string;
  /** The revision they were copied from, if any. */
  readonly from?: string;
  readonly carried: number;
  /** Notes left out, each with the reason. */
  readonly dropped: readonly string[];
}

/** Copies the notes of the newest released revision to a new one whose schema is `document`. */
export async function carriedNotes(
  schemaDir: string,
  revision: string,
  document: JsonObject,
  lock: Lock,
): Promise<CarriedNotes> {
  const from = newestReleased(schemaDir, revision, lock);
  if (from === undefined) return { text: notesText([]), carried: 0, dropped: [] };
  const schemaFile = { file: join(schemaDir, revision, "schema.json"), text: JSON.stringify(document) };
  const { notes, dropped } = await carryNotes(
    schemaFile,
    document,
    await loadJson(notesFileOf(schemaDir, from)),
  );
  return {
    text: notesText(notes),
    from,
    carried: notes.length,
    dropped: dropped.map(({ note, target, message }) => `${note.kind} on ${target}: ${message}`),
  };
}

function newestReleased(schemaDir: string, except: string, lock: Lock): string | undefined {
  return [...lock]
    .filter(
      ([name, { status }]) =>
        name !== except && status === "released" && existsSync(notesFileOf(schemaDir, name)),
    )
    .map(([name]) => name)
    .sort(naturalCompare)
    .at(-1);
}

function notesFileOf(schemaDir: string, revision: string): string {
  return join(schemaDir, revision, "notes.json");
}

function notesText(notes: readonly JsonObject[]): string {
  return JSON.stringify({ format: 1, notes }, null, 2) + "\n";
}
