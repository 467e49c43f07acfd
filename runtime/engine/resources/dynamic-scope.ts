import { type JsonObject, isJsonObject, pointer } from "../json.js";
import { type Registry, subschemas } from "./registry.js";
import { targetOf } from "./target.js";

/** For each name, the outermost schema on the way here that has it as a dynamic anchor. */
export type DynamicScope = ReadonlyMap<string, JsonObject>;

/** Works out what of the dynamic scope matters to a schema. */
export class DynamicScopes {
  private readonly registry: Registry;
  private readonly names = new Map<JsonObject, ReadonlySet<string>>();
  private readonly numbers = new Map<JsonObject, number>();

  constructor(registry: Registry) {
    this.registry = registry;
  }

  /** The scope inside `schema`, which may be the first of its resource to be met. */
  entered(schema: JsonObject, scope: DynamicScope): DynamicScope {
    const anchors = this.registry.places.get(schema)!.resource.dynamicAnchors;
    const added = [...anchors].filter(([name]) => !scope.has(name));
    return added.length === 0 ? scope : new Map([...scope, ...added]);
  }

  /** Equal for scopes between which `schema` and what it leads to make no difference. */
  key(schema: JsonObject, scope: DynamicScope): string {
    const relevant = [...this.namesFrom(schema)].filter((name) => scope.has(name)).sort();
    return relevant.map((name) => `${JSON.stringify(name)}:${this.numberOf(scope.get(name)!)}`).join();
  }

  private numberOf(schema: JsonObject): number {
    let number = this.numbers.get(schema);
    if (number === undefined) this.numbers.set(schema, (number = this.numbers.size));
    return number;
  }

  /** The names that `$dynamicRef`s in `schema`, and in all that it may lead to, look up. */
  private namesFrom(start: JsonObject): ReadonlySet<string> {
    const known = this.names.get(start);
    if (known) return known;
    const names = new Set<string>();
    const reached = new Set([start]);
    for (const schema of reached) {
      const place = this.registry.places.get(schema)!;
      for (const [child] of subschemas(schema, place)) if (isJsonObject(child)) reached.add(child);
      for (const keyword of ["$ref", "$dynamicRef"]) {
        if (!Object.hasOwn(schema, keyword) || !place.resource.rules.speaks(keyword)) continue;
        const target = targetOf(this.registry, schema[keyword]!, place, pointer(place.at, keyword));
        if (isJsonObject(target.schema)) reached.add(target.schema);
        if (keyword === "$ref" || target.dynamic === undefined) continue;
        names.add(target.dynamic);
        for (const anchored of this.registry.dynamicAnchors(target.dynamic)) reached.add(anchored);
      }
    }
    this.names.set(start, names);
    return names;
  }
}
