import { type Definition, type Schema, type SchemaNode } from "@mcpgen/engine";

/** Returns the name of a definition of the schema number `index` in the combined schema. */
export function nameIn(index: number, name: string): string {
  return `S${index} ${name}`;
}

/**
 * Joins many schemas into one, with their roots as definitions `#root`, so that one module validates for all.
 */
export function combined(schemas: ReadonlyMap<number, Schema>): Schema {
  const definitions = new Map<string, Definition>();
  for (const [index, schema] of schemas) {
    const add = (name: string, node: SchemaNode): void => {
      const renamed = withNames(node, (target) => nameIn(index, target)) as SchemaNode;
      definitions.set(nameIn(index, name), { name: nameIn(index, name), node: renamed });
    };
    for (const { name, node } of schema.definitions.values()) add(name, node);
    add("#root", schema.root ?? { pointer: "", always: true });
  }
  return { definitions };
}

/** Keywords whose values are not schemas. */
const data = new Set(["const", "enum", "default", "examples", "required", "types", "dependentRequired"]);

function withNames(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withNames(item, rename));
  if (value instanceof Map) return new Map([...value].map(([key, child]) => [key, withNames(child, rename)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key === "ref") return [key, rename(child as string)];
      return [key, data.has(key) ? child : withNames(child, rename)];
    }),
  );
}
