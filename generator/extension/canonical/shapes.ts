import {
  type JsonObject,
  type JsonValue,
  atPointer,
  canonicalText,
  isJsonObject,
  keywords,
  pointerTokens,
  groupBy,
} from "@mcpgen/engine";
import { decoded } from "../flatten.js";

/** Finds the node that a reference of a document names; undefined if there is none. */
export type Resolve = (
  reference: string,
) => { readonly node: JsonValue; readonly resolve: Resolve } | undefined;

/**
 * Assigns a number to each subschema. Two have the same number if they accept the same values, also for deep
 * and recursive schemas.
 */
export interface Shapes {
  of(node: JsonValue): number | undefined;
}

interface Vertex {
  readonly text: string;
  readonly edges: { readonly label: string; readonly to: Vertex }[];
  /** Vertices that have an edge to this one. */
  readonly from: Set<Vertex>;
  colour: number;
}

/**
 * Compares all subschemas of some nodes by partition refinement. Nodes with equal assertions start in one
 * class. Classes are split until the children of all members are in the same classes. Recursive schemas thus
 * compare like their infinite expansions.
 *
 * @param roots nodes, each with the resolver of its document
 */
export function shapesOf(
  roots: readonly { readonly node: JsonValue; readonly resolve: Resolve }[],
  likeness: Likeness,
): Shapes {
  const graph = new Graph(likeness);
  for (const { node, resolve } of roots) graph.add(node, resolve);
  refine(graph.all);
  return { of: (node) => (isJsonObject(node) ? graph.vertices.get(node)?.colour : undefined) };
}

/** The subschemas and their containment. References and pure annotations are not vertices. */
class Graph {
  readonly vertices = new Map<JsonObject, Vertex>();
  private readonly anything = vertex("");
  private readonly nothing = vertex("never");
  private readonly likeness: Likeness;
  /** Deferred work that adds edges to vertices. */
  private readonly pending: (() => void)[] = [];

  constructor(likeness: Likeness) {
    this.likeness = likeness;
  }

  get all(): Vertex[] {
    return [...new Set([...this.vertices.values(), this.anything, this.nothing])];
  }

  add(node: JsonValue, resolve: Resolve): void {
    this.vertexOf(node, resolve);
    // Chains of references may be long, so the work is in a list instead of the call stack.
    for (let work = this.pending.pop(); work; work = this.pending.pop()) work();
  }

  private vertexOf(node: JsonValue, resolve: Resolve): Vertex {
    const passed = new Set<JsonObject>();
    const found = this.target(node, resolve, passed);
    for (const alias of passed) this.vertices.set(alias, found);
    return found;
  }

  /** Follows references, and nodes that are equivalent to a single subschema. */
  private target(start: JsonValue, within: Resolve, passed: Set<JsonObject>): Vertex {
    let [node, resolve] = [start, within];
    for (;;) {
      if (!isJsonObject(node)) return node === false ? this.nothing : this.anything;
      const known = this.vertices.get(node);
      if (known) return known;
      // A cycle of references constrains nothing.
      if (passed.has(node)) return this.anything;
      passed.add(node);
      const reference = pureReference(node);
      if (reference !== undefined) {
        const next = resolve(reference);
        if (!next) return vertex(`$ref ${reference}`);
        ({ node, resolve } = next);
        continue;
      }
      const { text, children, alias } = plainNode(node, this.likeness);
      if (alias === undefined) return this.newVertex(text, children, resolve);
      node = alias;
    }
  }

  private newVertex(text: string, children: readonly PlainChild[], resolve: Resolve): Vertex {
    const made = vertex(text);
    this.pending.push(() => {
      for (const { label, node } of children) {
        const to = this.vertexOf(node, resolve);
        made.edges.push({ label, to });
        to.from.add(made);
      }
    });
    return made;
  }
}

function vertex(text: string): Vertex {
  return { text, edges: [], from: new Set(), colour: 0 };
}

function pureReference(node: JsonObject): string | undefined {
  const { $ref, ...rest } = node;
  return typeof $ref === "string" && Object.keys(rest).length === 0 ? $ref : undefined;
}

/**
 * Gives two vertices the same colour if no expansion distinguishes them. After each step, only the
 * predecessors of vertices with a new colour are examined again.
 */
function refine(vertices: readonly Vertex[]): void {
  const members = new Map<number, Set<Vertex>>();
  let next = 0;
  const first = groupBy(vertices, ({ text, edges }) => `${text}\n${joined(edges.map(({ label }) => label))}`);
  for (const group of first.values()) recolour(group, next++, members);
  let changed: readonly Vertex[] = vertices;
  while (changed.length > 0) {
    const dirty = groupBy(new Set(changed.flatMap(({ from }) => [...from])), ({ colour }) => colour);
    // Compute all keys before changing any colour.
    const splits = [...dirty.values()].map((group) => [...groupBy(group, keyOf).values()]);
    const moved: Vertex[] = [];
    for (const groups of splits) {
      const { size } = members.get(groups[0]![0]!.colour)!;
      const isWhole = groups.reduce((sum, group) => sum + group.length, 0) === size;
      // If all members were examined, the largest group keeps the colour.
      const kept = isWhole ? groups.reduce((a, b) => (b.length > a.length ? b : a)) : undefined;
      for (const group of groups) {
        if (group === kept) continue;
        recolour(group, next++, members);
        moved.push(...group);
      }
    }
    changed = moved;
  }
}

function keyOf({ edges }: Vertex): string {
  return joined(edges.map(({ label, to }) => `${label} ${to.colour}`));
}

function recolour(group: readonly Vertex[], colour: number, members: Map<number, Set<Vertex>>): void {
  for (const one of group) members.get(one.colour)?.delete(one);
  members.set(colour, new Set(group));
  for (const one of group) one.colour = colour;
}

function joined(texts: readonly string[]): string {
  return texts.length === 0 ? "" : [...new Set(texts)].sort().join("\n");
}

/**
 * Returns a resolver for references `#…` within `document`; references to other documents are identified by
 * their text.
 */
export function resolverOf(
  document: JsonObject,
  others: ReadonlyMap<string, JsonObject> = new Map(),
): Resolve {
  const resolve: Resolve = (reference) => {
    const hash = reference.indexOf("#");
    const name = hash < 0 ? reference : reference.slice(0, hash);
    const owner = name === "" ? document : others.get(name);
    if (!owner) return undefined;
    const at = hash < 0 ? "" : decoded(reference.slice(hash + 1));
    const node = pointerTokens(at).length === 0 ? owner : atPointer(owner, at);
    return node === undefined ? undefined : { node, resolve: name === "" ? resolve : resolverOf(owner) };
  };
  return resolve;
}

/** A node without the style of the program that wrote it. */
interface PlainNode {
  /** The node's own assertions as text, equal for equal nodes. */
  readonly text: string;
  /** Its subschemas, each with its pointer in the node. */
  readonly children: readonly PlainChild[];
  /** The subschema that the node is equivalent to; text and children are then empty. */
  readonly alias?: JsonValue;
}

interface PlainChild {
  /** Children with the same label form a set. */
  readonly label: string;
  readonly node: JsonValue;
}

/**
 * How much a copy may differ from the definition.
 *
 * - `equal`: both accept the same values; only the style differs.
 * - `alike`: a schema generator may also have closed objects, and added the pattern of a format, the range of
 *   a JavaScript integer, or `number` for an integer.
 */
type Likeness = "equal" | "alike";

/** Key for the types of arms that are only a type, beside other arms. */
const unionTypes = "types of the union";

/** A node in the form that `Likeness` compares, without annotations (including `format`). */
function plainNode(node: JsonValue, likeness: Likeness): PlainNode {
  if (!isJsonObject(node)) return { text: node === false ? "never" : "", children: [] };
  const own: JsonObject = {};
  const children: PlainChild[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    if (keywords.get(keyword)?.annotation || isStyle(keyword, value, node, likeness)) continue;
    addKeyword(keyword, value, own, children);
  }
  const values = stringValues(own, children);
  if (values) return { text: canonicalText(values), children: [] };
  if (Array.isArray(own["type"]) || typeof own["type"] === "string") own["type"] = typesOf(own["type"]);
  mergeTypes(own, children, likeness);
  if (likeness === "alike") {
    for (const keyword of ["type", unionTypes])
      if (Array.isArray(own[keyword])) own[keyword] = asNumbers(own[keyword]);
  }
  const text = Object.keys(own).length === 0 ? "" : canonicalText(own);
  const [only] = children;
  const isAlias = text === "" && children.length === 1 && /^(?:\$ref|allOf|union)$/.test(only!.label);
  return isAlias ? { text: "", children: [], alias: only!.node } : { text, children };
}

/** Whether a keyword has no effect, or only one that the likeness ignores. */
function isStyle(keyword: string, value: JsonValue, node: JsonObject, likeness: Likeness): boolean {
  const alike = likeness === "alike";
  switch (keyword) {
    case "additionalProperties":
      return isAnything(value) || (alike && value === false);
    case "propertyNames":
      return isAnything(value) || (isJsonObject(value) && canonicalText(value) === '{"type":"string"}');
    case "items":
      return isAnything(value);
    case "required":
      return Array.isArray(value) && value.length === 0;
    case "pattern":
      return alike && ("format" in node || "contentEncoding" in node);
    case "minimum":
      return alike && value === -Number.MAX_SAFE_INTEGER;
    case "maximum":
      return alike && value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

function isAnything(value: JsonValue): boolean {
  return value === true || (isJsonObject(value) && Object.keys(value).length === 0);
}

function addKeyword(keyword: string, value: JsonValue, own: JsonObject, children: PlainChild[]): void {
  const add = (label: string, node: JsonValue): void => void children.push({ label, node });
  switch (keywords.get(keyword)?.shape) {
    case "schema":
      return add(keyword, value);
    case "schemaMap":
      if (isJsonObject(value))
        for (const [name, node] of Object.entries(value)) add(`${keyword}/${name}`, node);
      return;
    case "schemaSet": {
      // With mutually exclusive arms, `anyOf` and `oneOf` mean the same.
      const label = keyword === "allOf" ? keyword : "union";
      if (Array.isArray(value)) for (const node of value) add(label, node);
      return;
    }
    case "schemaList":
      if (Array.isArray(value)) for (const [index, node] of value.entries()) add(`${keyword}/${index}`, node);
      return;
    default:
      // The target of a reference is a child, which the caller resolves.
      if (keyword === "$ref" && typeof value === "string") add("$ref", { $ref: value });
      else own[keyword] = value;
  }
}

/** The values of `enum`, `const`, or a union of only these, which imply the type. */
function stringValues(own: JsonObject, children: readonly PlainChild[]): JsonValue[] | undefined {
  const named = Object.keys(own).filter((keyword) => keyword !== "type");
  if (children.length === 0 && named.length === 1) return valuesOf(own);
  if (children.length === 0 || named.length > 0) return undefined;
  const arms: JsonValue[] = [];
  for (const { label, node } of children) {
    const values = label === "union" && isJsonObject(node) ? valuesOf(node) : undefined;
    if (!values) return undefined;
    arms.push(...values);
  }
  return sortedUnique(arms);
}

function valuesOf(node: JsonObject): JsonValue[] | undefined {
  const asserting = Object.keys(node).filter((keyword) => !keywords.get(keyword)?.annotation);
  if (asserting.some((keyword) => !["type", "const", "enum"].includes(keyword))) return undefined;
  const { const: constant, enum: values } = node;
  if (constant !== undefined) return values === undefined ? [constant] : undefined;
  return Array.isArray(values) ? sortedUnique(values) : undefined;
}

function sortedUnique(values: readonly JsonValue[]): JsonValue[] {
  const byText = new Map(values.map((value) => [canonicalText(value), value]));
  return [...byText.keys()].sort().map((text) => byText.get(text)!);
}

function typesOf(type: JsonValue): string[] {
  return [...new Set([type].flat().map(String))].sort();
}

function asNumbers(types: readonly JsonValue[]): string[] {
  return [...new Set(types.map((type) => (type === "integer" ? "number" : String(type))))].sort();
}

/** Merges the arms of a union that are only a type: `anyOf: [string, null]` equals `type: [null, string]`. */
function mergeTypes(own: JsonObject, children: PlainChild[], likeness: Likeness): void {
  const arms = children.filter(({ label }) => label === "union");
  const bare = arms.filter(({ node }) => isBareType(node, likeness));
  if (bare.length === 0 || "type" in own) return;
  const types = typesOf(bare.flatMap(({ node }) => (node as JsonObject)["type"]!));
  for (const arm of bare) children.splice(children.indexOf(arm), 1);
  own[bare.length === arms.length ? "type" : unionTypes] = types;
}

function isBareType(node: JsonValue, likeness: Likeness): boolean {
  if (!isJsonObject(node)) return false;
  const asserting = Object.entries(node).filter(
    ([keyword, value]) => !keywords.get(keyword)?.annotation && !isStyle(keyword, value, node, likeness),
  );
  return asserting.length === 1 && asserting[0]![0] === "type";
}
