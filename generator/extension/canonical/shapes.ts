import { type JsonObject, type JsonValue, atPointer, isJsonObject, pointerTokens } from "@mcpgen/engine";
import { decoded } from "./references.js";
import { type Likeness, type PlainChild, plainNode } from "./plain-node.js";

/** Finds the node that a reference of a document names; undefined for one that leads nowhere. */
export type Resolve = (
  reference: string,
) => { readonly node: JsonValue; readonly resolve: Resolve } | undefined;

/** A number for each subschema: two have the same number if they accept alike values, however deep and recursive. */
export interface Shapes {
  of(node: JsonValue): number | undefined;
}

interface Vertex {
  readonly text: string;
  readonly edges: { readonly label: string; readonly to: Vertex }[];
  /** Vertices with an edge to this one. */
  readonly from: Set<Vertex>;
  colour: number;
}

/**
 * Compares all subschemas of some nodes with one another, by partition refinement: nodes start in one class if they
 * assert the same themselves, and classes are split until the children of all members are of the same classes. So
 * recursive schemas compare as their infinite expansions do.
 *
 * @param roots nodes, each with the references of its document
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

/** The subschemas, and which contains which; references and annotations alone are no vertices. */
class Graph {
  readonly vertices = new Map<JsonObject, Vertex>();
  private readonly anything = vertex("");
  private readonly nothing = vertex("never");
  private readonly likeness: Likeness;
  /** Vertices whose edges are not there yet. */
  private readonly pending: (() => void)[] = [];

  constructor(likeness: Likeness) {
    this.likeness = likeness;
  }

  get all(): Vertex[] {
    return [...new Set([...this.vertices.values(), this.anything, this.nothing])];
  }

  add(node: JsonValue, resolve: Resolve): void {
    this.vertexOf(node, resolve);
    // A chain of references may be long: the work stands in a list, and not on the stack.
    for (let work = this.pending.pop(); work; work = this.pending.pop()) work();
  }

  private vertexOf(node: JsonValue, resolve: Resolve): Vertex {
    const passed = new Set<JsonObject>();
    const found = this.target(node, resolve, passed);
    for (const alias of passed) this.vertices.set(alias, found);
    return found;
  }

  /** Follows references, and nodes that say what another one says. */
  private target(start: JsonValue, within: Resolve, passed: Set<JsonObject>): Vertex {
    let [node, resolve] = [start, within];
    for (;;) {
      if (!isJsonObject(node)) return node === false ? this.nothing : this.anything;
      const known = this.vertices.get(node);
      if (known) return known;
      // What leads back to itself says nothing.
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
 * Gives vertices the same colour if no expansion distinguishes them. After a step, only the vertices before those that
 * changed their colour are looked at again.
 */
function refine(vertices: readonly Vertex[]): void {
  const members = new Map<number, Set<Vertex>>();
  let next = 0;
  const first = grouped(vertices, ({ text, edges }) => `${text}\n${joined(edges.map(({ label }) => label))}`);
  for (const group of first) recolour(group, next++, members);
  let changed: readonly Vertex[] = vertices;
  while (changed.length > 0) {
    const dirty = grouped([...new Set(changed.flatMap(({ from }) => [...from]))], ({ colour }) => colour);
    // All keys are computed before a colour changes.
    const splits = dirty.map((group) => grouped(group, keyOf));
    const moved: Vertex[] = [];
    for (const groups of splits) {
      const { size } = members.get(groups[0]![0]!.colour)!;
      const isWhole = groups.reduce((sum, group) => sum + group.length, 0) === size;
      // Where all members were looked at, the largest group keeps the colour.
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

function grouped<Key>(vertices: readonly Vertex[], keyOfOne: (one: Vertex) => Key): Vertex[][] {
  const groups = new Map<Key, Vertex[]>();
  for (const one of vertices) {
    const key = keyOfOne(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

function joined(texts: readonly string[]): string {
  return texts.length === 0 ? "" : [...new Set(texts)].sort().join("\n");
}

/** Resolves references `#…` inside `document`, and references to other documents by their name. */
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
