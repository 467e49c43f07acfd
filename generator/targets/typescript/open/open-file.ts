import {
  type Definition,
  type Schema,
  type SchemaNode,
  naturalCompare,
  reachingOpen,
  referencesOf,
  withChildren,
} from "@mcpgen/engine";
import type { EmittedFile } from "../../../print/emitted-file.js";
import { capitalised, docComment, memberKey, propertyKey, stringLiteral } from "../../../print/text.js";
import { type Surroundings, freeName, importSpecifier, wordsOf } from "../emitter.js";
import { printable } from "../types/emit.js";
import { type TypeNames, declare, union, assigned, importTypes, settled } from "../types/print.js";
import { openDiscriminatorOf } from "../validators/discriminator.js";
import { Shapes } from "../validators/shape.js";

/** The definitions of a request's results. */
interface Answers {
  readonly method: string;
  readonly doc: string;
  readonly definitions: readonly string[];
}

/** The input of `open.ts`. */
interface OpenInput extends Pick<Surroundings, "origin" | "render"> {
  readonly schema: Schema;
  /** Definition → the name of its exact type. */
  readonly names: TypeNames;
  /** The definitions to emit; default: those whose open type differs from the exact one. */
  readonly reached?: ReadonlySet<string>;
  readonly results: readonly Answers[];
  /** The module that exports the exact types. */
  readonly exactModule: string;
}

/**
 * The text of `open.ts`: for each definition that contains an extensible union or string set, the type that a
 * tolerant reader accepts, including values of later revisions.
 */
export function openFile({
  schema,
  names: exact,
  reached,
  results,
  exactModule,
  origin,
  render,
}: OpenInput): EmittedFile {
  const open = new Set([...reachingOpen(schema)].filter((name) => reached?.has(name) ?? true));
  const names = localNames(exact, open);
  const rows = results.map((result) => rowOf(result, names));
  const readings = [...exact.keys()]
    .filter((name) => (reached ?? open).has(name))
    .map((name) => ({ key: propertyKey(name), identifier: names.get(name)! }));
  const read = [...openReading(printable(schema), open).definitions.values()];
  const definitions = read.map((definition) => {
    const identifier = names.get(definition.name)!;
    const doc = docComment([`Open reading of \`${exact.get(definition.name)!}\`.`]);
    return { doc, declaration: declare(definition, identifier, names) };
  });
  const referred = new Set([...(reached ?? []), ...read.flatMap(({ node }) => [...referencesOf(node)])]);
  // Some referring keywords, such as `not`, do not affect the type, so the names are taken from the printed
  // code.
  const declarations = definitions.map(({ declaration }) => declaration);
  const printed = wordsOf([...declarations, ...readings.map(({ identifier }) => identifier)].join("\n"));
  const imports = [...referred]
    .filter((name) => !open.has(name) && printed.has(names.get(name)!))
    .map((name) => importSpecifier(exact.get(name)!, names.get(name)!));
  const exactTypes = importTypes(imports.sort(naturalCompare), exactModule);
  return settled(render("open.ts", { origin, imports: exactTypes, readings, definitions, results: rows }));
}

/** A row of `ClientResults`. */
function rowOf({ method, doc, definitions }: Answers, names: TypeNames): { doc: string; member: string } {
  const type = definitions.length > 0 ? union(definitions.map((name) => names.get(name)!)) : "unknown";
  return { doc, member: assigned(`${memberKey(method)}:`, type, "  ") };
}

/** Names that open.ts itself declares (templates/open.ts.hbs). */
const declared = [
  "ClientResults",
  "Members",
  "Open",
  "OpenDefinitions",
  "Unlisted",
  "UnlistedArm",
  "unlisted",
];

/** Names of definitions in open.ts. Open types choose names before imported ones. */
function localNames(exact: TypeNames, open: ReadonlySet<string>): TypeNames {
  const taken = new Set(declared);
  const names = new Map<string, string>();
  for (const [name, identifier] of exact)
    if (open.has(name)) names.set(name, freeName(`Open${capitalised(identifier)}`, taken));
  for (const [name, identifier] of exact) if (!open.has(name)) names.set(name, freeName(identifier, taken));
  return names;
}

/** The open definitions of `schema`, with an arm for unknown values in every open union and string set. */
function openReading(schema: Schema, open: ReadonlySet<string>): Schema {
  const shapes = new Shapes(schema, true);
  const definitions = [...schema.definitions.values()]
    .filter(({ name }) => open.has(name))
    .map((definition): [string, Definition] => [
      definition.name,
      { ...definition, node: opened(shapes, definition.node) },
    ]);
  return { definitions: new Map(definitions) };
}

function opened(shapes: Shapes, node: SchemaNode): SchemaNode {
  const inner = withChildren(node, (child) => opened(shapes, child));
  if (!node.open) return inner;
  const { description, deprecated, pointer, ...rest } = inner;
  const remarks = {
    pointer,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
  };
  const arms = rest.anyOf ?? rest.oneOf ?? [{ pointer, ...rest }];
  return { ...remarks, anyOf: [...arms, { pointer, typeText: unlistedType(shapes, node) }] };
}

/** The type of values that the union or set does not list, as far as its validator can distinguish them. */
function unlistedType(shapes: Shapes, node: SchemaNode): string {
  const discriminator = openDiscriminatorOf(shapes, node);
  if (discriminator) return `UnlistedArm<${stringLiteral(discriminator.name)}>`;
  const arms = node.anyOf ?? node.oneOf;
  const members = node.enum ?? (node.const ? [node.const.value] : []);
  const ofStrings =
    members.length > 0 ? members.every((member) => typeof member === "string") : node.types?.[0] === "string";
  return ofStrings ? "Unlisted" : arms || node.properties ? "Members" : "unknown";
}
