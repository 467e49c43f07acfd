import { fileURLToPath } from "node:url";
import { type JsonValue, canonicalise, escapeToken, readSchema } from "@mcpgen/engine";
import { loadDocumentation } from "../../generator/revision/schema-source.js";
import { loadRevision, storedRevision } from "../../generator/revision/revision-source.js";
import { type BuiltModel, buildModel } from "../../generator/model/build-model.js";
import type { Method, ProtocolModel } from "../../generator/model/model.js";
import type { Note } from "../../generator/notes/note.js";

const schemaDir = fileURLToPath(new URL("../../schema/", import.meta.url));

/** The model of a released revision, with notes and documentation. */
export function releasedModel(revision: string): Promise<ProtocolModel> {
  return storedModel(revision, true);
}

/** The model of the published schema, without notes. */
export function publishedModel(revision: string): Promise<ProtocolModel> {
  return storedModel(revision, false);
}

async function storedModel(revision: string, notes: boolean): Promise<ProtocolModel> {
  const source = storedRevision(schemaDir, revision, "released", notes);
  return (await loadRevision(source, await loadDocumentation(schemaDir))).model;
}

/** A note in the form of a file, with its targets and the fields that only the model reads. */
export type NoteText = {
  [K in Note["kind"]]: Omit<Extract<Note, { kind: K }>, "reason" | "link" | "carried" | "pointer">;
}[Note["kind"]];

/** The model of a schema made of `definitions`. */
export function built(
  definitions: { [name: string]: JsonValue },
  notes: readonly NoteText[] = [],
): BuiltModel {
  const schema = readSchema(canonicalise({ $defs: definitions }));
  const complete = notes.map(
    (note) => ({ reason: "", link: "", carried: false, pointer: "", ...note }) as Note,
  );
  return buildModel({ revision: "2099-01-01", status: "released", schema, notes: complete });
}

/** As `built`, for tests that need only the model. */
export function modelOf(
  definitions: { [name: string]: JsonValue },
  notes: readonly NoteText[] = [],
): ProtocolModel {
  return built(definitions, notes).model;
}

export function methodOf(model: ProtocolModel, name: string): Method {
  const method = model.methods.find((candidate) => candidate.name === name);
  if (!method) throw new Error(`the model has no method ${name}`);
  return method;
}

/** Makes the definition of a message without its envelope. */
export function message(
  method: string,
  members: { [name: string]: JsonValue } = {},
  required: string[] = [],
): JsonValue {
  return object({ method: { type: "string", const: method }, ...members }, ["method", ...required]);
}

export function object(properties: { [name: string]: JsonValue }, required: string[] = []): JsonValue {
  return { type: "object", properties, required };
}

export function ref(name: string): JsonValue {
  return { $ref: `#/$defs/${escapeToken(name)}` };
}

export function anyOf(...names: string[]): JsonValue {
  return { anyOf: names.map(ref) };
}
