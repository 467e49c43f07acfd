import {
  type JsonValue,
  type SchemaNode,
  type Tags,
  canonicalText,
  isJsonObject,
  naturalCompare,
} from "@mcpgen/engine";
import { scannedFormat } from "../texts/scanned.js";
import type { Shapes } from "../validators/shape.js";
import { type Literal, type Member, array, code, dataObject, number, object, text } from "./literal.js";
import { openingOf } from "./opening.js";
import { type Tagged, taggedBy } from "./tags.js";

/** What describing a node needs. */
export interface Describing {
  /** What discriminates unions. */
  readonly tags: Tags;
  /** The open reading. */
  readonly open: Shapes;
  /** The name of the constant of each definition. */
  readonly constants: ReadonlyMap<string, string>;
  /** It matters which members and items are described, even where nothing is asked of them. */
  readonly keepsIdle: boolean;
}

/** How `check.ts` describes `node`: a keyword a member, named definitions by the constant that holds them. */
export function describePart(context: Describing, node: SchemaNode): Literal {
  if (node.never) return code("false");
  const keys = (Object.keys(node) as (keyof SchemaNode)[]).filter((key) => rank.has(key));
  const format = scannedFormat(node);
  if (node.ref !== undefined && keys.length === 1 && format === undefined)
    return code(context.constants.get(node.ref)!);
  keys.sort((a, b) => rank.get(a)! - rank.get(b)!);
  const members = keys.flatMap((key) => keywordMembers(context, node, key));
  if (format !== undefined) members.push(["format", text(format)]);
  return object([...members, ...openMembers(context, node, members)]);
}

const printOrder =
  "types const enum ref allOf anyOf oneOf not if then else minProperties maxProperties minItems maxItems " +
  "uniqueItems minContains maxContains minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength " +
  "maxLength pattern required properties patternProperties additionalProperties unevaluatedProperties " +
  "propertyNames dependentRequired dependentSchemas prefixItems items unevaluatedItems contains";

/** The keywords that ask something of a value, with their place in the order they are printed in. */
const rank = new Map((printOrder.split(" ") as (keyof SchemaNode)[]).map((key, index) => [key, index]));

function keywordMembers(context: Describing, node: SchemaNode, key: keyof SchemaNode): Member[] {
  switch (key) {
    case "types":
    case "const":
    case "enum":
      return valueMembers(node, key);
    case "ref":
    case "allOf":
      return key === "allOf" && node.ref !== undefined ? [] : [["allOf", conjuncts(context, node)]];
    case "anyOf":
      return unionMembers(context, node.anyOf!, new Set());
    case "oneOf":
    case "prefixItems":
      return [[key, array(node[key]!.map((child) => describePart(context, child)))]];
    case "not":
    case "if":
    case "then":
    case "else":
    case "contains":
      return [[key, describePart(context, node[key]!)]];
    case "items":
    case "additionalProperties":
    case "unevaluatedItems":
    case "unevaluatedProperties":
      if (context.keepsIdle) return [[key, describePart(context, node[key]!)]];
      return withoutEmpty(key, describePart(context, node[key]!));
    case "propertyNames":
      return withoutEmpty(key, describePart(context, node[key]!));
    case "properties":
    case "patternProperties":
    case "dependentSchemas":
      return withoutEmpty(
        key,
        object([...node[key]!].map(([name, child]) => [name, describePart(context, child)])),
      );
    default:
      return plainMembers(node, key);
  }
}

/** Keywords whose value is printed as it is. */
function plainMembers(node: SchemaNode, key: keyof SchemaNode): Member[] {
  const value = node[key];
  if (typeof value === "number") return [[key, number(value)]];
  if (typeof value === "string") return [[key, text(value)]];
  if (value === true) return [[key, code("true")]];
  if (key === "required") return node.required!.length === 0 ? [] : [[key, array(node.required!.map(text))]];
  const lists = [...node.dependentRequired!].map(([name, names]): Member => [name, array(names.map(text))]);
  return [[key, dataObject(lists)]];
}

/** A part that asks nothing is left out. */
function withoutEmpty(key: string, part: Literal): Member[] {
  return part.flat === "{}" ? [] : [[key, part]];
}

/** Constants say the type too; those that are of no allowed type, or listed in one of both keywords, allow nothing. */
function valueMembers(
  { types, const: constant, enum: values }: SchemaNode,
  key: "types" | "const" | "enum",
): Member[] {
  const isAllowed = (value: JsonValue): boolean => !types || types.some((type) => isOfType(value, type));
  if (key === "const") {
    const { value } = constant!;
    const isListed = !values || values.some((other) => canonicalText(other) === canonicalText(value));
    return isAllowed(value) && isListed ? [["const", json(value)]] : [["enum", array([])]];
  }
  if (key === "enum") return constant ? [] : [["enum", array(values!.filter(isAllowed).map(json))]];
  if (constant ?? values) return [];
  return [["type", types!.length === 1 ? text(types![0]!) : array(types!.map(text))]];
}

/** Beside other keywords, a reference is one conjunct more. */
function conjuncts(context: Describing, { ref, allOf = [] }: SchemaNode): Literal {
  const referred = ref === undefined ? [] : [code(context.constants.get(ref)!)];
  return array([...referred, ...allOf.map((child) => describePart(context, child))]);
}

/** A union by its tag, where one discriminates the arms; arms that are no objects stay beside it. */
function unionMembers(context: Describing, arms: readonly SchemaNode[], used: ReadonlySet<string>): Member[] {
  const objects = arms.filter((arm) => context.tags.isObjectOnly(arm));
  const tagged = objects.length > 1 ? taggedBy(context.tags, objects, used) : undefined;
  const describe = (arm: SchemaNode): Literal => describePart(context, arm);
  if (!tagged) return [["anyOf", array(arms.map(describe))]];
  const members = taggedMembers(context, tagged, new Set([...used, tagged.tag]));
  if (objects.length === arms.length) return members;
  const others = arms.filter((arm) => !objects.includes(arm));
  return [["anyOf", array([object(members), ...others.map(describe)])]];
}

function taggedMembers(context: Describing, tagged: Tagged, used: ReadonlySet<string>): Member[] {
  const group = (arms: readonly SchemaNode[]): Literal =>
    arms.length === 1 ? describePart(context, arms[0]!) : object(unionMembers(context, arms, used));
  const values = [...tagged.arms].sort(([a], [b]) => naturalCompare(a, b));
  const byValue = values.map(([value, arms]): Member => [value, group(arms)]);
  const members: Member[] = [
    ["tag", text(tagged.tag)],
    ["arms", object(byValue)],
  ];
  if (tagged.absent.length > 0) members.push(["absent", group(tagged.absent)]);
  if (tagged.otherwise.length > 0) members.push(["otherwise", group(tagged.otherwise)]);
  return members;
}

/** What the open reading takes beside; nothing more than `true` where the shape itself says it. */
function openMembers(context: Describing, node: SchemaNode, members: readonly Member[]): Member[] {
  const opening = node.open && openingOf(context.open, node);
  if (!opening) return [];
  const has = (key: string, literal: Literal): boolean =>
    members.some(([name, value]) => name === key && value.flat === literal.flat);
  const { tag, known = [], types = [], constants = new Map<string, JsonValue>() } = opening;
  if (tag !== undefined) {
    const arms = members.find(([name]) => name === "arms")?.[1];
    const listed = arms?.kind === "object" ? arms.members.map(([name]) => name) : [];
    const isListed = listed.length === known.length && known.every((value) => listed.includes(value));
    if (isListed && has("tag", text(tag))) return [["open", code("true")]];
    return [
      [
        "open",
        object([
          ["tag", text(tag)],
          ["known", array(known.map(text))],
        ]),
      ],
    ];
  }
  if (node.const ?? node.enum) return [["open", code("true")]];
  const held = [...constants].map(([name, value]): Member => [name, json(value)]);
  const asked: Member[] = held.length === 0 ? [] : [["constants", dataObject(held)]];
  return [["open", object([["types", array(types.map(text))], ...asked])]];
}

function json(value: JsonValue): Literal {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return array(value.map(json));
  if (isJsonObject(value))
    return dataObject(Object.entries(value).map(([key, member]) => [key, json(member)]));
  return code(String(value));
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null" || type === "array") return type === "null" ? value === null : Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}
