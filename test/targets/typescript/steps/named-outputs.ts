import { readFileSync } from "node:fs";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { undocumented } from "../../../../generator/revision/schema-source.js";
import { loadRevision } from "../../../../generator/revision/revision-source.js";
import { releasedModel } from "../../../support/models.js";
import { revisions } from "../../../support/revisions.js";

/** The newest released revision. */
export const older = revisions.at(-1)!;

/** A made-up revision after it, in which the results of tools are lists of named outputs. */
export const newer = "2099-01-01";

type Definitions = { [name: string]: JsonObject };

const text = { type: "string" };

/** An object as canonical schemas write it: members and what is required in natural order. */
function object(properties: JsonObject, required: readonly string[]): JsonObject {
  return { properties, required: [...required], type: "object" };
}

function read(file: string): JsonObject {
  return JSON.parse(
    readFileSync(new URL(`../../../../schema/${older}/${file}`, import.meta.url), "utf8"),
  ) as JsonObject;
}

function without(members: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** The schema of the made-up revision: the newest schema, with named outputs instead of content. */
export function schemaOfOutputs(): JsonObject {
  const document = read("schema.json");
  const definitions = document["$defs"] as Definitions;
  const membersOf = (name: string): JsonObject => definitions[name]!["properties"] as JsonObject;
  const { CallToolResult, Tool, CallToolRequestParams } = definitions as Record<string, JsonObject>;
  const variant = { description: "Name of the variant.", ...text };
  const constant = (value: string): JsonObject => ({ const: value, ...text });
  const content = membersOf("CallToolResult")["content"]!;
  const schema = without(membersOf("Tool")["outputSchema"] as JsonObject, "description");
  return {
    ...document,
    $defs: {
      ...definitions,
      CallToolResult: {
        ...CallToolResult!,
        properties: {
          ...without(membersOf("CallToolResult"), "content", "structuredContent"),
          outputs: { items: { $ref: "#/$defs/ToolOutput" }, type: "array" },
        },
        required: ["outputs", "resultType"],
      },
      ToolOutput: { anyOf: [{ $ref: "#/$defs/ContentOutput" }, { $ref: "#/$defs/StructuredOutput" }] },
      ContentOutput: object({ content, type: constant("content"), variant }, ["content", "type", "variant"]),
      StructuredOutput: object({ type: constant("structured"), value: {}, variant }, [
        "type",
        "value",
        "variant",
      ]),
      Tool: {
        ...Tool!,
        properties: {
          ...without(membersOf("Tool"), "outputSchema"),
          outputVariants: { items: { $ref: "#/$defs/OutputVariant" }, type: "array" },
        },
      },
      OutputVariant: object({ schema, variant }, ["variant"]),
      CallToolRequestParams: {
        ...CallToolRequestParams!,
        properties: {
          ...membersOf("CallToolRequestParams"),
          requestedOutputs: { items: text, type: "array" },
        },
      },
    },
  };
}

const about = { previous: older, reason: "Tool results are named outputs.", link: "https://example.com" };

/** Notes that convert tool results and tools to the newest released revision, and back. */
export const reshapedNotes: readonly JsonObject[] = [
  {
    ...{ kind: "reshaped", target: "/$defs/CallToolResult", ...about },
    lift: {
      outputs: {
        $join: [
          { $if: "/content", then: [{ type: "content", variant: "content", content: { $: "/content" } }] },
          {
            $if: "/structuredContent",
            then: [{ type: "structured", variant: "structured", value: { $: "/structuredContent" } }],
          },
        ],
      },
    },
    lower: {
      content: {
        $or: [
          { $each: "/outputs", where: { type: "content" }, flat: true, make: { $: "./content" } },
          {
            $each: "/outputs",
            where: { type: "structured" },
            make: { type: "text", text: { $json: { $: "./value" } } },
          },
          [],
        ],
      },
      structuredContent: { $first: "/outputs", where: { type: "structured" }, make: { $: "./value" } },
    },
  },
  {
    ...{ kind: "reshaped", target: "/$defs/Tool", ...about },
    lift: {
      outputVariants: {
        $if: "/outputSchema",
        then: [{ variant: "structured", schema: { $: "/outputSchema" } }],
      },
    },
    lower: {
      outputSchema: { $first: "/outputVariants", where: { variant: "structured" }, make: { $: "./schema" } },
    },
  },
];

/** The notes of the made-up revision: the newest revision's notes, except notes about two revisions, and these. */
export function notesWith(notes: readonly JsonObject[]): JsonObject {
  const kept = (read("notes.json")["notes"] as JsonValue[]).filter(
    (note) => isJsonObject(note) && !("previous" in note),
  );
  return { format: 1, notes: [...kept, ...notes] };
}

/** The newest released revision, and the made-up one after it. */
export async function namedOutputs(
  notes: readonly JsonObject[] = reshapedNotes,
): Promise<readonly [ProtocolModel, ProtocolModel]> {
  const file = (name: string, value: JsonValue) => ({
    file: `schema/${newer}/${name}`,
    text: JSON.stringify(value),
    value,
  });
  const { model } = await loadRevision(
    {
      ...{ revision: newer, status: "draft", schemaFile: `schema/${newer}/schema.json` },
      read: { schema: file("schema.json", schemaOfOutputs()), notes: file("notes.json", notesWith(notes)) },
    },
    undocumented,
  );
  return [await releasedModel(older), model];
}
