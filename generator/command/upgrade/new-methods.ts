import {
  type JsonObject,
  type Schema,
  type SchemaNode,
  pointer,
  pointerTokens,
  memberNames,
  memberNodes,
  requiredMembers,
} from "@mcpgen/engine";
import {
  type Capability,
  type Method,
  type ProtocolModel,
  type Role,
  gate,
  opposite,
} from "../../model/model.js";
import { counted } from "../../print/terminal-text.js";
import { type Decision, type Question, asking, noteOf } from "./question.js";
import type { Succession } from "./successors.js";

/** The inputs for questions about new methods. */
interface NewMethods {
  readonly before: ProtocolModel;
  readonly now: ProtocolModel;
  readonly successors: readonly Succession[];
  readonly file: string;
}

/**
 * Questions about facts of new methods that neither the schema states nor carried notes cover. Signs in the
 * schema suggest the answers.
 */
export function newMethods(given: NewMethods): Decision[] {
  const { before, now, file } = given;
  const known = new Set(before.methods.map(({ name }) => name));
  const methods = now.methods.filter(({ name }) => !known.has(name));
  if (methods.length === 0) return [];
  const asks = methods.flatMap((method) => questionsOf(method, given));
  return [
    {
      kind: "missing-notes",
      title: `${counted(methods.length, "method is", "methods are")} new`,
      advice:
        "A schema does not say which capability gates a method, which headers repeat its params, whether its result is cacheable, or whether it is answered only when its stream ends: add notes of kind capability, header, cacheable and listening.",
      file,
      items: methods.map(({ name }) => name),
      questions: [...asks, ...subscriptionQuestions(methods, now)],
    },
  ];
}

function questionsOf(method: Method, given: NewMethods): Question[] {
  const { now, successors } = given;
  const from = successors.find((each) => each.method === method)?.from;
  const asks = [
    ...capabilityQuestions(method, from, now),
    ...headerQuestions(method, now),
    ...(isCacheable(method, now)
      ? [
          asking(
            `${method.name}: its result has the cache hints of cacheable results. May it be cached?`,
            noteOf("cacheable", [method.name]),
          ),
        ]
      : []),
    ...(isListening(method, now)
      ? [
          asking(
            `${method.name}: its result says nothing, and notifications of its family are there. Is it answered only when its stream ends?`,
            noteOf("listening", [method.name]),
          ),
        ]
      : []),
  ];
  const signs = "of a capability, a header, cache hints or a stream";
  return asks.length > 0 ? asks : [asking(`${method.name}: the schema has no sign ${signs}.`)];
}

/** A question whether the method needs a capability, unless it already has one. */
function capabilityQuestions(method: Method, from: Method | undefined, now: ProtocolModel): Question[] {
  const [sender] = method.senders;
  if (method.capabilities.length > 0 || sender === undefined) return [];
  const side = method.kind === "request" ? opposite(sender) : sender;
  const found = capabilityFor(method, from, side, now);
  if (!found) return [];
  const { of, path } = found;
  return [
    asking(
      `${method.name}: may it be used only if the ${of} has declared the capability ${path}?`,
      noteOf("capability", [method.name], { of, capability: path }),
    ),
  ];
}

/**
 * Guesses the capability for a method: that of the method it replaces, else a capability with the method's
 * name, else that of related methods.
 */
function capabilityFor(
  method: Method,
  from: Method | undefined,
  side: Role,
  now: ProtocolModel,
): Capability | undefined {
  const inherited = from && gate(from, from.senders[0]!);
  const roots = capabilityRoots(now, side);
  if (inherited && roots.some((root) => nodesAt(now.schema, root, inherited.path).length > 0))
    return inherited;
  const [family = "", ...rest] = wordsOf(method);
  for (const root of roots) {
    const name = memberNames(now.schema, root).find((each) => isSameWord(each, family));
    if (name === undefined) continue;
    const inside = memberNames(now.schema, { pointer: "", allOf: memberNodes(now.schema, root, name) });
    const part = method.kind === "notification" && inside.find((each) => isSameWord(each, rest.join("")));
    return { of: side, path: part ? pointer("", name, part) : pointer("", name) };
  }
  return now.methods
    .filter((each) => each.kind === method.kind && wordsOf(each)[0] === family)
    .flatMap(({ capabilities }) => capabilities)
    .find(({ of }) => of === side);
}

/**
 * The definitions of a side's capabilities: those that contain most of the capabilities that methods need.
 */
export function capabilityRoots({ schema, methods }: ProtocolModel, side: Role): SchemaNode[] {
  const paths = methods.flatMap(({ capabilities }) => capabilities.filter(({ of }) => of === side));
  const names = [...new Set(paths.map(({ path }) => pointerTokens(path)[0] ?? ""))];
  const counted = [...schema.definitions.values()].map(({ node }) => {
    const members = memberNames(schema, node);
    return { node, count: names.filter((name) => members.includes(name)).length };
  });
  const most = Math.max(1, ...counted.map(({ count }) => count));
  return counted.filter(({ count }) => count === most).map(({ node }) => node);
}

/** The schemas of the member at a path. */
export function nodesAt(schema: Schema, root: SchemaNode, path: string): SchemaNode[] {
  return pointerTokens(path).reduce(
    (nodes, token) => nodes.flatMap((node) => memberNodes(schema, node, token)),
    [root],
  );
}

/**
 * Questions about HTTP headers that repeat params of other methods: a new method with the same required param
 * may need them too.
 */
function headerQuestions(method: Method, { schema, headers }: ProtocolModel): Question[] {
  if (method.kind !== "request") return [];
  const present = new Set(headers.filter((rule) => rule.method === method.name).map(({ header }) => header));
  const { node } = schema.definitions.get(method.message)!;
  const isRequired = (from: string): boolean => {
    const tokens = pointerTokens(from);
    const holder = nodesAt(schema, node, pointer("", ...tokens.slice(0, -1)));
    return holder.some((each) => requiredMembers(schema, each).has(tokens.at(-1)!));
  };
  const asked = new Map<string, string>();
  for (const { header, method: of, from } of headers) {
    if (of === "*" || from === null || present.has(header) || asked.has(header)) continue;
    if (isRequired(from)) asked.set(header, from);
  }
  return [...asked].map(([header, from]) =>
    asking(
      `${method.name}: does the header ${header} repeat ${from}?`,
      noteOf("header", [method.name], { header, from }),
    ),
  );
}

/** Whether the result has all members that only cacheable results have. */
function isCacheable(method: Method, now: ProtocolModel): boolean {
  if (method.cacheable) return false;
  const ownedBy = ({ result }: Method): ReadonlySet<string> =>
    now.owned.get(result?.definition ?? "") ?? new Set();
  const answered = now.methods.filter(({ result }) => result?.definition !== undefined);
  const others = new Set(
    answered.filter(({ cacheable }) => !cacheable).flatMap((each) => [...ownedBy(each)]),
  );
  const hints = [
    ...new Set(answered.filter(({ cacheable }) => cacheable).flatMap((each) => [...ownedBy(each)])),
  ].filter((name) => !others.has(name));
  const node = now.schema.definitions.get(method.result?.definition ?? "")?.node;
  const members = node ? memberNames(now.schema, node) : [];
  return hints.length > 0 && hints.every((name) => members.includes(name));
}

/**
 * Whether the request may open a stream of notifications: its result adds no members, and a notification of
 * the same family exists.
 */
function isListening(method: Method, now: ProtocolModel): boolean {
  if (method.kind !== "request" || method.listening || now.era === "legacy") return false;
  const definition = method.result?.definition;
  const node = now.schema.definitions.get(definition ?? "")?.node;
  if (!node) return false;
  const owned = new Set(["_meta", ...[...now.owned.values()].flatMap((names) => [...names])]);
  const own = memberNames(now.schema, node).filter((name) => !owned.has(name));
  const [family] = wordsOf(method);
  const hasFamily = now.methods.some((each) => each.kind === "notification" && wordsOf(each)[0] === family);
  return own.length === 0 && hasFamily;
}

/**
 * Questions which member of a subscription filter selects a new notification. Considers only members that
 * select none yet.
 */
function subscriptionQuestions(methods: readonly Method[], now: ProtocolModel): Question[] {
  const { schema } = now;
  const named = new Set(now.methods.flatMap(({ filter }) => filter ?? []));
  const filters = filterDefinitions(now);
  const free = filters.flatMap(({ name, node }) =>
    memberNames(schema, node)
      .filter((member) => !named.has(member))
      .map((member) => ({ name, member, nodes: memberNodes(schema, node, member) })),
  );
  const unselected = methods.filter(({ kind, filter }) => kind === "notification" && filter === undefined);
  return unselected.flatMap((method): Question[] => {
    const same = free.find(({ member }) => isSameWord(member, wordsOf(method).join("")));
    const chosen = same ?? (unselected.length === 1 && free.length === 1 ? free[0] : undefined);
    if (!chosen) return [];
    const fields: JsonObject = { filter: pointer("/$defs", chosen.name, "properties", chosen.member) };
    const isList = chosen.nodes.some(({ types }) => types?.includes("array"));
    const key = isList ? keyOf(method, schema) : undefined;
    if (isList && key === undefined) return [];
    return [
      asking(
        `${method.name}: does ${chosen.member} of ${chosen.name} select it?`,
        noteOf("subscription", [method.name], { ...fields, ...(key !== undefined && { key }) }),
      ),
    ];
  });
}

/** The definitions of filters: params of listening requests with members that select notifications. */
function filterDefinitions({ schema, methods }: ProtocolModel): { name: string; node: SchemaNode }[] {
  const selected = new Set(methods.flatMap(({ filter }) => filter ?? []));
  const names = methods
    .filter(({ listening }) => listening)
    .flatMap(({ message }) => memberNodes(schema, schema.definitions.get(message)!.node, "params"))
    .flatMap((params) => memberNames(schema, params).flatMap((name) => memberNodes(schema, params, name)))
    .flatMap(({ ref }) => ref ?? []);
  return [...new Set(names)].flatMap((name) => {
    const node = schema.definitions.get(name)!.node;
    return memberNames(schema, node).some((member) => selected.has(member)) ? [{ name, node }] : [];
  });
}

/** The only required string among the params of a notification; undefined if there is not exactly one. */
function keyOf({ message }: Method, schema: Schema): string | undefined {
  const params = memberNodes(schema, schema.definitions.get(message)!.node, "params");
  const required = params.flatMap((node) => [...requiredMembers(schema, node)]);
  const texts = required.filter((name) =>
    params.some((node) => memberNodes(schema, node, name).some(({ types }) => types?.join() === "string")),
  );
  return texts.length === 1 ? texts[0] : undefined;
}

/** Splits a method name into words: `notifications/tools/list_changed` → `tools`, `list`, `changed`. */
function wordsOf({ name }: Method): string[] {
  return name.replace(/^notifications\//, "").split(/[^A-Za-z0-9]+/);
}

/** Whether two names are the same word, ignoring case and a plural "s". */
function isSameWord(one: string, other: string): boolean {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const [a, b] = [plain(one), plain(other)];
  return a !== "" && (a === b || `${a}s` === b || a === `${b}s`);
}
