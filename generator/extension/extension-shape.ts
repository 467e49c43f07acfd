import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { type Shape, listOf, objectOf, oneOf, schemaOf, text, textLike } from "../files/json-shape.js";
import { idPattern, versionPattern } from "./extension-id.js";

const pointerPattern = "^(?:/(?:[^~/]|~[01])*)+$";

/** A JSON Pointer that names a part, or `null` where the side has none. */
const path = (description: string): Shape => ({
  expected: "a JSON Pointer such as /extensions/com.example~1search, or null",
  fits: (value) => value === null || (typeof value === "string" && new RegExp(pointerPattern).test(value)),
  schema: { type: ["string", "null"], pattern: pointerPattern, description },
});

const definition = (description: string): Shape => ({
  expected: "a definition such as #/$defs/Settings, or null",
  fits: (value) => value === null || (typeof value === "string" && /^#\/\$defs\/[^/]+$/.test(value)),
  schema: { type: ["string", "null"], pattern: "^#/\\$defs/[^/]+$", description },
});

/** A text whose form has an error with a separate code; the schema has the pattern. */
const named = (pattern: string, expected: string, description: string): Shape => ({
  expected,
  fits: (value) => typeof value === "string",
  schema: { type: "string", pattern, description },
});

/** An array that has items, each once. */
function someOf(items: Shape, description: string): Shape {
  const list = listOf(items, description);
  return {
    ...list,
    expected: "an array of different items",
    fits: (value) => Array.isArray(value) && value.length > 0 && new Set(value).size === value.length,
    schema: { ...list.schema, minItems: 1, uniqueItems: true },
  };
}

const declared: Shape = {
  ...objectOf(
    {
      client: path("Place of the settings in the capabilities of a client."),
      server: path("Place of the settings in the capabilities of a server."),
    },
    "Where each side declares the extension. A side without a place declares nothing.",
  ),
  expected: "an object that gives one side a place at least",
  fits: (value) => isJsonObject(value) && ["client", "server"].some((side) => (value[side] ?? null) !== null),
};

/** Modules of an extension that a role of a channel cannot be called after, and the sides of the protocol. */
const taken = [
  ...["authoring", "client", "explain", "formats", "index", "methods", "open"],
  ...["patterns", "server", "steps", "types", "validators", "vectors"],
];

/** Roles name modules and types. */
const rolePattern = `^(?!(?:${taken.join("|")})$)[a-z][a-z0-9]*$`;

const role = textLike(
  rolePattern,
  "a name of small letters and digits that begins with a letter and that no other module has, such as view",
  "Role on the channel. It names a module.",
);

const channel = objectOf(
  {
    roles: {
      ...someOf(role, "Who takes part in it."),
      expected: "an array of at least two different roles, such as view and host",
      fits: (value) => Array.isArray(value) && value.length > 1 && new Set(value).size === value.length,
      schema: { type: "array", description: "Who takes part in it.", minItems: 2, uniqueItems: true },
    },
    handshake: objectOf(
      {
        request: text("Method of the first request."),
        confirmation: text("Method of the notification that the same role sends after the answer."),
      },
      "The messages that open it.",
      ["request"],
    ),
  },
  "A second channel with roles that are neither client nor server. Notes of kind channel say what travels on it.",
  ["roles", "handshake"],
);

/** The content of extension.json. Keys stand in the order of the documentation. */
export const extensionShape: Shape = objectOf(
  {
    $schema: text("Location of this schema, for editors."),
    format: oneOf([1], "Form of the file."),
    id: named(idPattern, "an id such as com.example/search", "Id as the sides declare it: prefix/name."),
    version: named(versionPattern, "a version such as 2026-07-28 or 1.2.0", "Version of the extension."),
    status: oneOf(
      ["released", "draft", "handwritten"],
      "Status of the schema. A handwritten schema was written from the text of a specification.",
    ),
    bases: someOf(text("Id of a revision."), "Revisions of the protocol that the extension extends."),
    declared,
    settings: objectOf(
      {
        client: definition("Definition of the settings of a client."),
        server: definition("Definition of the settings of a server."),
      },
      "What the sides declare. Without a definition, the settings are an object of any members.",
    ),
    needs: objectOf(
      {
        capabilities: someOf(
          textLike(pointerPattern, "a JSON Pointer such as /resources", "JSON Pointer of a capability."),
          "Capabilities that a server which declares the extension declares, too.",
        ),
        extensions: someOf(
          named(idPattern, "an id such as com.example/search", "Id of an extension."),
          "Extensions without which this one is of no use.",
        ),
      },
      "What must be there beside the extension.",
    ),
    channel,
    description: text("What the extension adds, in one sentence."),
    link: text("Location of its specification."),
  },
  "An extension of the Model Context Protocol. The messages are in schema.json beside the file.",
  ["format", "id", "version", "status", "bases", "declared"],
);

/** The JSON Schema of `extension.json`. It is written to docs/extension.schema.json for editors. */
export function extensionSchema(): JsonObject {
  const schema = schemaOf(extensionShape);
  const properties = schema["properties"] as JsonObject;
  const pointerOf = (side: string): JsonObject => ({
    properties: { [side]: { type: "string" } },
    required: [side],
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mcpgen extension",
    ...schema,
    properties: {
      ...properties,
      declared: {
        ...(properties["declared"] as JsonObject),
        anyOf: [pointerOf("client"), pointerOf("server")],
      },
    },
  };
}
