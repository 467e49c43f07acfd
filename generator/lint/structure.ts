import { type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { definitionLists, typesOf } from "./places.js";
import { isOtherDialect } from "./reading.js";
import {
  type LintRule,
  type LintSubject,
  type Mend,
  type SchemaPlace,
  type Spot,
  everyProfile,
  geminiProfiles,
} from "./rule.js";
import { inResults, keyword, objectIn, schema, spot, value, withoutKeyword } from "./spots.js";

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
    sources: [
      "https://github.com/anthropics/claude-code/issues/95504",
      "https://github.com/opentokenz/mcpx/issues/28",
      "https://github.com/anthropics/claude-code/issues/45106",
    ],
    find: keyword(["anyOf", "oneOf", "allOf"], atRoot),
  },
  {
    id: "root-condition",
    profiles: ["claude"],
    level: "error",
    reason:
      "Some hosts leave a tool with `not`, `if`, `then` or `else` at the top level of its arguments out, and say nothing.",
    fix: "Describe the valid combinations, and check them in the handler; or make several tools.",
    sources: ["https://github.com/anthropics/claude-code/issues/95504"],
    find: keyword(["not", "if", "then", "else"], atRoot),
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
    certain: "adds `properties: {}`",
    sources: [
      "https://github.com/nnemirovsky/iwdp-mcp/pull/3",
      "https://github.com/spring-projects/spring-ai/issues/4776",
    ],
    find: schema(
      "no `properties`",
      (each, { isRoot }) => isRoot && !isJsonObject(each["properties"]),
      (place) => added(place, "type", "properties", {}),
    ),
  },
  {
    id: "array-without-items",
    profiles: ["openai", ...geminiProfiles, "strict"],
    level: "error",
    reason: "An array must declare its items.",
    fix: "Add `items`, e.g. `items: { type: string }`.",
    certain: "adds `items: {}`, which takes any item",
    sources: [
      "https://github.com/NousResearch/hermes-agent/issues/77617",
      "https://github.com/Skyvern-AI/skyvern/issues/8611",
      "https://github.com/ooples/token-optimizer-mcp/pull/154",
    ],
    find: schema(
      "an array without `items`",
      (each) => typesOf(each).includes("array") && !isJsonObject(each["items"]),
      withItems,
    ),
  },
  {
    id: "object-without-properties",
    profiles: ["gemini-parameters"],
    level: "warning",
    reason:
      "In the field `parameters` of function declarations an object inside the arguments must have at least one property; open maps are not supported.",
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
    certain: "writes the number in the place of the boolean",
    sources: ["https://github.com/Dokploy/mcp/issues/74"],
    find: inResults((subject) =>
      ["exclusiveMinimum", "exclusiveMaximum"].flatMap((name) =>
        value(name, `\`${name}\` is a boolean`, (each) => typeof each === "boolean", withNumber)(subject),
      ),
    ),
  },
  {
    id: "tuple-items",
    profiles: ["claude", "openai", "strict"],
    level: "error",
    reason: "`items` is one schema in draft 2020-12; a list makes the schema invalid.",
    fix: "Use `prefixItems`, or better an object.",
    certain: "calls `items` `prefixItems`, and `additionalItems` `items`",
    sources: ["https://json-schema.org/draft/2020-12/release-notes"],
    find: inResults(value("items", "`items` is a list", Array.isArray, withPrefixItems)),
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
    find: ({ pointer: at, unread }) => danglingReferences(unread(), pointer(at, "inputSchema")),
  },
  {
    id: "result-reference-to-nothing",
    profiles: everyProfile,
    level: "error",
    reason:
      "A reference to nothing in the schema of a result removes all tools of the server in hosts on the official TypeScript SDK 1: they compile these schemas when they list the tools.",
    fix: "Add the definition to `$defs` at the top of the schema, or correct the reference.",
    sources: [
      "https://github.com/modelcontextprotocol/typescript-sdk/issues/1175",
      "https://github.com/anthropics/claude-code/issues/76040",
    ],
    find: ({ pointer: at, unread }) => danglingReferences(unread(), pointer(at, "outputSchema")),
  },
  {
    id: "result-dialect",
    profiles: everyProfile,
    level: "error",
    reason:
      "Hosts on the official TypeScript SDK 2 refuse each call of a tool whose result declares another dialect than JSON Schema 2020-12 in `$schema`.",
    fix: "Remove `$schema`, and write the schema in 2020-12.",
    certain: "removes `$schema` if the schema means the same in 2020-12",
    sources: [
      "https://github.com/anthropics/claude-code/issues/88882",
      "https://github.com/mongodb-js/mongodb-mcp-server/issues/1427",
    ],
    find: ({ results }) =>
      results
        .filter(({ schema: each, isRoot }) => isRoot && isOtherDialect(each["$schema"]))
        .map(({ schema: each, pointer: at }) =>
          spot(pointer(at, "$schema"), `the dialect ${JSON.stringify(each["$schema"])}`, {
            edits: [{ remove: pointer(at, "$schema") }],
          }),
        ),
  },
  {
    id: "default-dialect",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Some hosts, such as Genkit 1, refuse each call of a tool that declares JSON Schema 2020-12 in `$schema`: their validator does not know that address. Arguments without `$schema` are of that dialect.",
    fix: "Remove `$schema`.",
    certain: "removes it",
    sources: ["https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1613"],
    find: ({ places: [root] }) =>
      root!.schema["$schema"] !== undefined && !isOtherDialect(root!.schema["$schema"])
        ? [
            spot(
              pointer(root!.pointer, "$schema"),
              "`$schema` of the default",
              withoutKeyword(root!, "$schema"),
            ),
          ]
        : [],
  },
  {
    id: "result-not-object",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Hosts that speak revisions before 2026-07-28 reject the whole list of tools if the schema of a result describes no object. Servers of mcpgen leave the schema out for them.",
    fix: "Declare `type: object`, and put the value in a property, e.g. `items`.",
    sources: [
      "https://github.com/githubnext/chopin/issues/154",
      "https://github.com/kenn-io/msgvault/issues/626",
    ],
    find: ({ results }) =>
      results
        .filter(({ schema: each, isRoot }) => isRoot && each["type"] !== "object")
        .map(({ pointer: at }) => spot(at, "a result that is not of type object")),
  },
  {
    id: "invalid-schema",
    profiles: everyProfile,
    level: "error",
    reason:
      "The interface rejects what is not valid in JSON Schema 2020-12, together with all tools of the request: a `type` that does not exist, null in the place of a keyword's value, a name twice in `required`.",
    fix: "Correct the value of the keyword, or remove the keyword.",
    certain: "removes the second of two equal names",
    sources: [
      "https://github.com/MervinPraison/PraisonAI/issues/3111",
      "https://github.com/anthropics/claude-code/issues/44364",
      "https://github.com/smallmain/vscode-unify-chat-provider/issues/162",
    ],
    find: invalidKeywords,
  },
  {
    id: "unused-definition",
    profiles: everyProfile,
    level: "warning",
    reason: "An unused definition costs tokens in each request and has no effect.",
    fix: "Remove it from the schema of this tool.",
    certain: "removes it",
    find: ({ unused, places: [root] }) =>
      unused.map((at) =>
        spot(at, "a definition that nothing refers to", { edits: [{ remove: emptied(at, unused, root!) }] }),
      ),
  },
];

/** A correction that adds a keyword after another one, if the schema lacks it. */
function added(
  { schema: each, pointer: at }: SchemaPlace,
  after: string,
  key: string,
  content: JsonValue,
): Mend | undefined {
  if (Object.hasOwn(each, key) || !Object.hasOwn(each, after)) return undefined;
  return { edits: [{ after: pointer(at, after), key, value: content }] };
}

/** Adds `items: {}`, which allows any item, as a schema without `items` does. */
function withItems(place: SchemaPlace): Mend | undefined {
  if (place.schema["items"] !== true) return added(place, "type", "items", {});
  return { edits: [{ replace: pointer(place.pointer, "items"), value: {} }] };
}

/** Converts a boolean bound of draft-04 (validation, section 5.1) to a number. */
function withNumber({ schema: each, pointer: at }: SchemaPlace, name: string): Mend | undefined {
  const limit = name === "exclusiveMinimum" ? "minimum" : "maximum";
  const exclusive = pointer(at, name);
  if (each[name] === false) return { edits: [{ remove: exclusive }], respells: true };
  const bound = each[limit];
  if (typeof bound !== "number") return undefined;
  return {
    edits: [{ replace: exclusive, value: bound }, { remove: pointer(at, limit) }],
    respells: true,
  };
}

/**
 * Converts the tuple form of draft-07 and earlier (validation, section 6.4.1), with its schema for further
 * items.
 */
function withPrefixItems({ schema: each, pointer: at }: SchemaPlace): Mend | undefined {
  if (Object.hasOwn(each, "prefixItems")) return undefined;
  const items = pointer(at, "items");
  const isEmpty = (each["items"] as readonly JsonValue[]).length === 0;
  const rest = Object.hasOwn(each, "additionalItems")
    ? [{ rename: pointer(at, "additionalItems"), key: "items" }]
    : [];
  return {
    edits: [isEmpty ? { remove: items } : { rename: items, key: "prefixItems" }, ...rest],
    respells: true,
  };
}

/** The pointer to remove for an unused definition: the whole list of definitions if none is used. */
function emptied(at: string, unused: readonly string[], root: SchemaPlace): string {
  const list = at.slice(0, at.lastIndexOf("/"));
  const name = definitionLists.find((each) => list === pointer(root.pointer, each));
  const count = name === undefined ? 0 : Object.keys(objectIn(root.schema, name)).length;
  return unused.filter((each) => each.startsWith(`${list}/`)).length === count ? list : at;
}

/** Finds references without a target in the schema at a place. */
function danglingReferences(parts: ReturnType<LintSubject["unread"]>, at: string): Spot[] {
  return parts
    .filter(
      ({ error, pointer: place }) => error.code === "unresolved-reference" && place.startsWith(`${at}/`),
    )
    .map(({ error, pointer: place }) => spot(place, error.message));
}

/** Finds invalid values of keywords, except those that other rules find. */
function invalidKeywords({ places, results, unread }: LintSubject): Spot[] {
  const byPointer = new Map([...places, ...results].map((place) => [place.pointer, place]));
  const malformed = unread().filter(({ error, pointer: at }) => {
    const [holder, name] = [at.slice(0, at.lastIndexOf("/")), at.slice(at.lastIndexOf("/") + 1)];
    const given = byPointer.get(holder)?.schema[name];
    const isOther =
      (name === "items" && Array.isArray(given)) ||
      (name.startsWith("exclusive") && typeof given === "boolean") ||
      (typeof given === "string" && name === "pattern") ||
      holder.endsWith("/patternProperties");
    return ["malformed-keyword", "not-a-schema"].includes(error.code) && !isOther;
  });
  return [
    ...malformed.map(({ error, pointer: at }) => spot(at, error.message)),
    ...[...byPointer.values()].flatMap(repeatedNames),
  ];
}

/** Finds duplicate names in `required` or `type` (validation, sections 6.1.1 and 6.5.3). */
function repeatedNames({ schema: each, pointer: at }: SchemaPlace): Spot[] {
  return ["required", "type"].flatMap((name) => {
    const names = each[name];
    if (!Array.isArray(names)) return [];
    return names.flatMap((one, index) => {
      if (names.indexOf(one) === index) return [];
      const place = pointer(at, name, index);
      return [spot(place, `${JSON.stringify(one)} twice in \`${name}\``, { edits: [{ remove: place }] })];
    });
  });
}
