import { join } from "node:path";
import type { JsonObject } from "@mcpgen/engine";
import {
  type ExtensionSource,
  type StoredExtension,
  readExtension,
} from "../../generator/extension/extension-store.js";
import { parseJson } from "../../generator/files/json-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The contents of the three files of an extension. */
export interface ExtensionText {
  readonly id: string;
  readonly version?: string;
  readonly bases: readonly string[];
  readonly about?: JsonObject;
  readonly definitions: JsonObject;
  readonly notes?: readonly JsonObject[];
}

const remarks = { reason: "Because.", link: "https://example.com" };

function filesOf({ id, version = "1.0.0", bases, about, definitions, notes = [] }: ExtensionText): {
  readonly extension: string;
  readonly schema: string;
  readonly notes: string;
} {
  const place = `/extensions/${id.replace("/", "~1")}`;
  const file = { format: 1, id, version, status: "draft", bases, declared: { server: place }, ...about };
  return {
    extension: JSON.stringify(file, null, 2),
    schema: JSON.stringify({ $defs: definitions }, null, 2),
    notes: JSON.stringify({ format: 1, notes: notes.map((note) => ({ ...remarks, ...note })) }, null, 2),
  };
}

/** The source of an extension. */
export async function sourceOf(text: ExtensionText): Promise<ExtensionSource> {
  const { extension, schema, notes } = filesOf(text);
  return readExtension({
    extension: await parseJson(extension, "extension.json"),
    schema: await parseJson(schema, "schema.json"),
    notes: await parseJson(notes, "notes.json"),
  });
}

/** An extension in a schema folder. */
export function stored(text: ExtensionText): StoredExtension {
  const { id, version = "1.0.0" } = text;
  const { extension, schema, notes } = filesOf(text);
  const root = temporaryFolder({ "extension.json": extension, "schema.json": schema, "notes.json": notes });
  return { id, version, folder: join(root) };
}

/** A message with its params. */
export const request = (method: string, params: JsonObject = { type: "object" }): JsonObject => ({
  allOf: [
    { $ref: "base#/$defs/JSONRPCRequest" },
    {
      type: "object",
      required: ["method"],
      properties: { method: { const: method, type: "string" }, params },
    },
  ],
});

export const notification = (method: string, params: JsonObject = { type: "object" }): JsonObject => ({
  allOf: [
    { $ref: "base#/$defs/JSONRPCNotification" },
    {
      type: "object",
      required: ["method"],
      properties: { method: { const: method, type: "string" }, params },
    },
  ],
});

/** A result with further members. */
export const result = (properties: JsonObject): JsonObject => ({
  allOf: [{ $ref: "base#/$defs/Result" }, { type: "object", required: Object.keys(properties), properties }],
});
