import type { Schema, SchemaNode } from "../ir/ir.js";
import { children, descendants, inPlaceChildren } from "../ir/references.js";
import { SchemaError } from "../ir/schema-error.js";

/** More schemas than this one inside another, all about one value, are refused where marks pass through them. */
const mostTracked = 400;

/** How many checks inside one another judging by a node takes. */
export class Heights {
  private readonly schema: Schema;
  /** Heights of definitions where marks pass through them. */
  private readonly tracked = new Map<string, number>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** References are not followed, but where marks are kept. */
  of(node: SchemaNode): number {
    let tracked = 0;
    for (const each of descendants(node)) {
      if (each.unevaluatedItems ?? each.unevaluatedProperties) {
        tracked = Math.max(tracked, this.trackedOf(each, 0));
      }
    }
    return heightOf(node) + tracked;
  }

  /** References that are about the same value are followed. They never lead back. */
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
