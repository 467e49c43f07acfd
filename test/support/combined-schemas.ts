import { type Definition, type Schema, type SchemaNode } from "@mcpgen/engine";

/** The name that the definition `name` of the schema number `index` has among those of all others. */
export function nameIn(index: number, name: string): string {
  return `S${index} ${name}`;
}

/** One schema with the definitions of many, and with their roots, called `#root`: one module judges for all. */
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

/** Keywords whose values are no schemas. */
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
