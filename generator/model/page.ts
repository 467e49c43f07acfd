import { type Definition, type Schema, type SchemaNode, naturalCompare } from "@mcpgen/engine";
import type { Message } from "./messages.js";
import type { Assumption, Page, ResultOf } from "./model.js";
import { conjuncts, hasMember, memberNames, memberNodes, requiredMembers } from "./object-view.js";

/**
 * The page of a list that the result of a request holds. Such requests take a cursor, and their result has the next cursor
 * beside a list. A list that cannot be found is reported: without a page, a client cannot read it.
 */
export function pageOf(
  schema: Schema,
  { definition, method }: Message,
  result: ResultOf | undefined,
  assumptions: Assumption[],
): Page | undefined {
  const answer = schema.definitions.get(result?.definition ?? "")?.node;
  const params = memberNodes(schema, definition.node, "params");
  if (!answer || !hasMember(schema, answer, "nextCursor")) return undefined;
  if (!params.some((node) => hasMember(schema, node, "cursor"))) return undefined;
  const all = pagesIn(schema, answer);
  const required = all.filter(({ member }) => requiredMembers(schema, answer).has(member));
  const pages = required.length > 0 ? required : all;
  if (pages.length === 1) return pages[0];
  // `tools/list` is answered with `tools`.
  const named = pages.filter(({ member }) => method.split("/").includes(member));
  const names = pages.map(({ member }) => member).join(", ");
  const page = named.length === 1 ? named[0] : undefined;
  const text = page
    ? `Of ${names}, ${page.member} is taken for its list, after the method.`
    : `Its result has a next cursor, and ${pages.length === 0 ? "no list" : `nothing says which of ${names} is its list`}: clients cannot read it page by page.`;
  assumptions.push({ kind: "page", subject: method, text });
  return page;
}

/** The lists of an object whose items are a definition. */
function pagesIn(schema: Schema, answer: SchemaNode): Page[] {
  return memberNames(schema, answer).flatMap((member) => {
    const items = memberNodes(schema, answer, member)
      .flatMap((node) => conjuncts(schema, node))
      .flatMap((node) => (node.types?.includes("array") ? (node.items?.ref ?? []) : []));
    return items.slice(0, 1).map((item) => ({ member, item }));
  });
}

/**
 * `schema` with a definition for the items of each page that are written out in place, a union of definitions, say: each
 * item then has a type and a validator.
 */
export function definePageItems(schema: Schema, assumptions: Assumption[]): Schema {
  const added: Definition[] = [];
  const isFree = (name: string): boolean =>
    !schema.definitions.has(name) && added.every((definition) => definition.name !== name);
  const kept = [...schema.definitions.values()].map((definition) => {
    if (!hasMember(schema, definition.node, "nextCursor")) return definition;
    const node = withItems(definition.node, (items, member) => {
      const wanted = `${definition.name}${member.slice(0, 1).toUpperCase()}${member.slice(1)}Item`;
      let name = wanted;
      for (let number = 2; !isFree(name); number++) name = `${wanted}${number}`;
      added.push({ name, node: items });
      const text = `The items of ${member} have no definition; it is named ${name}.`;
      assumptions.push({ kind: "page", subject: definition.name, text });
      return { pointer: items.pointer, ref: name };
    });
    return { ...definition, node };
  });
  if (added.length === 0) return schema;
  const all = [...kept, ...added].sort((a, b) => naturalCompare(a.name, b.name));
  return { ...schema, definitions: new Map(all.map((definition) => [definition.name, definition])) };
}

/** The object, with other items in place of those that are written out in lists among its members. */
function withItems(node: SchemaNode, define: (items: SchemaNode, member: string) => SchemaNode): SchemaNode {
  const { properties, allOf } = node;
  const members =
    properties &&
    new Map(
      [...properties].map(([name, member]) => {
        const { items, types } = member;
        const isWrittenOut = types?.includes("array") && items && isObjects(items);
        return [name, isWrittenOut ? { ...member, items: define(items, name) } : member] as const;
      }),
    );
  return {
    ...node,
    ...(members && { properties: members }),
    ...(allOf && { allOf: allOf.map((part) => withItems(part, define)) }),
  };
}

/** Whether a schema without a name describes objects, itself or by definitions that it combines. */
function isObjects({ ref, types, properties, anyOf, oneOf, allOf }: SchemaNode): boolean {
  if (ref !== undefined) return false;
  const inside = anyOf ?? oneOf ?? allOf;
  if (!inside) return properties !== undefined || types?.join() === "object";
  return inside.every((part) => part.ref !== undefined || isObjects(part));
}
