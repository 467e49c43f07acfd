import { type JsonObject, type JsonValue, atPointer, isJsonObject, pointerTokens } from "@mcpgen/engine";
import { decoded } from "./references.js";
import { type Likeness, plainNode } from "./plain-node.js";

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
  readonly edges: readonly { readonly label: string; readonly to: Vertex }[];
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
  const vertices = new Map<JsonObject, Vertex>();
  const anything: Vertex = { text: "", edges: [], colour: 0 };
  const nothing: Vertex = { text: "never", edges: [], colour: 0 };
  const vertexOf = (node: JsonValue, resolve: Resolve, passed = new Set<JsonValue>()): Vertex => {
    if (!isJsonObject(node)) return node === false ? nothing : anything;
    const known = vertices.get(node);
    if (known) return known;
    const reference = pureReference(node);
    const target = reference === undefined ? undefined : resolve(reference);
    if (reference !== undefined && !target)
      return record(node, { text: `$ref ${reference}`, edges: [], colour: 0 });
    if (target) {
      // A reference that leads back to itself means nothing.
      if (passed.has(node)) return anything;
      const found = vertexOf(target.node, target.resolve, new Set([...passed, node]));
      return record(node, found);
    }
    const { text, children, alias } = plainNode(node, likeness);
    if (alias !== undefined && !passed.has(node))
      return record(node, vertexOf(alias, resolve, new Set([...passed, node])));
    const edges: { label: string; to: Vertex }[] = [];
    const vertex = record(node, { text, edges, colour: 0 });
    for (const child of children) {
      edges.push({ label: child.label, to: vertexOf(child.node, resolve) });
      if (isJsonObject(child.node) && !vertices.has(child.node)) vertexOf(child.node, resolve);
    }
    return vertex;
  };
  const record = (node: JsonObject, vertex: Vertex): Vertex => {
    vertices.set(node, vertex);
    return vertex;
  };
  for (const { node, resolve } of roots) vertexOf(node, resolve);
  refine([...new Set([...vertices.values(), anything, nothing])]);
  return {
    of: (node) => (isJsonObject(node) ? vertices.get(node)?.colour : undefined),
  };
}

function pureReference(node: JsonObject): string | undefined {
  const { $ref, ...rest } = node;
  return typeof $ref === "string" && Object.keys(rest).length === 0 ? $ref : undefined;
}

function refine(vertices: readonly Vertex[]): void {
  let classes = 0;
  let keys = vertices.map(({ text, edges }) => `${text}\n${labels(edges.map(({ label }) => label))}`);
  for (;;) {
    const numbers = new Map<string, number>();
    for (const key of keys) if (!numbers.has(key)) numbers.set(key, numbers.size);
    for (const [index, vertex] of vertices.entries()) vertex.colour = numbers.get(keys[index]!)!;
    if (numbers.size === classes) return;
    classes = numbers.size;
    keys = vertices.map(
      ({ colour, edges }) => `${colour}\n${labels(edges.map(({ label, to }) => `${label} ${to.colour}`))}`,
    );
  }
}

function labels(texts: readonly string[]): string {
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
