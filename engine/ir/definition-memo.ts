import type { Schema, SchemaNode } from "./ir.js";
import { inPlaceReferences } from "./references.js";

/** Maximum number of cached nodes. Callers request the same few nodes many times in a short period. */
const mostNodes = 4096;

/**
 * Computes a result for a node from its keywords and the results of the definitions that it refers to for the
 * same value. Computes each definition once, after the definitions it refers to, with an explicit stack:
 * reference chains may be as long as the file allows.
 */
export class DefinitionMemo<Result> {
  private readonly schema: Schema;
  private readonly compute: (node: SchemaNode, of: (name: string) => Result) => Result;
  private readonly byName = new Map<string, Result>();
  private readonly byNode = new Map<SchemaNode, { readonly result: Result }>();

  constructor(schema: Schema, compute: (node: SchemaNode, of: (name: string) => Result) => Result) {
    this.schema = schema;
    this.compute = compute;
  }

  of(node: SchemaNode): Result {
    const known = this.byNode.get(node);
    if (known) return known.result;
    const pending = [...inPlaceReferences(node)];
    while (pending.length > 0) {
      const name = pending.at(-1)!;
      const before = this.byName.has(name) ? [] : this.unknownBelow(name);
      if (before.length === 0) {
        if (!this.byName.has(name))
          this.byName.set(name, this.computed(this.schema.definitions.get(name)!.node));
        pending.pop();
      }
      for (const reference of before) pending.push(reference);
    }
    return this.computed(node);
  }

  private unknownBelow(name: string): string[] {
    const references = inPlaceReferences(this.schema.definitions.get(name)!.node);
    return [...references].filter((reference) => !this.byName.has(reference));
  }

  private computed(node: SchemaNode): Result {
    const result = this.compute(node, (name) => this.byName.get(name)!);
    if (this.byNode.size >= mostNodes) this.byNode.clear();
    this.byNode.set(node, { result });
    return result;
  }
}
