import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { JsonFile } from "../../generator/files/json-file.js";
import type { Note } from "../../generator/notes/note.js";
import { parseNotes } from "../../generator/notes/parse.js";

/** Makes notes with a placeholder reason and link. */
export function notes(...entries: JsonObject[]): Note[] {
  const complete = entries.map((entry) => ({ reason: "Because.", link: "https://example.com", ...entry }));
  return parseNotes({ file: "notes.json", value: { format: 1, notes: complete } });
}

/** The committed notes file of a revision. */
export function notesFileOf(revision: string): JsonFile {
  const url = new URL(`../../schema/${revision}/notes.json`, import.meta.url);
  const text = readFileSync(url, "utf8");
  return { file: "notes.json", text, value: JSON.parse(text) as JsonValue };
}

/** The committed notes of a revision. */
export function notesOf(revision: string): Note[] {
  return parseNotes(notesFileOf(revision));
}
