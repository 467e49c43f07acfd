import { readFileSync } from "node:fs";
import { type JsonObject, type JsonValue, type Schema, readSchema } from "@mcpgen/engine";
import { applyNotes } from "../../generator/notes/apply.js";
import { parseNotes } from "../../generator/notes/parse.js";
import { documentOf } from "../support/revisions.js";

/** A schema and the document it was read from. */
export interface Subject {
  readonly document: JsonObject;
  readonly schema: Schema;
}

/** A revision as upstream published it. */
export function published(revision: string): Subject {
  const document = documentOf(revision);
  return { document, schema: readSchema(document) };
}

/** A revision corrected by its notes, as it is shipped. */
export function corrected(revision: string): Subject {
  const file = new URL(`../../schema/${revision}/notes.json`, import.meta.url);
  const value = JSON.parse(readFileSync(file, "utf8")) as JsonValue;
  const { document, nodeRemarks } = applyNotes(
    documentOf(revision),
    parseNotes({ file: file.pathname, value }),
  );
  return { document, schema: readSchema(document, { nodeRemarks: (at) => nodeRemarks.get(at) }) };
}
