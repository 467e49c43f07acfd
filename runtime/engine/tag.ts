import type { Schema, SchemaNode } from "./ir.js";
import { inPlaceReferences } from "./references.js";

/** The member that tells the arms of a union apart. */
export interface Tag {
  readonly property: string;
  /** For each arm, in the order given, the strings its tag may have. */
  readonly values: readonly (readonly string[])[];
}

/** Required members that hold one of a few strings, with those. */
type Strings = ReadonlyMap<string, readonly string[]>;

/**
 * The tag of a union all of whose arms are objects with a required constant (or enum) string member of one
 * name: `type` of content blocks, `method` of messages. `undefined` where there is none, or where no two
 * arms differ in it.
 */
export function tagOf(schema: Schema, arms: readonly SchemaNode[]): Tag | undefined {
  const leaves = arms.map((arm) => requiredStrings(arm, definitionsBelow(schema, arm)));
  const [first] = leaves;
  if (!first || arms.length < 2) return undefined;
  for (const property of first.keys()) {
    const values = leaves.map((leaf) => leaf.get(property));
    if (values.some((value) => value === undefined)) continue;
    if (new Set(values.map((value) => JSON.stringify(value))).size > 1)
      return { property, values: values as string[][] };
  }
  return undefined;
}

const remembered = new WeakMap<Schema, Map<string, Strings>>();

/**
 * The required strings of (at least) all definitions that `node` refers to in place. Each definition is
 * worked out once, after those it refers to, with an explicit stack: chains may be as long as the file allows.
 */
function definitionsBelow(schema: Schema, node: SchemaNode): ReadonlyMap<string, Strings> {
  const known = remembered.get(schema) ?? new Map<string, Strings>();
  remembered.set(schema, known);
  const pending = [...inPlaceReferences(node)];
  while (pending.length > 0) {
    const name = pending.at(-1)!;
    const definition = schema.definitions.get(name)!.node;
    const before = known.has(name)
      ? []
      : [...inPlaceReferences(definition)].filter((reference) => !known.has(reference));
    if (before.length === 0) {
      if (!known.has(name)) known.set(name, requiredStrings(definition, known));
      pending.pop();
    }
    for (const reference of before) pending.push(reference);
  }
  return known;
}

/** Required strings of a node that is an object; through references and unions of such nodes. */
function requiredStrings(node: SchemaNode, known: ReadonlyMap<string, Strings>): Strings {
  if (node.ref !== undefined) return known.get(node.ref)!;
  const arms = node.anyOf ?? node.oneOf;
  if (arms) return common(arms.map((arm) => requiredStrings(arm, known)));
  const strings = new Map<string, readonly string[]>();
  // Without a type, `required` and `properties` let everything through that is no object.
  if (node.types?.length !== 1 || node.types[0] !== "object") return strings;
  for (const name of node.required ?? []) {
    const member = node.properties?.get(name);
    const values = member?.const ? [member.const.value] : member?.enum;
    if (values?.every((value) => typeof value === "string")) strings.set(name, values as string[]);
  }
  return strings;
}

function common(arms: readonly Strings[]): Strings {
  const [first, ...rest] = arms;
  const shared = [...(first ?? [])].filter(([name]) => rest.every((arm) => arm.has(name)));
  return new Map(shared.map(([name]) => [name, [...new Set(arms.flatMap((arm) => arm.get(name)!))]]));
}
