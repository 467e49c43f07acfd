import { type JsonObject, isJsonObject, pointer } from "../ir/json.js";
import { stronglyConnected } from "../ir/references.js";
import { type Registry, dynamicReferences, subschemas } from "./registry.js";
import { targetOf } from "./target.js";

/** For each name, the outermost schema on the path to a place that has the name as a dynamic anchor. */
export type DynamicScope = ReadonlyMap<string, JsonObject>;

/** Finds the part of the dynamic scope that affects a schema. */
export class DynamicScopes {
  private readonly registry: Registry;
  private readonly names = new Map<JsonObject, ReadonlySet<string>>();
  private readonly numbers = new Map<JsonObject, number>();

  constructor(registry: Registry) {
    this.registry = registry;
  }

  /**
   * Returns the scope inside `schema`. It adds the anchors of the schema's resource if the path enters that resource.
   */
  entered(schema: JsonObject, scope: DynamicScope): DynamicScope {
    const anchors = this.registry.places.get(schema)!.resource.dynamicAnchors;
    const added = [...anchors].filter(([name]) => !scope.has(name));
    return added.length === 0 ? scope : new Map([...scope, ...added]);
  }

  /** Returns a key that is equal for scopes in which `schema` and all schemas below have the same meaning. */
  key(schema: JsonObject, scope: DynamicScope): string {
    if (scope.size === 0) return "";
    const relevant = [...this.namesFrom(schema)].filter((name) => scope.has(name)).sort();
    return relevant.map((name) => `${JSON.stringify(name)}:${this.numberOf(scope.get(name)!)}`).join();
  }

  private numberOf(schema: JsonObject): number {
    let number = this.numbers.get(schema);
    if (number === undefined) this.numbers.set(schema, (number = this.numbers.size));
    return number;
  }

  /** The names that dynamic references in `schema`, and in all schemas reachable from it, look up. */
  private namesFrom(schema: JsonObject): ReadonlySet<string> {
    if (!this.names.has(schema)) this.workOut(schema);
    return this.names.get(schema)!;
  }

  /**
   * Computes the names for all schemas reachable from `start`. The schemas of a cycle share their names, and have the
   * names of the cycles that they lead to.
   */
  private workOut(start: JsonObject): void {
    const edges = new Map<JsonObject, ReadonlySet<JsonObject>>();
    const own = new Map<JsonObject, string | undefined>();
    const reached = new Set([start]);
    for (const schema of reached) {
      if (this.names.has(schema)) continue;
      const { next, name } = this.leadsTo(schema);
      edges.set(schema, next);
      own.set(schema, name);
      for (const each of next) reached.add(each);
    }
    for (const group of stronglyConnected(edges)) {
      const [first] = group;
      if (this.names.has(first!)) continue;
      const names = new Set<string>();
      for (const schema of group) {
        const name = own.get(schema);
        if (name !== undefined) names.add(name);
        for (const each of edges.get(schema)!)
          for (const known of this.names.get(each) ?? []) names.add(known);
      }
      for (const schema of group) this.names.set(schema, names);
    }
  }

  /**
   * The direct successors of a schema (subschemas and targets of references), and the name that its dynamic reference
   * looks up.
   */
  private leadsTo(schema: JsonObject): { next: Set<JsonObject>; name: string | undefined } {
    const next = new Set<JsonObject>();
    const place = this.registry.places.get(schema)!;
    let name: string | undefined;
    for (const [child] of subschemas(schema, place)) if (isJsonObject(child)) next.add(child);
    for (const keyword of ["$ref", ...dynamicReferences]) {
      if (!Object.hasOwn(schema, keyword) || !place.resource.rules.hasKeyword(keyword)) continue;
      const target = targetOf(this.registry, schema[keyword]!, place, pointer(place.at, keyword));
      if (isJsonObject(target.schema)) next.add(target.schema);
      if (keyword === "$ref" || target.dynamic === undefined) continue;
      name = target.dynamic;
      for (const anchored of this.registry.dynamicAnchors(name)) next.add(anchored);
    }
    return { next, name };
  }
}
