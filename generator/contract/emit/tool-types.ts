import type { JsonObject, Schema, SchemaNode } from "@mcpgen/engine";
import { invariant } from "../../diagnostics/invariant.js";
import { printable } from "../../emit/types/breadth.js";
import { KeptTexts } from "../../print/kept-texts.js";
import { capitalised } from "../../print/names.js";
import { escapeUnprintable, propertyKey } from "../../print/text.js";
import type { TypeNames } from "../../emit/types/print.js";
import { typeForm } from "../../emit/types/type-form.js";
import { type Plain, plainSchema, withMaybes, withoutLongSets } from "./plain-schema.js";
import { printedDeclarations } from "./printed-types.js";

/** A type of a tool: its name in the tool's namespace, and the schema whose root it is. */
export interface TypeRoot {
  readonly name: string;
  readonly schema: Schema;
}

/** The part of json-schema-to-typescript that we use; its declarations do not compile under our settings. */
type Compile = (schema: object, name: string, options: object) => Promise<string>;

/** What json-schema-to-typescript made of documents: it takes milliseconds for each. */
const compiledTexts = new KeptTexts();

/** Makes declarations of schemas; loads json-schema-to-typescript once. */
export async function typeCompiler(): Promise<(roots: readonly TypeRoot[]) => Promise<string>> {
  const library: string = "json-schema-to-typescript";
  const { compile } = (await import(library)) as { readonly compile: Compile };
  return (roots) => declarationsOf(compile, roots);
}

/** The output of json-schema-to-typescript, which is a function of the document: name and options never change. */
async function compiledText(compile: Compile, document: JsonObject): Promise<string> {
  // The library changes what it is given.
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
  // References lead to definitions beside them; nothing is ever fetched.
  $refOptions: { resolve: { external: false, file: false, http: false } },
  format: false,
  // As types, limits are unions of tuples, which cost the compiler much and help readers little.
  ignoreMinAndMaxItems: true,
};

/** The document's own type, of which only what it refers to is wanted. */
const rootName = "McpgenRoot";

/** Declarations of roots and of all they refer to. */
async function declarationsOf(compiler: Compile, given: readonly TypeRoot[]): Promise<string> {
  const roots = given.map((root) => ({ ...root, schema: withoutLongSets(typeForm(root.schema)) }));
  const names = typeNames(roots);
  const isPrintable = roots.every(({ schema }) => printable(schema) === schema);
  const text = isPrintable ? await compiledDeclarations(compiler, roots, names) : undefined;
  // Schemas that json-schema-to-typescript cannot read, or names otherwise, are printed by our printer.
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
  // The library throws where a schema states its type in several ways at once.
  const compiled = await compiledText(compiler, document).catch(() => undefined);
  const text = compiled === undefined ? undefined : withoutRoot(withMaybes(compiled), roots);
  return text && indented(keys.restore(text.split("\n").map(escapeUnprintable)));
}

/** A definition that is but a reference would be called as what it refers to. */
function definitionOf(node: SchemaNode, plain: Plain): JsonObject {
  const schema = plainSchema(node, plain);
  return schema["$ref"] === undefined ? schema : { allOf: [schema] };
}

/** A type's name for each definition, by root and definition; names as json-schema-to-typescript leaves them. */
function typeNames(roots: readonly TypeRoot[]): Map<string, TypeNames> {
  // Names in the printed text that no definition has: its root, and a type of TypeScript (plain-schema.ts).
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
 * Keys that are more than a word mean something else to json-schema-to-typescript here and there, and to what it
 * resolves references with: they are replaced by placeholder words, and restored in the result.
 */
class Keys {
  private readonly numbers = new Map<string, number>();

  write(key: string): string {
    if (/^[A-Za-z][\w$]*$/.test(key) && !key.startsWith("mcpgenKey")) return key;
    const number = this.numbers.get(key) ?? this.numbers.size;
    this.numbers.set(key, number);
    return `mcpgenKey${number}`;
  }

  /** A key stands at the start of its line, where nothing else does that begins so. */
  restore(lines: readonly string[]): string[] {
    const written = [...this.numbers.keys()];
    return lines.map((line) =>
      line.replace(/^mcpgenKey(\d+)(?=\??:)/, (_, index: string) => propertyKey(written[Number(index)]!)),
    );
  }
}

/** `text` without the type of the document, whose members must be the roots by their names. */
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

/** Lines indented by the braces they end and begin with; json-schema-to-typescript leaves that to prettier. */
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

/** Comments of one line stand on one. */
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
