import type { JsonObject } from "@mcpgen/engine";
import { idPattern, versionPattern } from "./extension-id.js";

const text = (description: string): JsonObject => ({ type: "string", minLength: 1, description });

const pointerPattern = "^(?:/(?:[^~/]|~[01])*)+$";

/** A JSON Pointer into the capabilities of a side, or `null` where the side has none. */
const path = (description: string): JsonObject => ({
  type: ["string", "null"],
  pattern: pointerPattern,
  examples: ["/extensions/com.example~1search", null],
  description,
});

const definition = (description: string): JsonObject => ({
  type: ["string", "null"],
  pattern: "^#/\\$defs/[^/]+$",
  examples: ["#/$defs/Settings", null],
  description,
});

const id = (description: string): JsonObject => ({
  type: "string",
  pattern: idPattern,
  examples: ["com.example/search"],
  description,
});

/** An array that has items, each once. */
const someOf = (items: JsonObject, description: string, minItems = 1): JsonObject => ({
  type: "array",
  description,
  minItems,
  uniqueItems: true,
  items,
});

const object = (
  description: string,
  properties: JsonObject,
  required: readonly string[] = [],
): JsonObject => ({
  type: "object",
  description,
  properties,
  ...(required.length > 0 && { required: [...required] }),
  additionalProperties: false,
});

const hasPlace = (side: string): JsonObject => ({
  properties: { [side]: { type: "string" } },
  required: [side],
});

/** Modules of an extension that a role of a channel cannot be called after, and the sides of the protocol. */
const taken = [
  ...["authoring", "client", "explain", "formats", "index", "methods", "open"],
  ...["patterns", "server", "steps", "types", "validators", "vectors"],
];

const role: JsonObject = {
  type: "string",
  pattern: `^(?!(?:${taken.join("|")})$)[a-z][a-z0-9]*$`,
  examples: ["view", "host"],
  description: "Role on the channel. It names a module.",
};

/**
 * The JSON Schema of `extension.json`: the reader judges by it, and it is written to docs/extension.schema.json for
 * editors. Keys stand in the order of the documentation.
 */
export const extensionSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "mcpgen extension",
  ...object(
    "An extension of the Model Context Protocol. The messages are in schema.json beside the file.",
    {
      $schema: text("Location of this schema, for editors."),
      format: { enum: [1], description: "Form of the file." },
      id: id("Id as the sides declare it: prefix/name."),
      version: {
        type: "string",
        pattern: versionPattern,
        examples: ["2026-07-28", "1.2.0"],
        description: "Version of the extension.",
      },
      status: {
        enum: ["released", "draft", "handwritten"],
        description:
          "Status of the schema. A handwritten schema was written from the text of a specification.",
      },
      bases: someOf(text("Id of a revision."), "Revisions of the protocol that the extension extends."),
      declared: {
        ...object("Where each side declares the extension. A side without a place declares nothing.", {
          client: path("Place of the settings in the capabilities of a client."),
          server: path("Place of the settings in the capabilities of a server."),
        }),
        anyOf: [hasPlace("client"), hasPlace("server")],
      },
      settings: object(
        "What the sides declare. Without a definition, the settings are an object of any members.",
        {
          client: definition("Definition of the settings of a client."),
          server: definition("Definition of the settings of a server."),
        },
      ),
      needs: object("What must be there beside the extension.", {
        capabilities: someOf(
          {
            type: "string",
            pattern: pointerPattern,
            examples: ["/resources"],
            description: "JSON Pointer of a capability.",
          },
          "Capabilities that a server which declares the extension declares, too.",
        ),
        extensions: someOf(id("Id of an extension."), "Extensions without which this one is of no use."),
      }),
      channel: object(
        "A second channel with roles that are neither client nor server. Notes of kind channel say what travels on it.",
        {
          roles: someOf(role, "Who takes part in it.", 2),
          handshake: object(
            "The messages that open it.",
            {
              request: text("Method of the first request."),
              confirmation: text("Method of the notification that the same role sends after the answer."),
            },
            ["request"],
          ),
        },
        ["roles", "handshake"],
      ),
      description: text("What the extension adds, in one sentence."),
      link: text("Location of its specification."),
    },
    ["format", "id", "version", "status", "bases", "declared"],
  ),
};
