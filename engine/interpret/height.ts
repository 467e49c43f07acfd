import type { Schema, SchemaNode } from "../ir/ir.js";
import { children, descendants, inPlaceChildren } from "../ir/references.js";
import { SchemaError } from "../ir/schema-error.js";

/** Maximum number of nested schemas that apply to one value and pass marks on. */
const mostTracked = 400;

/** Computes how many checks are nested when a node is checked. */
export class Heights {
  private readonly schema: Schema;
  /** Heights of definitions that pass marks on. */
  private readonly tracked = new Map<string, number>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** The height of a node. References are followed only below a node that needs marks. */
  of(node: SchemaNode): number {
    let tracked = 0;
    for (const each of descendants(node)) {
      if (each.unevaluatedItems ?? each.unevaluatedProperties) {
        tracked = Math.max(tracked, this.trackedOf(each, 0));
      }
    }
    return heightOf(node) + tracked;
  }

  /** Follows the references that apply to the same value. They never form a cycle. */
  private trackedOf(node: SchemaNode, above: number): number {
    if (above > mostTracked) throwTooDeep(node);
    let below = 0;
    for (const child of inPlaceChildren(node)) below = Math.max(below, this.trackedOf(child, above + 1));
    if (node.ref !== undefined) below = Math.max(below, this.trackedDefinition(node.ref, above + 1));
    if (below >= mostTracked) throwTooDeep(node);
    return below + 1;
  }

  private trackedDefinition(name: string, above: number): number {
    let height = this.tracked.get(name);
    if (height === undefined) {
      height = this.trackedOf(this.schema.definitions.get(name)!.node, above);
      this.tracked.set(name, height);
    }
    return height;
  }
}

function heightOf(node: SchemaNode): number {
  let below = 0;
  for (const child of children(node)) below = Math.max(below, heightOf(child));
  return below + 1;
}

function throwTooDeep(node: SchemaNode): never {
  throw new SchemaError(
    "too-deep",
    node.pointer,
    `expected at most ${mostTracked} schemas inside one another for one value where unevaluated members or items are judged`,
  );
}
