import {
  type Definition,
  type Schema,
  type SchemaNode,
  escapeToken,
  naturalCompare,
  pointerTokens,
  conjuncts,
  hasMember,
  memberNames,
  memberNodes,
  requiredMembers,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { Message } from "./messages.js";
import type {
  Assumption,
  EntryRequest,
  Method,
  Page,
  PartialList,
  ProtocolModel,
  ResultOf,
} from "./model.js";
import type { NoteProblem } from "../notes/apply.js";
import type { PartialNote } from "../notes/note.js";
import { certainMark } from "./pairing.js";

/**
 * The page of a list in the result of a request. Such a request has a cursor param, and its result has the
 * next cursor beside a list. A list that cannot be determined is reported, because clients cannot read it
 * without a page.
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
  // The list that the method names: `tools` for `tools/list`.
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
 * Adds to `schema` a definition for inline page items, e.g. a union of definitions, so that items have a type
 * and a validator.
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

/** The object with the inline items of its lists replaced. */
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

/** Whether an unnamed schema describes objects, itself or through definitions it combines. */
function isObjects({ ref, types, properties, anyOf, oneOf, allOf }: SchemaNode): boolean {
  if (ref !== undefined) return false;
  const inside = anyOf ?? oneOf ?? allOf;
  if (!inside) return properties !== undefined || types?.join() === "object";
  return inside.every((part) => part.ref !== undefined || isObjects(part));
}

/**
 * How lists may be marked incomplete according to notes, by method. A note that contradicts the schema is a
 * problem.
 */
export function findPartialLists(
  schema: Schema,
  methods: readonly Method[],
  notes: readonly PartialNote[],
  problems: NoteProblem[],
): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>();
  for (const note of notes) {
    for (const target of note.targets) {
      const method = methods.find(({ name }) => name === target);
      if (!method || pages.has(target)) continue;
      const { page, result } = method;
      const found = page
        ? new PartialReader(schema, methods, page).read(
            note,
            schema.definitions.get(result!.definition!)!.node,
          )
        : "it is no request that reads a list page by page";
      if (typeof found === "string") problems.push({ code: "MG1202", note, target, message: found });
      else pages.set(target, found);
    }
  }
  return pages;
}

/** The content of a possible note of kind `partial`. */
type LikelyPartial = Pick<PartialNote, "member" | "means" | "item" | "get">;

/**
 * The probable note for a list that may be incomplete, as a new flag in its result suggests.
 *
 * @param before the preceding revision
 */
export function likelyPartial(
  { schema, methods }: ProtocolModel,
  { name, page, result }: Method,
  before: ProtocolModel | undefined,
): LikelyPartial | undefined {
  const nodeIn = (from: Schema, definition: string | undefined): SchemaNode | undefined =>
    from.definitions.get(definition ?? "")?.node;
  const answer = nodeIn(schema, result?.definition);
  if (!page || page.partial || !answer) return undefined;
  const older =
    before && nodeIn(before.schema, before.methods.find((each) => each.name === name)?.result?.definition);
  const isFlag = (member: string): boolean =>
    memberNodes(schema, answer, member).some(({ types }) => types?.join() === "boolean") &&
    !(older && hasMember(before.schema, older, member));
  const [flag, other] = memberNames(schema, answer).filter(isFlag);
  if (flag === undefined || other !== undefined) return undefined;
  const arms = armsOf(schema, { pointer: "", ref: page.item });
  const marks = (one: string, than: string): boolean =>
    certainMark(schema, nodeIn(schema, than)!, nodeIn(schema, one)!) !== undefined;
  const item = arms.find(
    (one) => arms.length === 2 && arms.every((arm) => arm === one || (marks(arm, one) && !marks(one, arm))),
  );
  const whole = item === undefined ? page.item : arms.find((arm) => arm !== item)!;
  const reader = new PartialReader(schema, methods, { ...page, item: whole });
  const get = methods.find((method) => typeof reader.entryRequest(method.name) !== "string")?.name;
  return {
    member: `/${escapeToken(flag)}`,
    means: !/complete|whole|full|all/i.test(flag),
    ...(item !== undefined && { item: `/$defs/${escapeToken(item)}` }),
    ...(get !== undefined && { get }),
  };
}

/** `/$defs/ToolReference` → `ToolReference`. */
function definitionAt(pointer: string): string {
  return pointerTokens(pointer)[1]!;
}

/** The definitions that a node refers to: one, or the arms of a union, which may be a definition. */
function armsOf(schema: Schema, node: SchemaNode, seen: readonly SchemaNode[] = []): string[] {
  const target = node.ref === undefined ? node : schema.definitions.get(node.ref)?.node;
  const arms = target?.anyOf ?? target?.oneOf;
  if (arms && !target!.properties && !seen.includes(target!))
    return [...new Set(arms.flatMap((arm) => armsOf(schema, arm, [...seen, target!])))];
  return node.ref === undefined ? [] : [node.ref];
}

/** Interprets a note with the schema. Each method returns the meaning of a part, or why it has none. */
class PartialReader {
  readonly #schema: Schema;
  readonly #methods: readonly Method[];
  readonly #page: Page;
  /** The definition of a complete entry. */
  #item: string;
  /** The definition of a reference to an entry. */
  #referred: string | undefined;

  constructor(schema: Schema, methods: readonly Method[], page: Page) {
    this.#schema = schema;
    this.#methods = methods;
    this.#page = page;
    this.#item = page.item;
  }

  read({ member, means, item, get }: PartialNote, answer: SchemaNode): Page | string {
    const problem = this.#memberProblem(member, means, answer);
    if (problem !== undefined) return problem;
    const reference = item === undefined ? undefined : this.#reference(definitionAt(item), item);
    if (typeof reference === "string") return reference;
    const request = get === undefined ? undefined : this.entryRequest(get);
    if (typeof request === "string") return request;
    const partial = {
      member,
      ...(means !== undefined && { means }),
      ...(reference && { reference }),
      ...(request && { get: request }),
    };
    return { ...this.#page, item: this.#item, partial };
  }

  #memberProblem(member: string, means: PartialNote["means"], answer: SchemaNode): string | undefined {
    let nodes: readonly SchemaNode[] = [answer];
    for (const token of pointerTokens(member)) {
      nodes = nodes.flatMap((node) => memberNodes(this.#schema, node, token));
      if (nodes.length === 0) return `the result has no member at ${member}`;
    }
    return means === undefined || nodes.every((node) => isValid(this.#schema, node, means))
      ? undefined
      : `the member at ${member} is never ${JSON.stringify(means)}`;
  }

  #reference(definition: string, pointer: string): Exclude<PartialList["reference"], undefined> | string {
    const arms = armsOf(this.#schema, { pointer: "", ref: this.#page.item });
    if (!arms.includes(definition)) return `no item of the list is described by ${pointer}`;
    const [item, other] = arms.filter((name) => name !== definition);
    if (item === undefined || other !== undefined)
      return `the items of the list are of ${item === undefined ? "no" : "more than one"} definition beside ${definition}`;
    this.#item = item;
    this.#referred = definition;
    const whole = certainMark(this.#schema, this.#nodeOf(definition), this.#nodeOf(item));
    return { definition, ...(whole && { whole }) };
  }

  entryRequest(method: string): EntryRequest | string {
    const item = this.#item;
    const found = this.#methods.find(({ name }) => name === method);
    if (!found?.result?.definition)
      return `the schema has no request ${JSON.stringify(method)} with a result`;
    const params = memberNodes(this.#schema, this.#nodeOf(found.message), "params");
    const required = params.flatMap((node) => [...requiredMembers(this.#schema, node)]);
    // `_meta` belongs to every request.
    const [param, other] = [...new Set(required)].filter((name) => name !== "_meta");
    if (param === undefined || other !== undefined) return `${method} does not require exactly one param`;
    const key = this.#keyFor(param);
    if (key === undefined)
      return `${param} is no member of ${item}, and not one member alone can be the name of an entry`;
    const isMany = params.some((node) => this.#types(node, param).includes("array"));
    const named = { method, param, ...(isMany && { many: true as const }), key };
    const answer = this.#nodeOf(found.result.definition);
    const member = memberNames(this.#schema, answer).find((name) => this.#holds(answer, name));
    if (member !== undefined) return { ...named, member };
    const own = [...requiredMembers(this.#schema, this.#nodeOf(item))];
    return own.length > 0 && own.every((name) => requiredMembers(this.#schema, answer).has(name))
      ? named
      : `the result of ${method} holds no ${item}`;
  }

  /**
   * The member of an entry that a param refers to: the one with the same name, else the only string that
   * every entry has.
   */
  #keyFor(param: string): string | undefined {
    const whole = this.#nodeOf(this.#item);
    if (hasMember(this.#schema, whole, param)) return param;
    const kinds = [whole, ...(this.#referred === undefined ? [] : [this.#nodeOf(this.#referred)])];
    const [key, other] = [...requiredMembers(this.#schema, whole)].filter((name) =>
      kinds.every(
        (node) =>
          requiredMembers(this.#schema, node).has(name) && this.#types(node, name).join() === "string",
      ),
    );
    return other === undefined ? key : undefined;
  }

  /** The types of a member. */
  #types(node: SchemaNode, member: string): string[] {
    const parts = memberNodes(this.#schema, node, member).flatMap((each) => conjuncts(this.#schema, each));
    return [...new Set(parts.flatMap(({ types }) => types ?? []))];
  }

  /** Whether a member of a result is an item of the list, or a list of such items. */
  #holds(answer: SchemaNode, member: string): boolean {
    return memberNodes(this.#schema, answer, member)
      .flatMap((node) =>
        conjuncts(this.#schema, node).flatMap((each) => [each, ...(each.items ? [each.items] : [])]),
      )
      .some((node) => armsOf(this.#schema, node).includes(this.#item));
  }

  #nodeOf(definition: string): SchemaNode {
    return this.#schema.definitions.get(definition)!.node;
  }
}
