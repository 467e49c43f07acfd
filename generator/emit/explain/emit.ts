import {
  type Definition,
  type JsonValue,
  type Opening,
  type SchemaNode,
  reachingOpen,
  jsonObject,
  pointer,
  referenceTo,
} from "@mcpgen/engine";
import type { EmittedFile } from "../../print/emitted-file.js";
import { width } from "../../print/layout.js";
import { capitalised, stringLiteral } from "../../print/text.js";
import { copyWhole } from "../copied-module.js";
import { type Emitter, type SchemaInput, type WorkspaceInput, localNames, sharedModule } from "../emitter.js";
import { textNeeds, assertFormats, scannedFormat } from "../texts/modules.js";
import { Shapes, kindOfValue } from "../validators/shape.js";
import { withoutCovered } from "../validators/covers.js";
import { commonConstants, openArms, openDiscriminatorOf } from "../validators/discriminator.js";

/**
 * Emits `explain.ts`: the schema as data and, for each definition, a function `explainX` that returns the
 * issues of a value that `isX` rejects. The search itself is in the shared module `explain.ts` beside the
 * revisions, copied from the engine.
 */
export const emitExplain: Emitter<SchemaInput> = (input) => {
  const { imported, folder, origin, importExtension, render } = input;
  const schema = assertFormats(input.schema, input.formats);
  const identifiers = localNames(schema, imported);
  const shapes = new Shapes(schema, true);
  const differing = reachingOpen(schema);
  const definitions = [...schema.definitions.values()].map((definition) => {
    const { name, node } = definition;
    const exported = imported?.identifiers.get(name);
    const differs = differing.has(name);
    return {
      row: rowOf(
        definition,
        writtenNode(node, (open) => openingOf(shapes, open)),
        {
          validators: exported === undefined ? "validators" : "baseValidators",
          judged: capitalised(exported ?? identifiers.get(name)!),
          differs,
        },
      ),
      declaration: `export const explain${capitalised(identifiers.get(name)!)} = explains(${stringLiteral(name)});`,
    };
  });
  const needs = textNeeds(schema);
  const content = render("explain.ts", {
    ...{ origin, importExtension, definitions, needs },
    modules: {
      explain: sharedModule(input, "explain"),
      ...(imported &&
        imported.identifiers.size > 0 && {
          validators: sharedModule(input, `${imported.folder}/validators`),
        }),
    },
    texts: [
      ...(needs.formats ? ["formats"] : []),
      ...(needs.patterns ? ["matcher: linearMatcher"] : []),
    ].join(", "),
  });
  return new Map([[`${folder}/explain.ts`, laidOutRows(content)]]);
};

interface Validators {
  readonly validators: string;
  /** The name after `is` and `accepts`. */
  readonly judged: string;
  /** Whether the open variant accepts more than the exact one. */
  readonly differs: boolean;
}

/** The row of a definition: name, schema and validators. */
function rowOf({ name }: Definition, schema: JsonValue, { validators, judged, differs }: Validators): string {
  const members = [
    stringLiteral(name),
    stringLiteral(JSON.stringify(schema)),
    `${validators}.is${judged}`,
    ...(differs ? [`${validators}.accepts${judged}`] : []),
  ];
  return `[${members.join(", ")}],`;
}

/** Marks a file as formatted; its rows are intentionally not wrapped. */
function laidOutRows(content: string): EmittedFile {
  const isLong = content.split("\n").some((line) => line.startsWith("export const ") && line.length > width);
  return isLong ? { content } : { content, formatted: true };
}

/** Emits the module that the explanations of all revisions share. */
export const emitExplainer: Emitter<WorkspaceInput> = (input) => {
  const path = input.folder === "" ? "explain.ts" : `${input.folder}/explain.ts`;
  return new Map([[path, { content: copyWhole("explain/written", input), verbatim: true }]]);
};

/**
 * What the open variant `acceptsX` accepts in addition to the values that a node lists (union.ts).
 *
 * @param shapes facts about the open variant
 */
function openingOf(shapes: Shapes, node: SchemaNode): Opening | undefined {
  if (node.const ?? node.enum) return { types: [...new Set(shapes.constantsOf(node).map(kindOfValue))] };
  const alone = !node.anyOf && !node.oneOf;
  if (alone && !shapes.isOnly("object", node)) return undefined;
  const discriminator = openDiscriminatorOf(shapes, node);
  if (discriminator) return { tag: discriminator.name, known: [...discriminator.arms.keys()] as string[] };
  const arms = shapes.armsOf(openArms(node), withoutCovered);
  const objects = arms.filter((arm) => shapes.kindsOf(arm).has("object"));
  const constants = commonConstants(shapes, objects);
  return {
    types: [...shapes.kindsOf(node)],
    ...(constants.length > 0 && { constants: jsonObject(constants) }),
  };
}

/** Keywords whose value is a number, a string, a list of values or `true`. */
const plain = [
  ...(["enum", "minProperties", "maxProperties", "minItems", "maxItems", "uniqueItems"] as const),
  ...(["minContains", "maxContains", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const),
  ...(["multipleOf", "minLength", "maxLength", "pattern", "required"] as const),
] as const;

const single = [
  ...(["not", "if", "then", "else", "additionalProperties", "unevaluatedProperties"] as const),
  ...(["propertyNames", "items", "unevaluatedItems", "contains"] as const),
] as const;

const listed = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;

const named = ["properties", "patternProperties", "dependentSchemas"] as const;

/**
 * Serialises a node for the output, where the engine's `readWritten` reads it: the JSON Schema keywords that
 * constrain values, and `x-open`.
 *
 * @param openingOf gives what the open variant accepts in addition
 */
function writtenNode(node: SchemaNode, openingOf: (node: SchemaNode) => Opening | undefined): JsonValue {
  if (node.always ?? node.never) return node.always === true;
  const inner = (child: SchemaNode): JsonValue => writtenNode(child, openingOf);
  const { ref, types, const: constant, dependentRequired } = node;
  const keywords: [name: string, value: JsonValue | undefined][] = [
    ["$ref", ref === undefined ? undefined : referenceTo(pointer("/$defs", ref))],
    ["type", types?.length === 1 ? types[0] : (types as JsonValue | undefined)],
    ["const", constant?.value],
    ...plain.map((name) => [name, node[name] as JsonValue | undefined] as [string, JsonValue | undefined]),
    ...single.map((name) => [name, node[name] && inner(node[name])] as [string, JsonValue | undefined]),
    ...listed.map((name) => [name, node[name]?.map(inner)] as [string, JsonValue | undefined]),
    ...named.map((name) => [name, written(node[name], inner)] as [string, JsonValue | undefined]),
    ["dependentRequired", written(dependentRequired, (names) => [...names])],
    ["format", scannedFormat(node)],
    ["x-open", node.open && (openingOf(node) as JsonValue | undefined)],
  ];
  return jsonObject(keywords.filter((keyword): keyword is [string, JsonValue] => keyword[1] !== undefined));
}

function written<Value>(
  map: ReadonlyMap<string, Value> | undefined,
  write: (value: Value) => JsonValue,
): JsonValue | undefined {
  return map && jsonObject([...map].map(([name, value]) => [name, write(value)] as const));
}
