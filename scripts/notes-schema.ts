import type { JsonObject } from "@mcpgen/engine";
import { expressionSchemas, memberNames } from "../generator/notes/expression.js";
import { extensionKinds, isKind, notesForm, revisionKinds } from "../generator/notes/parse.js";

/**
 * The JSON Schema of `notes.json` for revisions and extensions, written to docs/notes.schema.json for
 * editors. A file has notes that only extensions have, or notes that only revisions have, but not both.
 */
export const notesSchema: JsonObject = {
  ...notesForm,
  if: {
    properties: {
      notes: { contains: { anyOf: [{ required: ["bases"] }, isKind(extensionKinds)] } },
    },
  },
  then: { properties: { notes: { items: { not: isKind(revisionKinds) } } } },
  // In an extension's note without a capability, the extension itself is required.
  allOf: [
    {
      if: { properties: { notes: { contains: isKind(revisionKinds) } } },
      then: {
        properties: {
          notes: { items: { if: isKind(["requires"]), then: { required: ["capability"] } } },
        },
      },
    },
  ],
  $defs: {
    ...notesForm.$defs,
    made: { ...expressionSchemas.made, propertyNames: memberNames },
  },
};
