import { expect, test } from "vitest";
import { type Schema, type SchemaNode, descendants } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { schemaOf } from "../support/revisions.js";
import { instancesOf } from "../support/instances.js";

/** The revision whose constraints the instances must distinguish, and the number of instances of each definition. */
const revision = "2025-06-18";
const each = 800;

/** Redundant constraints: without them, the schema accepts the same values. */
const covered = [
  // Every result is a `Result`, which is an arm itself.
  /^\/\$defs\/(Client|Server)Result anyOf/,
  // Every request without its id is a notification, and members beside are free.
  /^\/\$defs\/JSONRPCMessage anyOf \d$/,
];

test("some instance detects each dropped constraint of the schema", () => {
  const schema = schemaOf(revision);
  const unnoticed: string[] = [];
  let demands = 0;
  for (const [name, { node }] of schema.definitions) {
    const values = [...instancesOf(schema, name, each)];
    const verdicts = values.map((value) => isValid(schema, node, value));
    for (const { what, lighter } of lightened(schema, name)) {
      if (covered.some((pattern) => pattern.test(what))) continue;
      demands++;
      const noticed = values.some(
        (value, index) => isValid(lighter, lighter.definitions.get(name)!.node, value) !== verdicts[index],
      );
      if (!noticed) unnoticed.push(what);
    }
  }
  expect(demands).toBeGreaterThan(500);
  // With any seed a few rare ones may be missed.
  expect(unnoticed.slice(demands / 200)).toEqual([]);
});

interface Lightened {
  readonly what: string;
  readonly lighter: Schema;
}

/** Yields the schema without one constraint of the definition `name`, for each constraint. */
function* lightened(schema: Schema, name: string): Generator<Lightened> {
  const { node } = schema.definitions.get(name)!;
  for (const place of descendants(node)) {
    for (const [demand, changed] of lighterNodes(place)) {
      const definition = { name, node: substituted(node, place, changed) };
      const lighter = { definitions: new Map([...schema.definitions, [name, definition] as const]) };
      yield { what: `${place.pointer} ${demand}`, lighter };
    }
  }
}

function lighterNodes(node: SchemaNode): [demand: string, node: SchemaNode][] {
  const nodes: [string, SchemaNode][] = [];
  const drop = (key: keyof SchemaNode): void => {
    const { [key]: dropped, ...rest } = node;
    if (dropped !== undefined) nodes.push([key, rest as SchemaNode]);
  };
  for (const key of ["const", "enum", "items", "minimum", "maximum", "maxItems", "ref"] as const) drop(key);
  // The type beside a constant is redundant.
  if (!node.const && !node.enum) drop("types");
  if (
    node.additionalProperties &&
    Object.keys(node.additionalProperties).some((key) => key !== "pointer" && key !== "always")
  )
    drop("additionalProperties");
  for (const key of node.required ?? [])
    nodes.push([`required ${key}`, { ...node, required: node.required!.filter((other) => other !== key) }]);
  for (const arm of node.anyOf ?? [])
    nodes.push([
      `anyOf ${node.anyOf!.indexOf(arm)}`,
      { ...node, anyOf: node.anyOf!.filter((other) => other !== arm) },
    ]);
  for (const member of node.enum ?? [])
    nodes.push([`enum ${String(member)}`, { ...node, enum: node.enum!.filter((other) => other !== member) }]);
  return nodes;
}

/** `root` with `place`, a node below it, replaced. */
function substituted(root: SchemaNode, place: SchemaNode, by: SchemaNode): SchemaNode {
  const visit = (value: unknown): unknown => {
    if (value === place) return by;
    if (Array.isArray(value)) return value.map(visit);
    if (value instanceof Map)
      return new Map([...value].map(([key, member]) => [key, visit(member)] as const));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visit(member)]));
  };
  return visit(root) as SchemaNode;
}
