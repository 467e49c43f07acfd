import { type JsonValue, type Schema, type SchemaNode, naturalCompare } from "@mcpgen/engine";
import { fixedValues, memberNodes } from "../../sample/build.js";
import {
  type Alternative,
  type Bounds,
  type Conjunction,
  type Form,
  type Property,
  type Scalar,
  type ScalarType,
  type ShapeArm,
  type ShapeType,
  Alternatives,
  saysNothing,
  scalarTypes,
  shapeTypes,
} from "./form.js";
import { boundsOf, boundsText, distinct, wholeBounds } from "./bounds.js";

/** Reads the forms of a schema's places. Each form is cached. */
export class FormReader {
  readonly schema: Schema;
  private readonly alternatives: Alternatives;
  private readonly known = new Map<string, Form>();
  private readonly numbers = new Map<SchemaNode, number>();

  constructor(schema: Schema) {
    this.schema = schema;
    this.alternatives = new Alternatives(schema);
  }

  /** A key that is equal for the same nodes in any order. */
  keyOf(nodes: Conjunction): string {
    if (nodes.length === 1) return String(this.numberOf(nodes[0]!));
    const numbers = nodes.map((node) => this.numberOf(node));
    return [...new Set(numbers)].sort((a, b) => a - b).join("+");
  }

  private numberOf(node: SchemaNode): number {
    let number = this.numbers.get(node);
    if (number === undefined) this.numbers.set(node, (number = this.numbers.size));
    return number;
  }

  /** The alternatives that satisfy a place, each as a conjunction of schemas. */
  alternativesOf(nodes: Conjunction): Conjunction[] {
    return this.alternatives.of(nodes).map((alternative) => alternative.nodes);
  }

  /**
   * The exclusive unions (`oneOf`) of a place: its own, those behind references, and those inside other
   * unions.
   */
  exclusionsOf(nodes: Conjunction): (readonly SchemaNode[])[] {
    const seen = new Set<SchemaNode>(nodes);
    for (const { ref, allOf = [], anyOf = [], oneOf = [] } of seen) {
      if (ref !== undefined) seen.add(this.schema.definitions.get(ref)!.node);
      for (const part of [...allOf, ...anyOf, ...oneOf]) seen.add(part);
    }
    return [...seen].flatMap(({ oneOf = [] }) => (oneOf.length > 1 ? [oneOf] : []));
  }

  of(nodes: Conjunction): Form {
    const key = this.keyOf(nodes);
    let form = this.known.get(key);
    if (!form) {
      const exclusive = nodes.length === 1 && (nodes[0]!.oneOf?.length ?? 0) > 1;
      form = { ...readForm(key, this.alternatives.of(nodes)), exclusive };
      this.known.set(key, form);
      if (this.isAny(form, new Set())) this.known.set(key, (form = { ...form, any: true }));
    }
    return form;
  }

  /** The only value that is allowed; undefined if there are several. */
  constantOf(nodes: Conjunction): JsonValue | undefined {
    const { scalars, members } = this.of(nodes);
    const [only] = scalars.values();
    const isConstant = scalars.size === 1 && members.length === 0 && only!.free.length === 0;
    return isConstant && only!.values.length === 1 ? only!.values[0] : undefined;
  }

  /**
   * Whether every value is allowed although the form lists the types: an object of anything, an array of
   * anything, and so on.
   */
  private isAny(form: Form, assumed: Set<string>): boolean {
    if (form.any || assumed.has(form.key)) return true;
    if (!scalarTypes.every((type) => form.scalars.get(type)?.free.some((bounds) => bounds.size === 0)))
      return false;
    assumed.add(form.key);
    return (["array", "object"] as const).every((type) =>
      form.members.some(
        (member) =>
          member.type === type &&
          isFree({ ...member, additional: [], items: [] }) &&
          this.isAny(this.read([...member.additional, ...member.items]), assumed),
      ),
    );
  }

  private read(nodes: Conjunction): Form {
    const key = this.keyOf(nodes);
    return this.known.get(key) ?? readForm(key, this.alternatives.of(nodes));
  }
}

function readForm(key: string, alternatives: readonly Alternative[]): Form {
  const scalars = new Map<ScalarType, Scalar>();
  const members: ShapeArm[] = [];
  for (const alternative of alternatives) {
    const types = allowedTypes(alternative.nodes);
    const values = fixedValues(alternative.nodes);
    for (const type of types) {
      if (type === "array" || type === "object") {
        const member = memberOf(types.length === 1 ? alternative : typed(alternative, type), type, values);
        if (member) members.push(member);
        continue;
      }
      addScalar(scalars, type, alternative.nodes, values);
    }
  }
  return { key, scalars, members: distinctMembers(members), any: false, exclusive: false };
}

/** An alternative that allows several types, restricted to one. */
function typed(alternative: Alternative, type: "array" | "object"): Alternative {
  return { ...alternative, nodes: [...alternative.nodes, typeNodes[type]] };
}

const typeNodes: { readonly [T in "array" | "object"]: SchemaNode } = {
  array: { pointer: "", types: ["array"] },
  object: { pointer: "", types: ["object"] },
};

function addScalar(
  scalars: Map<ScalarType, Scalar>,
  type: ScalarType,
  nodes: Conjunction,
  values: readonly JsonValue[] | undefined,
): void {
  const present = scalars.get(type) ?? { values: [], free: [] };
  if (values && type !== "null") {
    const listed = values.filter((value) => typeof value === type);
    const added = listed.filter((value) => !present.values.includes(value));
    if (type === "boolean" && present.values.length + added.length === 2) {
      scalars.set(type, { values: [], free: [new Map()] });
    } else if (listed.length > 0) scalars.set(type, { ...present, values: [...present.values, ...added] });
    return;
  }
  if (values && !values.includes(null)) return;
  const bounds = scalarBounds(type, nodes);
  const text = boundsText(bounds);
  const isKnown = present.free.some((other) => boundsText(other) === text);
  scalars.set(type, isKnown ? present : { ...present, free: [...present.free, bounds] });
}

function scalarBounds(type: ScalarType, nodes: Conjunction): Bounds {
  const bounds = boundsOf(nodes, type);
  if (type !== "number") return bounds;
  const integer = nodes.some(({ types }) => types && !types.includes("number"));
  return integer ? new Map<string, JsonValue>([...wholeBounds(bounds), ["integer", true]]) : bounds;
}

function memberOf(
  { nodes, name, pointer }: Alternative,
  type: "array" | "object",
  values: readonly JsonValue[] | undefined,
): ShapeArm | undefined {
  const listed = values?.filter(
    (value) => typeof value === "object" && value !== null && Array.isArray(value) === (type === "array"),
  );
  if (listed?.length === 0) return undefined;
  const bounds = boundsOf(nodes, type);
  const fixed = listed ? new Map<string, JsonValue>([...bounds, ["enum", distinct(listed)]]) : bounds;
  const common = { type, nodes, name, pointer, bounds: fixed };
  if (type === "array") return { ...common, ...itemsOf(nodes), ...noMembers };
  const { properties, forbidden, impossible } = propertiesOf(nodes, pointer);
  if (impossible) return undefined;
  const others = nodes.flatMap((node) => node.additionalProperties ?? node.unevaluatedProperties ?? []);
  return {
    ...common,
    properties,
    forbidden,
    closed: others.some(({ never }) => never),
    additional: others.filter((node) => !node.never && !saysNothing(node)),
    prefix: [],
    items: [],
  };
}

/** The parts of an array's form that concern members. */
const noMembers = {
  properties: new Map<string, Property>(),
  forbidden: new Set<string>(),
  closed: false,
  additional: [],
} as const;

function itemsOf(nodes: Conjunction): Pick<ShapeArm, "prefix" | "items"> {
  const length = Math.max(0, ...nodes.map(({ prefixItems }) => prefixItems?.length ?? 0));
  // The schema of further items comes after the longest `prefixItems` of all nodes.
  const rest = nodes
    .flatMap(({ items, unevaluatedItems }) => items ?? unevaluatedItems ?? [])
    .filter((node) => !saysNothing(node));
  const prefix = Array.from({ length }, (_, index) =>
    nodes
      .flatMap(({ prefixItems, items }) => prefixItems?.[index] ?? items ?? [])
      .filter((node) => !saysNothing(node)),
  );
  return { prefix, items: rest };
}

function propertiesOf(
  nodes: Conjunction,
  pointer: string,
): { properties: ReadonlyMap<string, Property>; forbidden: ReadonlySet<string>; impossible: boolean } {
  const required = new Set(nodes.flatMap((node) => node.required ?? []));
  const names = new Set([...nodes.flatMap((node) => [...(node.properties?.keys() ?? [])]), ...required]);
  const properties = new Map<string, Property>();
  const forbidden = new Set<string>();
  for (const name of [...names].sort(naturalCompare)) {
    const parts = nodes.flatMap((node) => memberNodes(node, name));
    if (parts.some(({ never }) => never)) {
      if (required.has(name)) return { properties, forbidden, impossible: true };
      forbidden.add(name);
      continue;
    }
    const said = parts.filter((node) => !saysNothing(node));
    const first = parts[0] ?? { pointer: `${pointer}/required` };
    properties.set(name, { nodes: said.length > 0 ? said : [first], required: required.has(name) });
  }
  return { properties, forbidden, impossible: false };
}

function isFree({ bounds, properties, forbidden, closed, additional, prefix, items }: ShapeArm): boolean {
  return (
    bounds.size === 0 &&
    properties.size === 0 &&
    forbidden.size === 0 &&
    !closed &&
    additional.length === 0 &&
    prefix.length === 0 &&
    items.length === 0
  );
}

/** Removes arms that consist of the same nodes as another arm. */
function distinctMembers(members: readonly ShapeArm[]): readonly ShapeArm[] {
  if (members.length < 2) return members;
  const byNodes = new Map<string, ShapeArm>();
  for (const member of members) {
    const key = `${member.type} ${member.nodes
      .map((node) => node.pointer)
      .sort()
      .join(" ")}`;
    if (!byNodes.has(key)) byNodes.set(key, member);
  }
  return [...byNodes.values()];
}

/** The types that all nodes allow; `integer` counts as a number with a limit. */
function allowedTypes(nodes: Conjunction): ShapeType[] {
  if (nodes.some(({ never }) => never)) return [];
  return shapeTypes.filter((type) =>
    nodes.every(
      ({ types }) => !types || types.includes(type) || (type === "number" && types.includes("integer")),
    ),
  );
}
