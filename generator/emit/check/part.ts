import { type JsonValue, type Schema, type SchemaNode, isJsonObject, naturalCompare } from "@mcpgen/engine";
import { type Literal, number, text } from "./literal.js";
import { type Tagged, isObjectOnly, taggedBy } from "./tags.js";

/** What describing a node needs: the definitions, and the name of the constant that describes each. */
export interface Describing {
  readonly schema: Schema;
  readonly constants: ReadonlyMap<string, string>;
}

type Member = readonly [key: string, value: Literal];

/** How `check.ts` describes `node`: a keyword a member, named definitions by the constant that holds them. */
export function describePart(context: Describing, node: SchemaNode): Literal {
  if (node.never) return "false";
  const members = [...valueMembers(node), ...combinedMembers(context, node), ...sizeMembers(node)];
  members.push(...objectMembers(context, node), ...arrayMembers(context, node));
  if (node.ref !== undefined) {
    const constant = context.constants.get(node.ref)!;
    return members.length === 0 ? constant : withConjunct(members, constant);
  }
  return { members };
}

/** Beside other keywords, a reference is one conjunct more. */
function withConjunct(members: readonly Member[], constant: string): Literal {
  const others = members.filter(([key]) => key !== "allOf");
  const present = members.find(([key]) => key === "allOf")?.[1];
  const items = typeof present === "object" && "items" in present ? present.items : [];
  return { members: [["allOf", { items: [constant, ...items] }], ...others] };
}

/** A constant or enumeration says the type too. */
function valueMembers({ types, const: constant, enum: values }: SchemaNode): Member[] {
  const members: Member[] = [];
  if (types && !(constant ?? values)) {
    members.push(["type", types.length === 1 ? text(types[0]!) : { items: types.map(text) }]);
  } else if (types) {
    const allowed = (constant ? [constant.value] : values!).filter((value) =>
      types.some((type) => isOfType(value, type)),
    );
    return allowed.length === 1 && constant
      ? [["const", json(constant.value)]]
      : [["enum", { items: allowed.map(json) }]];
  }
  if (constant) members.push(["const", json(constant.value)]);
  if (values) members.push(["enum", { items: values.map(json) }]);
  return members;
}

function combinedMembers(context: Describing, node: SchemaNode): Member[] {
  const members: Member[] = [];
  const each = (key: "allOf" | "oneOf"): void => {
    if (node[key]) members.push([key, parts(context, node[key])]);
  };
  each("allOf");
  if (node.anyOf) members.push(...unionMembers(context, node.anyOf, new Set()));
  each("oneOf");
  for (const key of ["not", "if", "then", "else"] as const) {
    const child = node[key];
    if (child) members.push([key, describePart(context, child)]);
  }
  return members;
}

/** A union by its tag, where one tells the arms apart; arms that are no objects stay beside it. */
function unionMembers(context: Describing, arms: readonly SchemaNode[], used: ReadonlySet<string>): Member[] {
  const objects = arms.filter((arm) => isObjectOnly(context.schema, arm));
  const tagged = objects.length > 1 ? taggedBy(context.schema, objects, used) : undefined;
  if (!tagged) return [["anyOf", parts(context, arms)]];
  const members = taggedMembers(context, tagged, new Set([...used, tagged.tag]));
  if (objects.length === arms.length) return members;
  const others = arms.filter((arm) => !objects.includes(arm)).map((arm) => describePart(context, arm));
  return [["anyOf", { items: [{ members }, ...others] }]];
}

function taggedMembers(context: Describing, tagged: Tagged, used: ReadonlySet<string>): Member[] {
  const group = (arms: readonly SchemaNode[]): Literal =>
    arms.length === 1 ? describePart(context, arms[0]!) : { members: unionMembers(context, arms, used) };
  const values = [...tagged.arms].sort(([a], [b]) => naturalCompare(a, b));
  const byValue = values.map(([value, arms]): Member => [value, group(arms)]);
  const members: Member[] = [
    ["tag", text(tagged.tag)],
    ["arms", { members: byValue }],
  ];
  if (tagged.absent.length > 0) members.push(["absent", group(tagged.absent)]);
  if (tagged.otherwise.length > 0) members.push(["otherwise", group(tagged.otherwise)]);
  return members;
}

const sizes = [
  ...(["minProperties", "maxProperties", "minItems", "maxItems", "minContains", "maxContains"] as const),
  ...([
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
  ] as const),
];

function sizeMembers(node: SchemaNode): Member[] {
  const members = sizes.flatMap((key): Member[] =>
    node[key] === undefined ? [] : [[key, number(node[key])]],
  );
  if (node.pattern !== undefined) members.push(["pattern", text(node.pattern)]);
  if (node.uniqueItems) members.push(["uniqueItems", "true"]);
  return members;
}

function objectMembers(context: Describing, node: SchemaNode): Member[] {
  const members: Member[] = [];
  if (node.required && node.required.length > 0)
    members.push(["required", { items: node.required.map(text) }]);
  for (const key of ["properties", "patternProperties"] as const) {
    if (node[key] && node[key].size > 0) members.push([key, partMap(context, node[key])]);
  }
  for (const key of ["additionalProperties", "propertyNames"] as const) {
    const part = node[key] && describePart(context, node[key]);
    if (part && !isEmpty(part)) members.push([key, part]);
  }
  if (node.dependentRequired) {
    const lists = [...node.dependentRequired].map(([key, names]): Member => [
      key,
      { items: names.map(text) },
    ]);
    members.push(["dependentRequired", { members: lists }]);
  }
  if (node.dependentSchemas) members.push(["dependentSchemas", partMap(context, node.dependentSchemas)]);
  return members;
}

function arrayMembers(context: Describing, node: SchemaNode): Member[] {
  const members: Member[] = [];
  if (node.prefixItems) members.push(["prefixItems", parts(context, node.prefixItems)]);
  const items = node.items && describePart(context, node.items);
  if (items && !isEmpty(items)) members.push(["items", items]);
  if (node.contains) members.push(["contains", describePart(context, node.contains)]);
  return members;
}

/** Whether nothing is asked of a value. */
function isEmpty(literal: Literal): boolean {
  return typeof literal === "object" && "members" in literal && literal.members.length === 0;
}

function parts(context: Describing, nodes: readonly SchemaNode[]): Literal {
  return { items: nodes.map((node) => describePart(context, node)) };
}

function partMap(context: Describing, nodes: ReadonlyMap<string, SchemaNode>): Literal {
  return { members: [...nodes].map(([key, node]): Member => [key, describePart(context, node)]) };
}

function json(value: JsonValue): Literal {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return { items: value.map(json) };
  if (isJsonObject(value))
    return { members: Object.entries(value).map(([key, member]): Member => [key, json(member)]) };
  return String(value);
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null" || type === "array") return type === "null" ? value === null : Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}
