import { type JsonObject, SchemaError, isJsonObject, pointer, readDocument } from "@mcpgen/engine";
import { typesOf } from "./places.js";
import { type LintRule, type Spot, everyProfile, geminiProfiles } from "./rule.js";
import { keyword, objectIn, schema, value } from "./spots.js";

const atRoot = ({ isRoot }: { readonly isRoot: boolean }): boolean => isRoot;

/** Rules about the form of schemas. */
export const structureRules: readonly LintRule[] = [
  {
    id: "root-union",
    profiles: ["claude", "openai", "strict"],
    level: "error",
    reason:
      "The interface rejects `oneOf`, `anyOf` and `allOf` at the top level of the arguments, together with all tools of the request.",
    fix: "Declare one object with optional arguments, describe the valid combinations, and check them in the handler; or make several tools.",
    sources: ["https://github.com/anthropics/claude-code/issues/5973"],
    find: keyword(["anyOf", "oneOf", "allOf"], atRoot),
  },
  {
    id: "root-enum-or-not",
    profiles: ["openai", "strict"],
    level: "error",
    reason: "The interface rejects `enum` and `not` at the top level of the arguments.",
    fix: "Describe the limit in the description, and check it in the handler.",
    sources: ["https://github.com/langchain-ai/langchainjs/issues/9804"],
    find: keyword(["enum", "not"], atRoot),
  },
  {
    id: "root-without-properties",
    profiles: ["openai", "strict"],
    level: "error",
    reason: "The schema of the arguments must have `properties`, even if the tool has no arguments.",
    fix: "Add `properties: {}`.",
    sources: ["https://github.com/spring-projects/spring-ai/issues/4776"],
    find: schema("no `properties`", (each, { isRoot }) => isRoot && !isJsonObject(each["properties"])),
  },
  {
    id: "array-without-items",
    profiles: ["openai", ...geminiProfiles, "strict"],
    level: "error",
    reason: "An array must declare its items.",
    fix: "Add `items`, e.g. `items: { type: string }`.",
    sources: ["https://github.com/streamnative/streamnative-mcp-server/issues/26"],
    find: schema(
      "an array without `items`",
      (each) => typesOf(each).includes("array") && !isJsonObject(each["items"]),
    ),
  },
  {
    id: "object-without-properties",
    profiles: geminiProfiles,
    level: "warning",
    reason: "An object inside the arguments must have at least one property; open maps are not supported.",
    fix: "Declare the properties, or use an array of `{ key, value }`.",
    sources: ["https://github.com/CherryHQ/cherry-studio/issues/3270"],
    find: schema(
      "an object without properties",
      (each, { isRoot }) =>
        !isRoot && typesOf(each).includes("object") && Object.keys(objectIn(each, "properties")).length === 0,
    ),
  },
  {
    id: "boolean-bound",
    profiles: everyProfile,
    level: "error",
    reason:
      "`exclusiveMinimum` and `exclusiveMaximum` are numbers since draft 6; a boolean makes the schema invalid.",
    fix: "Write the bound itself: `exclusiveMinimum: 0` for `minimum: 0, exclusiveMinimum: true`.",
    sources: ["https://github.com/Dokploy/mcp/issues/74"],
    find: (subject) =>
      ["exclusiveMinimum", "exclusiveMaximum"].flatMap((name) =>
        value(name, `\`${name}\` is a boolean`, (each) => typeof each === "boolean")(subject),
      ),
  },
  {
    id: "tuple-items",
    profiles: ["claude", "openai", "strict"],
    level: "error",
    reason: "`items` is one schema in draft 2020-12; a list makes the schema invalid.",
    fix: "Use `prefixItems`, or better an object.",
    sources: ["https://json-schema.org/draft/2020-12/release-notes"],
    find: value("items", "`items` is a list", Array.isArray),
  },
  {
    id: "reference-elsewhere",
    profiles: everyProfile,
    level: "error",
    reason:
      "Hosts do not follow references out of the schema. Inside it, only references to `$defs` (or `definitions`) work everywhere.",
    fix: "Move the target into `$defs` of the same schema, and refer to `#/$defs/…`.",
    sources: [
      "https://github.com/Mnehmos/mnehmos.rpg.mcp/issues/73",
      "https://github.com/Softeria/ms-365-mcp-server/pull/576",
    ],
    find: value(
      "$ref",
      "a reference out of `$defs`",
      (each) => typeof each !== "string" || !/^#(?:$|\/(?:\$defs|definitions)\/)/.test(each),
    ),
  },
  {
    id: "reference",
    profiles: ["claude", "openai", "strict"],
    level: "warning",
    reason: "Some hosts drop `$defs` before the schema reaches the model, which breaks the references.",
    fix: "Inline the schema where it is used, unless it is recursive.",
    sources: [
      "https://github.com/PrefectHQ/fastmcp/pull/2861",
      "https://github.com/github/copilot-cli/issues/1876",
    ],
    find: value(
      "$ref",
      "a reference to `$defs`",
      (each) => typeof each === "string" && /^#\/(?:\$defs|definitions)\//.test(each),
    ),
  },
  {
    id: "reference-to-nothing",
    profiles: everyProfile,
    level: "error",
    reason: "A reference to a missing definition makes the schema invalid.",
    fix: "Add the definition, or correct the reference.",
    find: ({ tool, places }) =>
      places.flatMap(({ schema: each, pointer: at }) => {
        const ref = each["$ref"];
        const [, list, name] =
          typeof ref === "string" ? (/^#\/(\$defs|definitions)\/([^/]*)$/.exec(ref) ?? []) : [];
        if (list === undefined || Object.hasOwn(objectIn(tool.inputSchema, list), decoded(name!))) return [];
        return [{ pointer: pointer(at, "$ref"), message: `there is no ${JSON.stringify(ref)}` }];
      }),
  },
  {
    id: "result-reference-to-nothing",
    profiles: everyProfile,
    level: "error",
    reason:
      "Hosts on the official TypeScript SDK 1 compile the schemas of results when they list the tools: a reference to nothing removes all tools of the server.",
    fix: "Add the definition to `$defs` at the top of the schema, or correct the reference.",
    sources: [
      "https://github.com/modelcontextprotocol/typescript-sdk/issues/1175",
      "https://github.com/anthropics/claude-code/issues/76040",
    ],
    find: ({ tool, pointer: at }) => unresolvedReference(tool.outputSchema, pointer(at, "outputSchema")),
  },
  {
    id: "unused-definition",
    profiles: everyProfile,
    level: "warning",
    reason: "An unused definition costs tokens in each request and has no effect.",
    fix: "Remove it from the schema of this tool.",
    find: ({ unused }) =>
      unused.map((at) => ({ pointer: at, message: "a definition that nothing refers to" })),
  },
];

function decoded(token: string): string {
  return decodeURIComponent(token.replace(/%(?![0-9a-f]{2})/gi, "%25"))
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

/** The first reference that leads nowhere. */
function unresolvedReference(schema: JsonObject | undefined, at: string): Spot[] {
  try {
    if (schema) readDocument(schema);
    return [];
  } catch (error) {
    if (!(error instanceof SchemaError) || error.code !== "unresolved-reference") return [];
    return [{ pointer: at + error.pointer, message: error.message }];
  }
}
