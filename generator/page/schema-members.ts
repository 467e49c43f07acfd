import { type JsonValue, type LimitKeyword, type SchemaNode, canonicalText } from "@mcpgen/engine";
import { isPlainObject, itemsOf } from "../print/schema-shape.js";
import { propertyKey } from "../print/text.js";
import type { Code, Member, Text } from "./reading.js";

/** Returns the id of a definition's entry; undefined if the page has none. */
export type LinkOf = (definition: string) => string | undefined;

/** Maximum nesting of objects shown in full; deeper ones are shown only by type. */
const deepest = 8;

/**
 * The members of a node: required ones first, with those of inline objects below them. Other facts about the
 * node follow as lines without a name.
 */
export function membersOf(node: SchemaNode, linkOf: LinkOf, depth = 0): Member[] {
  const required = new Set(node.required);
  const own = [...(node.properties ?? [])].map(([name, child]) =>
    memberOf({ name: propertyKey(name), required: required.has(name), node: child }, linkOf, depth),
  );
  const rest = [...(node.patternProperties ?? [])].map(([pattern, child]) =>
    memberOf({ name: `/${pattern}/`, node: child }, linkOf, depth),
  );
  const { additionalProperties: others } = node;
  if (others?.never) rest.push({ name: "", type: ["no other members"], facts: [] });
  else if (others && !others.always && Object.keys(others).length > 1)
    rest.push(memberOf({ name: "[any other name]", node: others }, linkOf, depth));
  const isRequired = (member: Member): boolean => member.required === true;
  return [...own.filter(isRequired), ...own.filter((member) => !isRequired(member)), ...rest];
}

/** What a node itself is, where it is more than an object with members: another type, or an object with limits. */
export function ownType(node: SchemaNode, linkOf: LinkOf): Member[] {
  if (isPlainObject(node)) {
    const facts = limitsOf(node);
    return facts.length > 0 ? [{ name: "", type: [code("object")], facts }] : [];
  }
  const type = typeOf(node.properties ? { ...node, properties: new Map() } : node, linkOf);
  return [{ name: "", type, facts: factsOf(node) }];
}

interface Named {
  readonly name: string;
  readonly required?: boolean;
  readonly node: SchemaNode;
}

function memberOf({ name, required, node }: Named, linkOf: LinkOf, depth: number): Member {
  const { holder, suffix } = itemsOf(node);
  const inline = depth < deepest && isPlainObject(holder) && (holder.properties?.size ?? 0) > 0;
  return {
    name,
    ...(required && { required }),
    type: inline ? [{ code: `object${suffix}` }] : typeOf(node, linkOf),
    facts: factsOf(node),
    ...(node.description !== undefined && { description: node.description }),
    ...(inline && { members: membersOf(holder, linkOf, depth + 1) }),
  };
}

/** The type of a node as code; names of definitions are links. */
export function typeOf(node: SchemaNode, linkOf: LinkOf): Text {
  return merged(spansOf(node, linkOf, 0));
}

/** Joins adjacent pieces of code without a link. */
function merged(spans: readonly Code[]): Code[] {
  const result: Code[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    const joins = last && !last.to && !span.to;
    if (joins) result[result.length - 1] = { code: last.code + span.code };
    else result.push(span);
  }
  return result;
}

/** The pieces of a type. A union or intersection inside another type is put in parentheses. */
function spansOf(node: SchemaNode, linkOf: LinkOf, depth: number): Code[] {
  if (node.never) return [code("never")];
  const inner = (child: SchemaNode): Code[] => spansOf(child, linkOf, depth + 1);
  const unions = [node.anyOf, node.oneOf].filter((arms) => arms !== undefined);
  const parts: Code[][] = [
    ...(node.ref === undefined ? [] : [[reference(node.ref, linkOf)]]),
    ...(node.allOf ?? []).map(inner),
    ...unions.map((arms) => list(arms.map(inner), " | ")),
    ...plainCodes(node, linkOf, depth),
    ...(node.not ? [[code("not ("), ...inner(node.not), code(")")]] : []),
  ];
  if (parts.length === 0) return [code("any value")];
  return parts.length === 1 ? parts[0]! : list(parts.map(grouped), " & ");
}

function plainCodes(node: SchemaNode, linkOf: LinkOf, depth: number): Code[][] {
  if (node.const) return [[code(canonicalText(node.const.value))]];
  if (node.enum)
    return [
      list(
        node.enum.map((value: JsonValue) => [code(canonicalText(value))]),
        " | ",
      ),
    ];
  const types = node.types ?? impliedTypes(node);
  if (types.length === 0) return [];
  return [
    list(
      types.map((type) => {
        if (type === "array") return arrayCodes(node, linkOf, depth);
        return type === "object" ? objectCodes(node, linkOf, depth) : [code(type)];
      }),
      " | ",
    ),
  ];
}

function impliedTypes(node: SchemaNode): ("object" | "array")[] {
  if (node.properties || node.additionalProperties || node.patternProperties) return ["object"];
  return node.items || node.prefixItems ? ["array"] : [];
}

function arrayCodes(node: SchemaNode, linkOf: LinkOf, depth: number): Code[] {
  const item =
    node.items && !node.items.never ? grouped(spansOf(node.items, linkOf, depth + 1)) : [code("any value")];
  if (!node.prefixItems) return [...item, code("[]")];
  const first = node.prefixItems.map((each) => spansOf(each, linkOf, depth + 1));
  const rest = node.items?.never ? [] : [[code("…"), ...item]];
  return [code("["), ...list([...first, ...rest], ", "), code("]")];
}

/** Members of an object in braces, for use inside a union or array. */
function objectCodes(node: SchemaNode, linkOf: LinkOf, depth: number): Code[] {
  const { properties, additionalProperties: others } = node;
  if (!properties?.size) {
    if (!others || others.always || others.never) return [code("object")];
    return [code("{ [any name]: "), ...spansOf(others, linkOf, depth + 1), code(" }")];
  }
  if (depth > 3) return [code("{ … }")];
  const required = new Set(node.required);
  const members = [...properties].map(([name, child]) => [
    code(`${propertyKey(name)}${required.has(name) ? "" : "?"}: `),
    ...spansOf(child, linkOf, depth + 1),
  ]);
  return [code("{ "), ...list(members, "; "), code(" }")];
}

function list(items: readonly (readonly Code[])[], separator: string): Code[] {
  return items.flatMap((item, index) => (index === 0 ? [...item] : [code(separator), ...item]));
}

function grouped(spans: Code[]): Code[] {
  const isCompound = spans.some((span) => /^ [|&] $/.test(span.code));
  return isCompound ? [code("("), ...spans, code(")")] : spans;
}

/** A definition's name, linked to its entry if the page has one. */
export function reference(name: string, linkOf: LinkOf): Code {
  const to = linkOf(name);
  return to === undefined ? code(name) : { code: name, to };
}

function code(text: string): { readonly code: string } {
  return { code: text };
}

/** How the page says each limit; `#` is the value. */
const limits: { readonly [Name in LimitKeyword]: string } = {
  minimum: "≥ #",
  exclusiveMinimum: "> #",
  maximum: "≤ #",
  exclusiveMaximum: "< #",
  multipleOf: "multiple of #",
  minLength: "at least # characters",
  maxLength: "at most # characters",
  pattern: "pattern #",
  format: "format #",
  contentEncoding: "encoding #",
  contentMediaType: "media type #",
  minItems: "at least # items",
  maxItems: "at most # items",
  minProperties: "at least # members",
  maxProperties: "at most # members",
  uniqueItems: "no item twice",
  minContains: "at least # items that `contains` accepts",
  maxContains: "at most # items that `contains` accepts",
};

function limitsOf(node: SchemaNode): string[] {
  return (Object.keys(limits) as LimitKeyword[])
    .filter((keyword) => node[keyword] !== undefined)
    .map((keyword) => limits[keyword].replace("#", () => String(node[keyword])));
}

function factsOf(node: SchemaNode): string[] {
  const { deprecated } = node;
  return [
    ...limitsOf(node),
    ...(node.default ? [`default ${JSON.stringify(node.default.value)}`] : []),
    ...(node.open ? ["later revisions may add values"] : []),
    ...(deprecated
      ? [["deprecated", deprecated.since && `since ${deprecated.since}`].filter(Boolean).join(" ")]
      : []),
  ];
}
