import {
  type Definition,
  type JsonValue,
  type Schema,
  type SchemaNode,
  type TypeName,
  inPlaceChildren,
  DefinitionMemo,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Kind, common, everyKind, kindOfType, kindOfValue, kindsOfTypes } from "../validators/shape.js";
import { arrayForm, itemsFrom } from "./array-form.js";
import { type FormContext, type FormMaker, annotations } from "./form.js";
import { InPlace } from "./in-place.js";
import { type DescribedObject, isAnything, objectForm } from "./object-form.js";

type Kinds = ReadonlySet<Kind>;

/** The form of nodes that a value satisfies together. */
interface Form {
  readonly node: SchemaNode;
  /** Whether it only restricts the value to the kinds of the context. */
  readonly isTrivial: boolean;
}

const everything: FormContext = {
  ...{ kinds: everyKind, around: [], idle: [], beside: [] },
  ...{ loose: false, isNamed: false },
};

/** Limits for forms borrowed from other nodes: how many members in total, and how many nested levels. */
const mostBorrowed = { members: 1_000, levels: 16 };

/**
 * Converts a schema to the form that types can express. Merges the constraints of `allOf`, references,
 * conditions and sibling keywords, and omits those that types cannot express. The form accepts every value
 * that the schema accepts and whose members it describes.
 *
 * Each node of the form is one of: unrestricted, `never`, a set of values, kinds of scalars, one object, one
 * array, a reference, `anyOf`, or `allOf` of these. Object nodes have a property for each required name. A
 * definition that is used for only some of its kinds of value becomes a separate definition for each such
 * use.
 */
export function typeForm(schema: Schema): Schema {
  return new Forms(schema).whole();
}

class Forms implements FormMaker {
  readonly schema: Schema;
  readonly inPlace: InPlace;
  readonly kindsOf: (node: SchemaNode) => Kinds;
  /** The definitions of the form, by source definition and use. New ones are appended and made later. */
  private readonly uses = new Map<
    string,
    { readonly name: string; readonly of: string; context: FormContext }
  >();
  /** Nodes whose forms are currently being made. */
  private readonly active = new Set<SchemaNode>();
  private members = 0;
  private levels = 0;

  constructor(schema: Schema) {
    this.schema = schema;
    this.inPlace = new InPlace(schema);
    this.kindsOf = kindsBySchema(schema);
  }

  whole(): Schema {
    const root = this.form([this.schema.root ?? { pointer: "" }], everything);
    const definitions = new Map<string, Definition>();
    // The iteration includes definitions added meanwhile.
    for (const { name, of, context } of this.uses.values())
      definitions.set(name, { name, node: this.form([this.schema.definitions.get(of)!.node], context) });
    const { root: _root, definitions: _definitions, ...rest } = this.schema;
    return { ...rest, root, definitions };
  }

  form(nodes: readonly SchemaNode[], context: FormContext = everything): SchemaNode {
    return this.formOf(nodes, context).node;
  }

  borrowed(nodes: readonly SchemaNode[], loose: boolean): SchemaNode {
    const isCircular = nodes.some((node) =>
      [...descendantsInPlace(node)].some((each) => this.active.has(each)),
    );
    if (isCircular || this.members === mostBorrowed.members || this.levels === mostBorrowed.levels)
      return { pointer: "" };
    this.members++;
    this.levels++;
    const form = this.form(nodes, { ...everything, loose });
    this.levels--;
    return form;
  }

  private formOf(nodes: readonly SchemaNode[], context: FormContext): Form {
    const { parts, references } = this.inPlace.conjuncts(nodes);
    const added = parts.filter((part) => !this.active.has(part));
    for (const part of added) this.active.add(part);
    const form = this.combined(nodes, parts, references, context);
    for (const part of added) this.active.delete(part);
    return { ...form, node: { ...form.node, ...annotations(nodes) } };
  }

  private combined(
    nodes: readonly SchemaNode[],
    parts: readonly SchemaNode[],
    references: readonly string[],
    context: FormContext,
  ): Form {
    const kinds = parts.map(this.kindsOf).reduce(common, context.kinds);
    const pointer = nodes[0]?.pointer ?? "";
    if (kinds.size === 0) return { node: { pointer, never: true }, isTrivial: false };
    const values = this.valuesOf(parts, references, kinds, context.around);
    if (values) return { node: ofValues(pointer, values), isTrivial: false };
    const isSame = kinds.size === context.kinds.size;
    const pieces = this.pieces(parts, references, { ...context, kinds });
    if (pieces === "never") return { node: { pointer, never: true }, isTrivial: false };
    if (pieces.length === 0) return { node: ofKinds(pointer, kinds, parts), isTrivial: isSame };
    const groups = apart(kinds);
    if (pieces.length === 1 || groups.length === 1)
      return { node: conjunction(pointer, pieces), isTrivial: false };
    // An intersection of unions over several kinds is divided into one intersection per kind.
    const each = groups.map((few) => this.formOf(nodes, { ...context, kinds: few }).node);
    return { node: { pointer, anyOf: each.filter(({ never }) => !never) }, isTrivial: false };
  }

  /** The forms whose intersection describes a value, apart from its restriction to `context.kinds`. */
  private pieces(
    parts: readonly SchemaNode[],
    references: readonly string[],
    context: FormContext,
  ): readonly SchemaNode[] | "never" {
    const unions = parts.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter((arms) => arms !== undefined));
    const groups = this.inPlace.groups(parts, references, unions);
    const names = groups.map((group) => this.inPlace.names(group));
    const loose = context.loose || areShared([...names, this.inPlace.names(context.around)]);
    const isIdle = this.inPlace.names(context.idle).size > 0;
    const besides = (group: number): readonly SchemaNode[] => [
      ...context.beside,
      ...groups.filter((_, index) => index !== group).flat(),
    ];
    const inner = (group: number): FormContext => {
      const isNamed =
        context.isNamed || isIdle || names.some(({ size }, index) => size > 0 && index !== group);
      return { ...context, loose, isNamed, beside: besides(group) };
    };
    const definitions = references.map((name) => this.schema.definitions.get(name)!.node);
    const around = [...context.around, ...parts, ...definitions];
    const forms = unions.map((arms, index) =>
      arms.map((arm) => this.formOf([arm], { ...inner(1 + references.length + index), around })),
    );
    const named: SchemaNode[] = references.map((name, index) => ({
      pointer: "",
      ref: this.use(name, inner(1 + index)),
    }));
    const others = forms.filter((arms) => !arms.some(({ isTrivial }) => isTrivial)).map(unionOf);
    if (others.some(({ never }) => never)) return "never";
    // A union with an unrestricted arm constrains nothing; it only names optional members.
    const idle = unions.filter((_, index) => forms[index]!.some(({ isTrivial }) => isTrivial)).flat();
    const isBeside = named.length + others.length > 0 || context.isNamed;
    const own = this.own({ parts, definitions, idle, isBeside }, { ...context, loose, beside: besides(0) });
    return [...named, ...(own ? [own] : []), ...others];
  }

  /** The form of the keywords for objects and arrays; undefined if there are none. */
  private own(described: DescribedObject, context: FormContext): SchemaNode | undefined {
    const { kinds } = context;
    const structures = new Map<Kind, SchemaNode | undefined>([
      ["object", kinds.has("object") ? objectForm(this, described, context) : undefined],
      ["array", kinds.has("array") ? arrayForm(this, described, context) : undefined],
    ]);
    if (!structures.get("object") && !structures.get("array")) return undefined;
    const arms = ordered(kinds, described.parts).map(
      (kind) => structures.get(kind) ?? { pointer: "", types: [kind] },
    );
    return arms.length === 1 ? arms[0] : { pointer: "", anyOf: arms };
  }

  /**
   * The values that all nodes accept, if one of them has `const` or `enum`. A definition counts only beside
   * other keywords, otherwise its name is printed.
   */
  private valuesOf(
    parts: readonly SchemaNode[],
    references: readonly string[],
    kinds: Kinds,
    around: readonly SchemaNode[],
  ): readonly JsonValue[] | undefined {
    const isNamed =
      references.length === 1 &&
      parts.every(({ ref: _ref, allOf: _allOf, types: _types, ...rest }) => isAnything(rest));
    const given = (isNamed ? parts : this.inPlace.certain(parts)).find((part) => part.const ?? part.enum);
    const candidates = given?.const ? [given.const.value] : given?.enum;
    const all = [...parts, ...around];
    return candidates?.filter(
      (value) => kinds.has(kindOfValue(value)) && all.every((node) => isValid(this.schema, node, value)),
    );
  }

  /** The name of the form's definition for one use of a schema's definition. */
  private use(of: string, context: FormContext): string {
    const { node } = this.schema.definitions.get(of)!;
    const kinds = common(context.kinds, this.kindsOf(node));
    const isShared = this.isShared(node, context);
    const loose = isShared || (context.loose && this.inPlace.hasConditions(of));
    const isNamed = context.isNamed && this.inPlace.hasSignature(of);
    const key = JSON.stringify([of, [...kinds].sort(), loose, isNamed, isShared]);
    const known = this.uses.get(key);
    if (known) return known.name;
    const taken = new Set([...this.uses.values()].map(({ name }) => name));
    let name = of;
    const said = [...kinds].sort().join("-or-");
    for (let number = 1; taken.has(name) || (number > 1 && this.schema.definitions.has(name)); number++)
      name = `${of}-${kinds.size < everyKind.size ? said : "value"}${number === 1 ? "" : number}`;
    const beside = isShared ? [perhapsAnyParts] : [];
    this.uses.set(key, { name, of, context: { ...everything, kinds, loose, isNamed, beside } });
    return name;
  }

  /**
   * Whether other nodes describe further members of the members and items of a definition, which it has at
   * this place only.
   */
  private isShared(node: SchemaNode, { idle, beside }: FormContext): boolean {
    const nodes = [...beside, ...idle.map(perhapsOnly)];
    const isDescribed = (schemas: readonly SchemaNode[]): boolean =>
      schemas.some((schema) => this.inPlace.describesParts([schema]));
    const hasItems = [...this.inPlace.possible([node])].some(
      ({ items, prefixItems }) => items ?? prefixItems,
    );
    return (
      [...this.inPlace.names([node])].some((name) => isDescribed(this.inPlace.hiddenMember(nodes, name))) ||
      (hasItems && isDescribed(this.inPlace.hiddenItem(nodes, (each) => itemsFrom(each, 0))))
    );
  }
}

/** The node, and the nodes below it that apply to the same value. */
function* descendantsInPlace(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  for (const child of inPlaceChildren(node)) yield* descendantsInPlace(child);
}

/** A schema that a value may satisfy. */
function perhapsOnly(node: SchemaNode): SchemaNode {
  return { pointer: "", if: { pointer: "" }, then: node };
}

/** Describes members and items at every depth. */
const anyParts: SchemaNode = {
  pointer: "",
  get additionalProperties() {
    return anyParts;
  },
  get items() {
    return anyParts;
  },
};
const perhapsAnyParts = perhapsOnly(anyParts);

/** Whether several sets share a name. */
function areShared(sets: readonly ReadonlySet<string>[]): boolean {
  return new Set(sets.flatMap((names) => [...names])).size < sets.reduce((sum, { size }) => sum + size, 0);
}

/** A union of the arms that accept values, without duplicates. */
function unionOf(forms: readonly Form[]): SchemaNode {
  const kept = forms.map(({ node }) => node).filter(({ never }) => !never);
  const arms = [...new Map(kept.map((node) => [textOf(node), node])).values()];
  if (arms.length === 0) return { pointer: "", never: true };
  return arms.length === 1 ? arms[0]! : { pointer: "", anyOf: arms };
}

/** Divides the kinds into scalars, arrays and objects. */
function apart(kinds: Kinds): Kinds[] {
  const scalars = [...kinds].filter((kind) => kind !== "array" && kind !== "object");
  const groups = [scalars, ["array" as const], ["object" as const]];
  return groups
    .map((group) => new Set<Kind>(group.filter((kind) => kinds.has(kind))))
    .filter(({ size }) => size > 0);
}

/** The kinds in the order of the schema's `type`, then scalars first. */
function ordered(kinds: Kinds, parts: readonly SchemaNode[]): Kind[] {
  const given = parts.find(({ types }) => types)?.types?.map(kindOfType) ?? [];
  const usual = ["string", "number", "boolean", "null", "array", "object"] as const;
  return [...new Set([...given, ...usual])].filter((kind) => kinds.has(kind));
}

function ofKinds(pointer: string, kinds: Kinds, parts: readonly SchemaNode[]): SchemaNode {
  if (kinds.size === everyKind.size) return { pointer };
  const names: TypeName[] = ordered(kinds, parts);
  return { pointer, types: names };
}

function ofValues(pointer: string, values: readonly JsonValue[]): SchemaNode {
  return values.length === 0 ? { pointer, never: true } : { pointer, enum: values };
}

function conjunction(pointer: string, pieces: readonly SchemaNode[]): SchemaNode {
  const [first, ...others] = [...new Map(pieces.map((piece) => [textOf(piece), piece])).values()];
  return others.length === 0 ? { ...first!, pointer } : { pointer, allOf: [first!, ...others] };
}

/** A text that is equal for equal forms, wherever they are. */
function textOf(node: SchemaNode): string {
  return JSON.stringify(node, (key, value: unknown) =>
    key === "pointer" ? undefined : value instanceof Map ? [...value] : value,
  );
}

/**
 * Returns a function for the kinds of JSON value that a node may accept: all kinds unless a keyword excludes
 * some.
 */
function kindsBySchema(schema: Schema): (node: SchemaNode) => Kinds {
  const memo = new DefinitionMemo<Kinds>(schema, kindsOf);
  return (node) => memo.of(node);
}

function kindsOf(node: SchemaNode, of: (name: string) => Kinds): Kinds {
  const inside = (part: SchemaNode): Kinds => kindsOf(part, of);
  const among = (arms: readonly SchemaNode[]): Kinds => new Set(arms.flatMap((arm) => [...inside(arm)]));
  const limits: Kinds[] = [];
  if (node.never) limits.push(new Set());
  if (node.types) limits.push(kindsOfTypes(node.types));
  if (node.const) limits.push(new Set([kindOfValue(node.const.value)]));
  if (node.enum) limits.push(new Set(node.enum.map(kindOfValue)));
  if (node.ref !== undefined) limits.push(of(node.ref));
  for (const part of node.allOf ?? []) limits.push(inside(part));
  for (const arms of [node.anyOf, node.oneOf]) if (arms) limits.push(among(arms));
  if (node.if) limits.push(kindsOfCondition(node, inside));
  if (node.not) limits.push(kindsBeside(node.not));
  return limits.reduce(common, everyKind);
}

/** The kinds that `if` with `then`, or `else`, accept. */
function kindsOfCondition(node: SchemaNode, inside: (part: SchemaNode) => Kinds): Kinds {
  const then = common(inside(node.if!), node.then ? inside(node.then) : everyKind);
  return node.else ? new Set([...then, ...inside(node.else)]) : everyKind;
}

/** The kinds that remain under `not`: without those whose values its schema accepts completely. */
function kindsBeside(not: SchemaNode): Kinds {
  const { pointer: _pointer, always: _always, types, ...others } = not;
  const values = others.const ? [others.const.value] : others.enum;
  const asserted = Object.keys(others).filter((key) => !["title", "description", "$comment"].includes(key));
  if (asserted.length === 0) {
    const gone = types ? kindsOfTypes(types.filter((type) => type !== "integer")) : everyKind;
    return new Set([...everyKind].filter((kind) => !gone.has(kind)));
  }
  const isNull = types === undefined && asserted.length === 1 && values?.includes(null);
  return isNull ? new Set([...everyKind].filter((kind) => kind !== "null")) : everyKind;
}
