import {
  type Definition,
  type JsonObject,
  type Schema,
  type SchemaNode,
  withChildren,
  withNodes,
} from "@mcpgen/engine";
import { invariant } from "../../diagnostics/coded-error.js";
import { printable } from "../../targets/typescript/types/emit.js";
import { KeptTexts } from "../../print/format.js";
import {
  capitalised,
  commentText,
  deprecationLine,
  docComment,
  escapeUnprintable,
  propertyKey,
} from "../../print/text.js";
import { shortText } from "../../print/terminal-text.js";
import { type TypeNames, declare, literal, union } from "../../targets/typescript/types/print.js";
import { typeForm } from "../../targets/typescript/types/type-form.js";
import { isScalar, kindOfValue } from "../../targets/typescript/validators/shape.js";

/** A type of a tool: its name in the tool's namespace, and its schema. */
export interface TypeRoot {
  readonly name: string;
  readonly schema: Schema;
}

/**
 * The function of json-schema-to-typescript that is used. The library's own declarations do not compile under
 * this project's settings.
 */
type Compile = (schema: object, name: string, options: object) => Promise<string>;

/** Cached output of json-schema-to-typescript, which needs milliseconds for each document. */
const compiledTexts = new KeptTexts();

/** Returns a function that prints declarations for schemas. Loads json-schema-to-typescript once. */
export async function typeCompiler(): Promise<(roots: readonly TypeRoot[]) => Promise<string>> {
  const library: string = "json-schema-to-typescript";
  const { compile } = (await import(library)) as { readonly compile: Compile };
  return (roots) => declarationsOf(compile, roots);
}

/**
 * The output of json-schema-to-typescript. It depends only on the document, because name and options are
 * constant.
 */
async function compiledText(compile: Compile, document: JsonObject): Promise<string> {
  // The library modifies its input, so the key is made before.
  const key = JSON.stringify(document);
  const kept = compiledTexts.get(key);
  if (kept !== undefined) return kept;
  const made = await compile(document, rootName, options);
  compiledTexts.set(key, made);
  return made;
}

const options = {
  additionalProperties: false,
  bannerComment: "",
  // All references lead to definitions in the same document; nothing is fetched.
  $refOptions: { resolve: { external: false, file: false, http: false } },
  format: false,
  // As types, array limits become unions of tuples, which are expensive for the compiler and of little use to
  // readers.
  ignoreMinAndMaxItems: true,
};

/** Name of the document's type, from which only the referenced types are kept. */
const rootName = "McpgenRoot";

/** Declarations of the roots and of all types they refer to. */
async function declarationsOf(compiler: Compile, given: readonly TypeRoot[]): Promise<string> {
  const roots = given.map((root) => ({ ...root, schema: withoutLongSets(typeForm(root.schema)) }));
  const names = typeNames(roots);
  const isPrintable = roots.every(({ schema }) => printable(schema) === schema);
  const text = isPrintable ? await compiledDeclarations(compiler, roots, names) : undefined;
  // If json-schema-to-typescript cannot read a schema or names it differently, mcpgen's own printer is used.
  return text ?? printedDeclarations(roots, names);
}

/** The output of json-schema-to-typescript for the roots, if all of them have their names in it. */
async function compiledDeclarations(
  compiler: Compile,
  roots: readonly TypeRoot[],
  names: ReadonlyMap<string, TypeNames>,
): Promise<string | undefined> {
  const keys = new Keys();
  const definitions: Record<string, JsonObject> = {};
  for (const { name, schema } of roots) {
    const plain: Plain = {
      typeOf: (definition) => names.get(name)!.get(definition)!,
      keyOf: (key) => keys.write(key),
    };
    definitions[name] = definitionOf(schema.root ?? { pointer: "" }, plain);
    for (const { name: definition, node } of schema.definitions.values())
      definitions[plain.typeOf(definition)] = definitionOf(node, plain);
  }
  const document: JsonObject = {
    title: rootName,
    type: "object",
    properties: Object.fromEntries(roots.map(({ name }) => [name, { $ref: `#/definitions/${name}` }])),
    definitions,
  };
  // The library throws if a schema states its type in several ways.
  const compiled = await compiledText(compiler, document).catch(() => undefined);
  const text = compiled === undefined ? undefined : withoutRoot(withMaybes(compiled), roots);
  return text && indented(keys.restore(text.split("\n").map(escapeUnprintable)));
}

/** A definition that is only a reference would get the name of its target, so it is wrapped. */
function definitionOf(node: SchemaNode, plain: Plain): JsonObject {
  const schema = plainSchema(node, plain);
  return schema["$ref"] === undefined ? schema : { allOf: [schema] };
}

/** The type name for each definition, by root; names that json-schema-to-typescript does not change. */
function typeNames(roots: readonly TypeRoot[]): Map<string, TypeNames> {
  // Names in the printed text that are not definitions: the root type, and a built-in type.
  const taken = new Set([...roots.map(({ name }) => name), rootName, "Record"]);
  const all = new Map<string, TypeNames>();
  for (const { name: root, schema } of roots) {
    const forms = new Map<string, string>();
    all.set(root, forms);
    for (const definition of schema.definitions.keys()) {
      const wanted = pascalCase(definition);
      let form = taken.has(wanted) ? `${root}${wanted}` : wanted;
      for (let number = 2; taken.has(form); number++) form = `${wanted}${number}`;
      taken.add(form);
      forms.set(definition, form);
    }
  }
  return all;
}

function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words
    .map(capitalised)
    .join("")
    .replace(/\d[a-z]/g, (found) => found.toUpperCase());
  return /^[A-Z]/.test(joined) ? joined : `Type${joined}`;
}

/**
 * json-schema-to-typescript and its reference resolver misinterpret some keys that are not simple words.
 * These are replaced by placeholders, and restored in the result.
 */
class Keys {
  private readonly numbers = new Map<string, number>();

  write(key: string): string {
    if (/^[A-Za-z][\w$]*$/.test(key) && !key.startsWith("mcpgenKey")) return key;
    const number = this.numbers.get(key) ?? this.numbers.size;
    this.numbers.set(key, number);
    return `mcpgenKey${number}`;
  }

  /** Restores keys. A placeholder occurs only at the start of its line. */
  restore(lines: readonly string[]): string[] {
    const written = [...this.numbers.keys()];
    return lines.map((line) =>
      line.replace(/^mcpgenKey(\d+)(?=\??:)/, (_, index: string) => propertyKey(written[Number(index)]!)),
    );
  }
}

/** `text` without the document's type, whose members must be the roots under their names. */
function withoutRoot(text: string, roots: readonly TypeRoot[]): string | undefined {
  const start = text.indexOf(`export interface ${rootName} {`);
  invariant(start >= 0, "the root's type is printed");
  const end = text.indexOf("\n}", start);
  const members = text
    .slice(start, end)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .slice(1);
  const written = new Set(members.map((line) => line.trim()).filter((line) => line !== ""));
  const named = roots.every(({ name }) => written.has(`${name}?: ${name}`));
  return named && written.size === roots.length ? text.slice(0, start) + text.slice(end + 2) : undefined;
}

/**
 * Indents lines by the braces at their ends and starts, which json-schema-to-typescript leaves to prettier.
 */
function indented(lines: readonly string[]): string {
  let depth = 0;
  let comment = false;
  const result: string[] = [];
  for (const line of withShortComments(lines)) {
    if (line.trim() === "") continue;
    if (!comment && /^[}\]]/.test(line)) depth--;
    result.push("  ".repeat(depth) + line);
    if (line === "/**") comment = true;
    if (!comment && line.endsWith("{")) depth++;
    if (line === " */") comment = false;
  }
  return result.join("\n");
}

/** Puts comments with one line of text on one line. */
function withShortComments(lines: readonly string[]): string[] {
  const result: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const text = lines[index + 1]?.slice(3) ?? "";
    if (lines[index] === "/**" && lines[index + 2] === " */" && text !== "" && text.length <= 66) {
      result.push(`/** ${text} */`);
      index += 2;
    } else result.push(lines[index]!);
  }
  return result;
}

/**
 * Maximum number of values in a literal union. A larger set is printed as its type, because large unions are
 * expensive for the compiler and of little use to readers.
 */
const longestEnum = 256;

/** The schema with large sets of values replaced by their types. */
function withoutLongSets(schema: Schema): Schema {
  return withNodes(schema, withShortSets);
}

function withShortSets(node: SchemaNode): SchemaNode {
  const changed = withChildren(node, withShortSets);
  const { enum: values, ...rest } = changed;
  if (!values) return changed;
  if (values.length <= longestEnum && JSON.stringify(values).length <= 64 * longestEnum) return changed;
  return { ...rest, types: rest.types ?? [...new Set(values.map(kindOfValue))] };
}

/** Encoded names and keys of a schema on its way to types. */
interface Plain {
  /** The type name of a definition. */
  readonly typeOf: (definition: string) => string;
  /** The key to write for a member: a placeholder if its own would be misinterpreted. */
  readonly keyOf: (key: string) => string;
}

/**
 * Converts a node of a type form to the draft-04 schema that json-schema-to-typescript reads, in which
 * references only lead to `definitions`. Annotations, including defaults, become the description.
 */
function plainSchema(node: SchemaNode, plain: Plain): JsonObject {
  const said = descriptionOf(node);
  const description: JsonObject = said === "" ? {} : { description: said };
  const deprecated: JsonObject = node.deprecated ? { deprecated: true } : {};
  return { ...description, ...shapeOf(node, plain, said !== ""), ...deprecated };
}

function shapeOf(node: SchemaNode, plain: Plain, isDescribed: boolean): JsonObject {
  const schemas = (nodes: readonly SchemaNode[]): JsonObject[] =>
    nodes.map((each) => plainSchema(each, plain));
  if (node.typeText !== undefined) return { tsType: node.typeText };
  if (node.never) return { tsType: "never" };
  if (node.ref !== undefined) {
    const reference: JsonObject = { $ref: `#/definitions/${plain.typeOf(node.ref)}` };
    return isDescribed ? { allOf: [reference] } : reference;
  }
  if (node.allOf) return { allOf: schemas(node.allOf) };
  if (node.anyOf) return { anyOf: schemas(node.anyOf) };
  if (node.enum)
    return node.enum.every(isScalar)
      ? { enum: [...node.enum] }
      : { tsType: `(${union(node.enum.map(literal))})` };
  if (!node.types) return { tsType: "unknown" };
  if (node.types.length > 1)
    return { anyOf: schemas(node.types.map((type) => ({ pointer: "", types: [type] }))) };
  if (node.types[0] === "object") return objectOf(node, plain);
  return { type: node.types[0]!, ...(node.types[0] === "array" && arrayOf(node, plain)) };
}

function objectOf(
  { properties, additionalProperties: others, required }: SchemaNode,
  plain: Plain,
): JsonObject {
  const named = [...(properties ?? [])].map(
    ([key, child]) => [plain.keyOf(key), plainSchema(child, plain)] as const,
  );
  if (named.length === 0 && others?.never) return { tsType: "Record<string, never>" };
  const isOpen = others ? others.always === true : named.length === 0;
  return {
    type: "object",
    properties: Object.fromEntries(named),
    ...(required && { required: required.map(plain.keyOf) }),
    additionalProperties: others && !isOpen && !others.never ? plainSchema(others, plain) : isOpen,
  };
}

/** Marks around optional items of a tuple. No text of a schema contains these characters. */
const maybe: readonly [start: JsonObject, end: JsonObject] = [{ tsType: "\u0001" }, { tsType: "\u0002" }];

/** Converts marked items to optional tuple elements: `[string, number?]`. */
function withMaybes(text: string): string {
  return text.replaceAll("\u0001, ", "(").replaceAll(", \u0002", ")?");
}

function arrayOf({ prefixItems, items, minItems = 0 }: SchemaNode, plain: Plain): JsonObject {
  const schemaOf = (child: SchemaNode): JsonObject => plainSchema(child, plain);
  if (!prefixItems) return items?.never ? { tsType: "[]" } : items ? { items: schemaOf(items) } : {};
  const all = prefixItems.map(schemaOf);
  const given = all.slice(0, minItems);
  const missing = all.slice(minItems).flatMap((item) => [maybe[0], item, maybe[1]]);
  return {
    items: [...given, ...missing],
    additionalItems: items?.never ? false : items ? schemaOf(items) : true,
  };
}

function descriptionOf({ title, description, default: standard }: SchemaNode): string {
  const text = description ?? title ?? "";
  const lines = [text, ...(standard ? [`@default ${shortText(JSON.stringify(standard.value), 200)}`] : [])];
  return commentText(lines.join("\n")).replaceAll("\t", " ").trim();
}

/**
 * Declarations of the roots and all types they refer to, printed by mcpgen's own printer.
 *
 * @param names the type name for each definition, by root
 */
function printedDeclarations(roots: readonly TypeRoot[], names: ReadonlyMap<string, TypeNames>): string {
  return roots
    .flatMap(({ name, schema: exact }) => {
      const schema = printable(exact);
      const root: Definition = { name, node: schema.root ?? { pointer: "" } };
      const types = names.get(name)!;
      const definitions = [...schema.definitions.values()];
      return [
        declaration(root, name, types),
        ...definitions.map((each) => declaration(each, types.get(each.name)!, types)),
      ];
    })
    .join("\n");
}

function declaration(definition: Definition, identifier: string, names: TypeNames): string {
  const { description, deprecated } = definition.node;
  return docComment([description, deprecationLine(deprecated)]) + declare(definition, identifier, names);
}
