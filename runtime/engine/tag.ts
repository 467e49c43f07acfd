import type { Schema, SchemaNode } from "./ir.js";

/** The member that tells the arms of a union apart. */
export interface Tag {
  readonly property: string;
  /** For each arm, in the order given, the strings its tag may have. */
  readonly values: readonly (readonly string[])[];
}

/**
 * The tag of a union all of whose arms are objects with a required constant (or enum) string member of one
 * name: `type` of content blocks, `method` of messages. `undefined` where there is none, or where no two
 * arms differ in it.
 */
export function tagOf(schema: Schema, arms: readonly SchemaNode[]): Tag | undefined {
  const leaves = arms.map((arm) => requiredStrings(schema, arm));
  const [first] = leaves;
  if (!first || arms.length < 2) return undefined;
  for (const property of first.keys()) {
    const values = leaves.map((leaf) => leaf.get(property));
    if (values.some((value) => value === undefined)) continue;
    if (new Set(values.map((value) => value!.join())).size > 1)
      return { property, values: values as string[][] };
  }
  return undefined;
}

/** Required members of a node that hold one of a few strings; through references and unions of such nodes. */
function requiredStrings(schema: Schema, node: SchemaNode): ReadonlyMap<string, readonly string[]> {
  if (node.ref !== undefined) return requiredStrings(schema, schema.definitions.get(node.ref)!.node);
  const arms = node.anyOf ?? node.oneOf;
  if (arms) return common(arms.map((arm) => requiredStrings(schema, arm)));
  const strings = new Map<string, readonly string[]>();
  for (const name of node.required ?? []) {
    const member = node.properties?.get(name);
    const values = member?.const ? [member.const.value] : member?.enum;
    if (values?.every((value) => typeof value === "string")) strings.set(name, values as string[]);
  }
  return strings;
}

function common(
  arms: readonly ReadonlyMap<string, readonly string[]>[],
): ReadonlyMap<string, readonly string[]> {
  const [first, ...rest] = arms;
  const shared = [...(first ?? [])].filter(([name]) => rest.every((arm) => arm.has(name)));
  return new Map(shared.map(([name]) => [name, [...new Set(arms.flatMap((arm) => arm.get(name)!))]]));
}
