import {
  type Definition,
  type Schema,
  type SchemaNode,
  naturalCompare,
  DefinitionMemo,
  descendants,
  recursiveDefinitions,
  withChildren,
  withNodes,
} from "@mcpgen/engine";
import {
  type Emitter,
  type SchemaInput,
  importSpecifier,
  localNames,
  ownDefinitions,
  sharedModule,
  wordsOf,
} from "../emitter.js";
import { deprecationLine, docComment } from "../../../print/text.js";
import {
  type InterfaceMember,
  type TypeNames,
  isInterface,
  indexSignature,
  membersOf,
  printBody,
  printType,
  assigned,
  importTypes,
  interfaceHead,
  settled,
} from "./print.js";
import { Shapes, kindOfType, kindOfValue } from "../validators/shape.js";

/** Emits `types.ts`: one exported type for each definition, named as in the schema. */
export const emitTypes: Emitter<SchemaInput> = (input) => {
  const { schema: exact, imported, folder, origin, render } = input;
  const schema = printable(exact);
  const names = localNames(schema, imported);
  const definitions = ownDefinitions(schema, imported).map((definition) => ({
    doc: documentation(definition),
    declaration: declare(definition, schema, names),
  }));
  const code = definitions.map(({ declaration }) => declaration).join("\n");
  const content = render("types.ts", { origin, imports: importOf(input, names, code), definitions });
  return new Map([[`${folder}/types.ts`, settled(content)]]);
};

/** The import of types from other files that the code uses; empty if there are none. */
function importOf(input: SchemaInput, names: TypeNames, code: string): string {
  const { imported } = input;
  if (!imported) return "";
  const used = wordsOf(code);
  const specifiers = [...imported.identifiers]
    .filter(([name]) => used.has(names.get(name)!))
    .map(([name, identifier]) => importSpecifier(identifier, names.get(name)!));
  const from = sharedModule(input, `${imported.folder}/types`);
  return importTypes(specifiers.sort(naturalCompare), from);
}

function documentation({ node, see = [] }: Definition): string {
  return docComment([
    node.description,
    deprecationLine(node.deprecated),
    ...see.map((page) => `@see ${page}`),
  ]);
}

function declare(definition: Definition, schema: Schema, names: TypeNames): string {
  const identifier = names.get(definition.name)!;
  if (!isInterface(definition))
    return assigned(`export type ${identifier} =`, printType(definition.node, names), "");
  const bases = printableBases(definition, schema);
  const head = interfaceHead(
    identifier,
    bases.map(({ name }) => names.get(name)!),
  );
  return `${head} ${ownBody(definition, bases, names)}`;
}

/** The members that the definition's bases do not declare in the same way. */
function ownBody({ node }: Definition, bases: readonly Definition[], names: TypeNames): string {
  const index = indexSignature(node, names, "  ");
  const inherited = inheritedMembers(bases, names);
  const own = membersOf(node, names, "  ").filter(
    (member) => inherited.get(member.name) !== signature(member),
  );
  const isInherited = bases.some((base) => indexSignature(base.node, names, "  ") === index);
  return printBody(own, isInherited ? undefined : index, "", true);
}

/** The members that the bases declare. A member on which they differ must be declared again. */
function inheritedMembers(bases: readonly Definition[], names: TypeNames): Map<string, string> {
  const inherited = new Map<string, string>();
  for (const { node } of bases) {
    for (const member of membersOf(node, names, "  ")) {
      const known = inherited.get(member.name);
      inherited.set(member.name, known === undefined || known === signature(member) ? signature(member) : "");
    }
  }
  return inherited;
}

function signature({ optional, type }: InterfaceMember): string {
  return `${optional ? "?" : ""}: ${type}`;
}

/**
 * Results of comparisons for a schema. A result that is still being computed counts as false, which ends
 * cycles.
 */
interface Known {
  readonly schema: Schema;
  readonly bases: Map<string, Definition[]>;
  readonly pairs: Map<SchemaNode, Map<SchemaNode, boolean>>;
  /** Number of nested comparisons in progress. */
  depth: number;
}

const remembered = new WeakMap<Schema, Known>();

/** Deeper types count as not assignable; handwritten types are never nested this deep. */
const maximumDepth = 100;

/**
 * The bases that the definition's interface can extend: each of their members must be certainly assignable.
 * Other bases' members are written out, which is equivalent.
 */
function printableBases(definition: Definition, schema: Schema): readonly Definition[] {
  const known = remembered.get(schema) ?? { schema, bases: new Map(), pairs: new Map(), depth: 0 };
  remembered.set(schema, known);
  return basesOf(definition, known);
}

function basesOf(definition: Definition, known: Known): readonly Definition[] {
  const found = known.bases.get(definition.name);
  if (found) return found;
  known.bases.set(definition.name, []);
  const bases = (definition.extends ?? [])
    .map((name) => known.schema.definitions.get(name)!)
    .filter((base) => isInterface(base) && narrowsMembers(definition.node, base.node, known));
  known.bases.set(definition.name, bases);
  return bases;
}

function narrowsMembers(derived: SchemaNode, base: SchemaNode, known: Known): boolean {
  return [...(base.properties ?? [])].every(([name, wide]) => {
    const narrow = derived.properties?.get(name);
    return narrow !== undefined && isAssignable(narrow, wide, known);
  });
}

/** Whether the type of `narrow` is certainly assignable to that of `wide`; `false` also if undecided. */
function isAssignable(narrow: SchemaNode, wide: SchemaNode, known: Known): boolean {
  if (isUnconstrained(wide) || sameText(narrow, wide)) return true;
  const answers = known.pairs.get(narrow) ?? new Map<SchemaNode, boolean>();
  known.pairs.set(narrow, answers);
  const found = answers.get(wide);
  if (found !== undefined || known.depth >= maximumDepth) return found ?? false;
  answers.set(wide, false);
  known.depth++;
  const answer = compare(narrow, wide, known);
  known.depth--;
  answers.set(wide, answer);
  return answer;
}

function compare(narrow: SchemaNode, wide: SchemaNode, known: Known): boolean {
  const { definitions } = known.schema;
  if (narrow.typeText !== undefined || wide.typeText !== undefined) return false;
  if (narrow.ref !== undefined && wide.ref !== undefined && descendsFrom(narrow.ref, wide.ref, known))
    return true;
  // Compare the arms of `narrow` first, while `wide` still has the name that they may extend.
  const narrowArms = narrow.anyOf ?? narrow.oneOf;
  if (narrowArms) return narrowArms.every((arm) => isAssignable(arm, wide, known));
  // `{ [key: string]: any }` accepts every object, including interfaces.
  if (wide.additionalProperties?.typeText === "any") return isObject(narrow, known.schema);
  if (isPlainObject(narrow) && isPlainObject(wide)) return isObjectSubset(narrow, wide, known);
  if (isIntersection(wide)) return false;
  if (wide.ref !== undefined) return isAssignable(narrow, definitions.get(wide.ref)!.node, known);
  if (narrow.ref !== undefined) return isAssignable(definitions.get(narrow.ref)!.node, wide, known);
  const wideArms = wide.anyOf ?? wide.oneOf;
  if (wideArms) return wideArms.some((arm) => isAssignable(narrow, arm, known));
  return isScalarSubset(narrow, wide);
}

/** Whether the printed type is an intersection, all of whose parts would have to be compared. */
function isIntersection(node: SchemaNode): boolean {
  const parts = [node.ref, node.anyOf, node.oneOf, node.const ?? node.enum ?? node.types ?? node.properties];
  return node.allOf !== undefined || parts.filter((part) => part !== undefined).length > 1;
}

function isUnconstrained({
  pointer: _pointer,
  always: _always,
  description: _description,
  deprecated: _deprecated,
  ...rest
}: SchemaNode): boolean {
  return Object.keys(rest).length === 0;
}

function descendsFrom(name: string, base: string, known: Known): boolean {
  if (name === base) return true;
  const definition = known.schema.definitions.get(name);
  return (
    definition !== undefined &&
    basesOf(definition, known).some((next) => descendsFrom(next.name, base, known))
  );
}

function isObject(node: SchemaNode, schema: Schema): boolean {
  if (node.ref !== undefined) return isObject(schema.definitions.get(node.ref)!.node, schema);
  const arms = node.anyOf ?? node.oneOf;
  if (arms) return arms.every((arm) => isObject(arm, schema));
  if (node.allOf) return node.allOf.some((part) => isObject(part, schema));
  return node.types?.length === 1 && node.types[0] === "object";
}

/**
 * Whether the node is an inline object rather than a definition. Its type has an implicit index signature.
 */
function isPlainObject(node: SchemaNode): boolean {
  const isObjectAlone = node.types?.length === 1 && node.types[0] === "object" && !isIntersection(node);
  return isObjectAlone && !node.const && !node.enum && !/^\/\$defs\/[^/]*$/.test(node.pointer);
}

function isObjectSubset(narrow: SchemaNode, wide: SchemaNode, known: Known): boolean {
  if (isAnyObject(wide)) return true;
  const [index, expected] = [indexOf(narrow), indexOf(wide)];
  if (isAnyObject(narrow) || expected === "limited") return false;
  if (!(wide.required ?? []).every((name) => narrow.required?.includes(name))) return false;
  const missing = [...(wide.properties ?? [])].filter(([name]) => !narrow.properties?.has(name));
  // A missing member must not be required, nor allowed with another type by an index signature or as an
  // undescribed member.
  if (missing.some(([name]) => index !== undefined || narrow.required?.includes(name))) return false;
  // TypeScript rejects a type that shares no member with an object whose members are all optional (weak
  // type).
  const shared = (wide.properties?.size ?? 0) - missing.length;
  if (shared === 0 && missing.length > 0 && expected === undefined) return false;
  return [...(wide.properties ?? [])].every(([name, member]) => {
    const own = narrow.properties?.get(name);
    return own === undefined || isAssignable(own, member, known);
  });
}

/** Whether the printed type is `object`. */
function isAnyObject(node: SchemaNode): boolean {
  return node.additionalProperties?.always === true && node.properties?.size === 0;
}

/** Whether the printed type of an object has an index signature: one for any value, or a limited one. */
function indexOf(node: SchemaNode): "unknown" | "limited" | undefined {
  const { additionalProperties: additional, patternProperties: patterns } = node;
  const isBare = !node.properties?.size && !node.required?.length;
  if (patterns) return "limited";
  if (additional === undefined) return isBare ? "unknown" : undefined;
  if (additional.never) return isBare ? "limited" : undefined;
  return isUnconstrained(additional) ? "unknown" : "limited";
}

/** Whether the scalar values or types are a subset of the other node's. */
function isScalarSubset(narrow: SchemaNode, wide: SchemaNode): boolean {
  const values = narrow.const ? [narrow.const.value] : narrow.enum;
  const allowed = wide.const ? [wide.const.value] : wide.enum;
  if (allowed) return values !== undefined && values.every((value) => allowed.includes(value));
  const types = values ? values.map(kindOfValue) : narrow.types;
  const scalars = types?.every((type) => type !== "object" && type !== "array") ?? false;
  return scalars && types!.every((type) => wide.types?.some((name) => kindOfType(name) === kindOfType(type)));
}

/** Whether two nodes have the same schema, apart from places and annotations. */
function sameText(a: SchemaNode, b: SchemaNode): boolean {
  return structure(a) === structure(b);
}

function structure(node: SchemaNode): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "pointer" || key === "description" || key === "deprecated" || key === "open")
      return undefined;
    return value instanceof Map ? [...value] : value;
  });
}

/**
 * Maximum number of members of an intersection of unions. TypeScript rejects a hundred thousand (TS2590), and
 * each alternative costs compile time.
 */
const broadest = 10_000;

/** Number of union members of a node's type, and the keywords to omit to stay below the limit. */
interface Breadth {
  readonly members: number;
  readonly without: readonly Combined[];
}

type Combined = "allOf" | "anyOf" | "oneOf";

/**
 * Prepares the schema for printing types. If the multiplied alternatives of a node are too many for
 * TypeScript, omits some of its keywords; the type then accepts more than the node. A definition that refers
 * to itself and accepts no kind of value becomes `never`.
 */
export function printable(schema: Schema): Schema {
  const impossible = impossibleDefinitions(schema);
  const memo = new DefinitionMemo<Breadth>(schema, breadthOf);
  const isBroad = (node: SchemaNode): boolean => memo.of(node).without.length > 0;
  const roots = [...schema.definitions.values()].map(({ node }) => node);
  if (schema.root) roots.push(schema.root);
  const isChanged = (node: SchemaNode): boolean => isBroad(node) || impossible.has(node);
  if (!roots.some((node) => someDescendant(node, isChanged))) return schema;
  const change = (node: SchemaNode): SchemaNode => {
    if (impossible.has(node)) {
      const { pointer, description, deprecated } = node;
      return {
        ...{ pointer, never: true },
        ...(description !== undefined && { description }),
        ...(deprecated && { deprecated }),
      };
    }
    const kept: { -readonly [K in keyof SchemaNode]: SchemaNode[K] } = { ...node };
    for (const keyword of memo.of(node).without) delete kept[keyword];
    return withChildren(kept, change);
  };
  return withNodes(schema, change);
}

/** Definitions that refer to themselves and accept no value; TypeScript would not terminate on them. */
function impossibleDefinitions(schema: Schema): ReadonlySet<SchemaNode> {
  const shapes = new Shapes(schema, false);
  const nodes = [...recursiveDefinitions(schema).keys()].map((name) => shapes.definition(name));
  return new Set(
    nodes.filter((node) => !node.never && node.typeText === undefined && shapes.kindsOf(node).size === 0),
  );
}

function someDescendant(node: SchemaNode, is: (node: SchemaNode) => boolean): boolean {
  for (const each of descendants(node)) if (is(each)) return true;
  return false;
}

function breadthOf(node: SchemaNode, of: (name: string) => Breadth): Breadth {
  if (node.typeText !== undefined) return { members: 1, without: [] };
  const inside = (part: SchemaNode): number => breadthOf(part, of).members;
  const sum = (arms: readonly SchemaNode[] = []): number =>
    Math.max(
      1,
      arms.reduce((total, arm) => total + inside(arm), 0),
    );
  const factors: Record<Combined, number> = {
    oneOf: sum(node.oneOf),
    anyOf: sum(node.anyOf),
    allOf: (node.allOf ?? []).reduce((product, part) => product * inside(part), 1),
  };
  const own = node.const ? 1 : (node.enum?.length ?? node.types?.length ?? 1);
  let members = own * (node.ref === undefined ? 1 : of(node.ref).members);
  const without: Combined[] = [];
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    if (members * factors[keyword] > broadest && (members > 1 || keyword === "allOf")) without.push(keyword);
    else members *= factors[keyword];
  }
  return { members, without };
}
