import { type JsonObject, type JsonValue, isJsonObject, keywords, pointer } from "@mcpgen/engine";
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
import { keyword, objectIn, schema, spot, value, withoutKeyword } from "./spots.js";

const atRoot = ({ isRoot }: { readonly isRoot: boolean }): boolean => isRoot;

/** Faults of a keyword's value, by rule: hosts that repair one of them may leave a tool out for the sake of another. */
const malformed = {
  "null-required":
    "The interface rejects null as `required`, as Go writes an empty list, together with all tools of the request.",
  "null-keyword":
    "The interface rejects null as the value of a keyword, together with all tools of the request.",
  "unknown-type":
    "The interface rejects a `type` that does not exist in JSON Schema, together with all tools of the request.",
  "invalid-limit":
    "The interface rejects a limit, such as `maxLength`, of another type, together with all tools of the request.",
  "invalid-schema":
    "The interface rejects a keyword whose value is of another type, together with all tools of the request.",
};

/** Rules that `result-invalid-schema` covers in results. */
const invalidRules = [...Object.keys(malformed), "repeated-name", "boolean-bound"];

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
      "Some hosts leave out a tool with `not`, `if`, `then` or `else` at the top level of its arguments.",
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
    find: (subject) =>
      ["exclusiveMinimum", "exclusiveMaximum"].flatMap((name) =>
        value(name, `\`${name}\` is a boolean`, (each) => typeof each === "boolean", withNumber)(subject),
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
    find: value("items", "`items` is a list", Array.isArray, withPrefixItems),
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
    reason: "Some hosts drop `$defs`, which breaks the references.",
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
      "Hosts that compile the schema cannot call the tool, or any tool of the server: the official TypeScript SDK 1 compiles it when it lists the tools.",
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
      "Hosts on the official TypeScript SDK 2 refuse each call of a tool whose result has another dialect than 2020-12 in `$schema`.",
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
      "Hosts of revisions before 2026-07-28 reject all tools if a result is not an object. Servers of mcpgen leave the schema out for them; some of these hosts then fail with the text that the result becomes.",
    fix: "Declare `type: object`, and put the value in a property, e.g. `items`.",
    sources: [
      "https://github.com/githubnext/chopin/issues/154",
      "https://github.com/kenn-io/msgvault/issues/626",
    ],
    find: resultsWith(
      "a result that is not an object",
      (types) => types.length > 0 && !types.includes("object"),
    ),
  },
  {
    id: "result-without-type",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Hosts of revisions before 2026-07-28 reject all tools if the schema of a result has no `type: object`. Servers of mcpgen leave the schema out for them.",
    fix: "Declare `type: object`.",
    find: resultsWith(
      "a result that is not of type object",
      (types, { type }) => types.length === 0 || (types.includes("object") && type !== "object"),
    ),
  },
  ...Object.entries(malformed).map(([id, reason]): LintRule => ({
    id,
    profiles: everyProfile,
    level: "error",
    reason,
    fix: "Correct the value of the keyword, or remove the keyword.",
    sources: [
      "https://github.com/MervinPraison/PraisonAI/issues/3111",
      "https://github.com/anthropics/claude-code/issues/44364",
      "https://github.com/smallmain/vscode-unify-chat-provider/issues/162",
    ],
    find: (subject) => malformedKeywords(subject, id),
  })),
  {
    id: "repeated-name",
    profiles: everyProfile,
    level: "error",
    reason:
      "The interface rejects a name that is twice in `required` or `type`, together with all tools of the request.",
    fix: "Remove the second one.",
    certain: "removes it",
    find: ({ places }) => places.flatMap(repeatedNames),
  },
  {
    id: "result-invalid-schema",
    profiles: everyProfile,
    level: "error",
    reason: "Hosts that compile the schema of a result cannot call the tool if it is not valid.",
    fix: "Correct the value of the keyword, or remove the keyword.",
    certain: "does the same as in arguments",
    find: resultsBy(invalidRules),
  },
  {
    id: "result-tuple-items",
    profiles: everyProfile,
    level: "error",
    reason:
      "Some hosts that compile the schema of a result in 2020-12 cannot call a tool with a list as `items`.",
    fix: "Call it `prefixItems`.",
    certain: "does the same as in arguments",
    find: resultsBy(["tuple-items"]),
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

/** Finds in results what other rules of this table find in arguments. */
function resultsBy(ids: readonly string[]): LintRule["find"] {
  return ({ results, ...subject }) => {
    const keywordAt = keywordsIn(results);
    return (
      structureRules
        .filter(({ id }) => ids.includes(id))
        .flatMap(({ find }) => find({ ...subject, places: results, results: [] }))
        // Compilers pass over annotations.
        .filter(({ pointer: at }) => !keywords.get(keywordAt(at)?.name ?? "")?.annotation)
    );
  };
}

/** Finds schemas of results by the types that they declare. */
function resultsWith(
  message: string,
  is: (types: readonly string[], schema: JsonObject) => boolean,
): LintRule["find"] {
  return ({ results }) =>
    results
      .filter(({ schema: each, isRoot }) => isRoot && is(typesOf(each), each))
      .map(({ pointer: at }) => spot(at, message));
}

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

/** Finds invalid values of keywords that a rule is about, except those that rules outside of `malformed` find. */
function malformedKeywords({ places, unread }: LintSubject, rule: string): Spot[] {
  const parts = unread();
  if (parts.length === 0) return [];
  const keywordAt = keywordsIn(places);
  return parts
    .filter(({ error: { code }, pointer: at }) => {
      const isPattern = (): boolean =>
        keywordAt(at.slice(0, at.lastIndexOf("/")))?.name === "patternProperties";
      const isFault = code === "not-a-schema" || (code === "malformed-keyword" && !isPattern());
      return isFault && at.startsWith(`${places[0]?.pointer}/`) && ruleOf(keywordAt(at)) === rule;
    })
    .map(({ error, pointer: at }) => spot(at, error.message));
}

interface WrittenKeyword {
  readonly name: string;
  readonly given: JsonValue;
}

/**
 * Returns a function that finds the keyword at a pointer. It finds none for a member of a keyword's value: a
 * property may have the name of a keyword.
 */
function keywordsIn(places: readonly SchemaPlace[]): (at: string) => WrittenKeyword | undefined {
  const schemas = new Map(places.map(({ pointer: at, schema: each }) => [at, each]));
  return (at) => {
    const [holder, name] = [at.slice(0, at.lastIndexOf("/")), at.slice(at.lastIndexOf("/") + 1)];
    const given = schemas.get(holder)?.[name];
    return given === undefined ? undefined : { name, given };
  };
}

/** The rule of `malformed` about the value of a keyword, or of a member of one; undefined if another rule finds it. */
function ruleOf(keyword: WrittenKeyword | undefined): keyof typeof malformed | undefined {
  if (!keyword) return "invalid-schema";
  const { name, given } = keyword;
  if (given === null) return name === "required" ? "null-required" : "null-keyword";
  if (name === "type") return "unknown-type";
  if (name === "items" && Array.isArray(given)) return undefined;
  if (name.startsWith("exclusive") && typeof given === "boolean") return undefined;
  if (name === "pattern" && typeof given === "string") return undefined;
  return keywords.get(name)?.of ? "invalid-limit" : "invalid-schema";
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
