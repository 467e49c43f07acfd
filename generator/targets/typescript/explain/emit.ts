import {
  type Definition,
  type JsonValue,
  type JudgingKeyword,
  type Opening,
  type SchemaNode,
  reachingOpen,
  jsonObject,
  pointer,
  referenceTo,
} from "@mcpgen/engine";
import type { EmittedFile } from "../../../print/emitted-file.js";
import { width } from "../../../print/layout.js";
import { capitalised, stringLiteral } from "../../../print/text.js";
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

type Writer = (node: SchemaNode, inner: (child: SchemaNode) => JsonValue) => JsonValue | undefined;

/** How the keywords that judge a value are written; `format` beside them, where it judges. Output has them in this order. */
const writers: { readonly [Name in JudgingKeyword | "format"]: Writer } = {
  $ref: ({ ref }) => (ref === undefined ? undefined : referenceTo(pointer("/$defs", ref))),
  type: ({ types }) => (types?.length === 1 ? types[0] : (types as JsonValue | undefined)),
  const: (node) => node.const?.value,
  ...each(["enum", "minProperties", "maxProperties", "minItems", "maxItems", "uniqueItems"], plain),
  ...each(
    ["minContains", "maxContains", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
    plain,
  ),
  ...each(["multipleOf", "minLength", "maxLength", "pattern", "required"], plain),
  ...each(["not", "if", "then", "else", "additionalProperties", "unevaluatedProperties"], single),
  ...each(["propertyNames", "items", "unevaluatedItems", "contains"], single),
  ...each(["allOf", "anyOf", "oneOf", "prefixItems"], listed),
  ...each(["properties", "patternProperties", "dependentSchemas"], named),
  dependentRequired: ({ dependentRequired }) => written(dependentRequired, (names) => [...names]),
  format: (node) => scannedFormat(node),
};

function each<Name extends string>(
  names: readonly Name[],
  writerOf: (name: Name) => Writer,
): { readonly [Each in Name]: Writer } {
  return Object.fromEntries(names.map((name) => [name, writerOf(name)])) as { [Each in Name]: Writer };
}

/** A number, a string, a list of values or `true`. */
function plain(name: keyof SchemaNode): Writer {
  return (node) => node[name] as JsonValue | undefined;
}

type NamesOf<Value> = {
  [Name in keyof SchemaNode]-?: NonNullable<SchemaNode[Name]> extends Value ? Name : never;
}[keyof SchemaNode];

function single(name: NamesOf<SchemaNode>): Writer {
  return (node, inner) => node[name] && inner(node[name]);
}

function listed(name: NamesOf<readonly SchemaNode[]>): Writer {
  return (node, inner) => node[name]?.map(inner);
}

function named(name: NamesOf<ReadonlyMap<string, SchemaNode>>): Writer {
  return (node, inner) => written(node[name], inner);
}

/**
 * Serialises a node for the output, where the engine's `readWritten` reads it: the JSON Schema keywords that
 * constrain values, and `x-open`.
 *
 * @param openingOf gives what the open variant accepts in addition
 */
function writtenNode(node: SchemaNode, openingOf: (node: SchemaNode) => Opening | undefined): JsonValue {
  if (node.always ?? node.never) return node.always === true;
  const inner = (child: SchemaNode): JsonValue => writtenNode(child, openingOf);
  const keywords: [name: string, value: JsonValue | undefined][] = [
    ...Object.entries(writers).map(
      ([name, write]) => [name, write(node, inner)] as [string, JsonValue | undefined],
    ),
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
