import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  hasMember,
  memberNodes,
  requiredMembers,
} from "@mcpgen/engine";
import { type Alternative, type Method, type ProtocolModel, type Role, opposite } from "../../model/model.js";
import { without } from "../../sample/edit.js";
import { type Aligner, compareAnnotations } from "../../compare/align/aligner.js";
import { type Fact, formSignature, similarity } from "../../compare/align/pair.js";
import { commonLocation } from "../../compare/location.js";
import type { Makers } from "../../compare/instance-maker.js";
import {
  type Context,
  type Direction,
  type MethodComparison,
  type MessageFact,
  definitionsAt,
  messageOf,
  messageFact,
} from "./context.js";
import { compareMessages, messageNodes, methodsByName } from "./messages.js";
import { isAlone } from "../../compare/shape/form.js";
import type { FormReader } from "../../compare/shape/form-reader.js";

/** Compares methods, matched by name and sender. */
export function compareMethods(old: ProtocolModel, next: ProtocolModel, aligner: Aligner): MethodComparison {
  const comparison: MethodComparison = { facts: [], roots: [] };
  const names = new Set([...old.methods, ...next.methods].map(({ name }) => name));
  const [ofOld, ofNext] = [methodsByName(old), methodsByName(next)];
  for (const name of [...names].sort()) {
    for (const from of ["client", "server"] as const) {
      const [before, after] = [methodOf(ofOld, name, from), methodOf(ofNext, name, from)];
      compareMethod({ old, next, aligner, name, from, comparison }, before, after);
    }
  }
  return comparison;
}

function methodOf(methods: ReturnType<typeof methodsByName>, name: string, from: Role): Method | undefined {
  return methods.get(name)?.find((method) => method.senders.includes(from));
}

function compareMethod(direction: Direction, before: Method | undefined, after: Method | undefined): void {
  if (before && after && before.kind === after.kind) return compareBoth(direction, before, after);
  if (before && !before.payload) disappeared(direction, before);
  if (after && !after.payload) appeared(direction, after);
}

function compareBoth(direction: Direction, before: Method, after: Method): void {
  const { old, next, comparison, name, from } = direction;
  if (!before.payload && after.payload) disappeared(direction, before, "method-demoted-to-payload");
  if (before.payload && !after.payload) appeared(direction, after);
  const embedded = before.payload || after.payload;
  const context: Context = { part: embedded ? "embedded-request" : before.kind, method: name, from };
  compareParams(direction, before, after, context);
  compareMessages(direction, before, after, context);
  const [message, other] = [
    old.schema.definitions.get(before.message)!,
    next.schema.definitions.get(after.message)!,
  ];
  const annotations = compareAnnotations(message.node, other.node).map((fact) =>
    messageFact(direction, fact, context),
  );
  comparison.facts.push(...annotations, ...deprecation(direction, before, after, context));
  if (before.kind === "request") compareResults(direction, before, after, embedded);
}

/** Reports deprecation of the method itself; its message's schema may lack the keyword. */
function deprecation(direction: Direction, before: Method, after: Method, context: Context): MessageFact[] {
  if ((before.deprecated === undefined) === (after.deprecated === undefined)) return [];
  const rule = after.deprecated ? "deprecated-added" : "deprecated-removed";
  const texts = after.deprecated ? { old: null, new: "deprecated" } : { old: "deprecated", new: null };
  return [
    messageFact(
      direction,
      {
        rule,
        subject: { method: direction.name, from: direction.from },
        ...texts,
        at: definitionsAt(before.message, after.message),
      },
      context,
    ),
  ];
}

/** @param rule the rule, if the method was not simply removed */
function disappeared(direction: Direction, before: Method, rule?: string): void {
  const { next, name } = direction;
  const remains = methodsByName(next)
    .get(name)
    ?.some((method) => method.kind === before.kind && !method.payload);
  const removed = remains ? `${before.kind}-direction-removed` : `${before.kind}-removed`;
  announce(direction, before, rule ?? removed, "old");
}

function appeared(direction: Direction, after: Method): void {
  const { old, name } = direction;
  const known = methodsByName(old)
    .get(name)
    ?.some((method) => method.kind === after.kind && !method.payload);
  announce(direction, after, known ? `${after.kind}-direction-added` : `${after.kind}-added`, "new");
}

function announce(direction: Direction, method: Method, rule: string, side: "old" | "new"): void {
  const { name, from, comparison } = direction;
  const context: Context = { part: method.kind, method: name, from };
  const schema = (side === "old" ? direction.old : direction.next).schema;
  const place = schema.definitions.get(method.message)!.node.pointer;
  const candidates = (make: Makers): JsonValue[] => [minimalMessage(make[side], method, context)];
  const fact: Fact = {
    rule,
    subject: { method: name, from },
    old: side === "old" ? method.message : null,
    new: side === "new" ? method.message : null,
    at: { old: side === "old" ? place : null, new: side === "new" ? place : null },
    ...(side === "old" ? { narrowed: candidates } : { widened: candidates }),
  };
  comparison.facts.push(messageFact(direction, fact, context));
}

/** The smallest message of a method, including the envelope. */
function minimalMessage(make: Makers["old"], method: Method, context: Context): JsonValue {
  const body = make.minimal(messageNodes(make.reader, method));
  return {
    ...(messageOf(context, undefined) as JsonObject),
    ...(isJsonObject(body) ? body : {}),
    ...(messageOf(context, undefined) as JsonObject),
  };
}

function compareParams(direction: Direction, before: Method, after: Method, context: Context): void {
  const { old, next, aligner, comparison, name, from } = direction;
  const [was, is] = [presenceOf(old, before), presenceOf(next, after)];
  const nodes = [paramsOf(old, before), paramsOf(next, after)] as const;
  if (was !== "none" && is !== "none") {
    const pair = aligner.pair(nodes[0], nodes[1]);
    comparison.roots.push({ pair, context, writers: [from], methods: [name] });
  }
  const change = presenceChange(was, is);
  if (!change || isToldOfMessage(direction, before, after, [was, is])) return;
  const subject = commonLocation(
    { definition: before.message, path: "params" },
    { definition: after.message, path: "params" },
  );
  const absent = (make: Makers): (JsonValue | undefined)[] =>
    [minimalMessage(make.new, after, context), minimalMessage(make.old, before, context)].map((message) =>
      isJsonObject(message) ? without(message, "params") : undefined,
    );
  const at = { old: nodes[0][0]?.pointer ?? null, new: nodes[1][0]?.pointer ?? null };
  const required = { narrowed: absent, widened: absent };
  const fact: Fact = {
    ...change,
    subject,
    old: was === "none" ? null : was,
    new: is === "none" ? null : is,
    at,
    ...required,
  };
  comparison.facts.push(messageFact(direction, fact, context));
}

type Presence = Method["params"]["presence"];

/**
 * Whether params are required, optional or absent in the message's schema; the envelope may require them too.
 */
function presenceOf(model: ProtocolModel, method: Method): Presence {
  const { presence } = method.params;
  if (presence !== "optional") return presence;
  const isRequired = messageNodes(model, method).some((node) =>
    requiredMembers(model.schema, node).has("params"),
  );
  return isRequired ? "required" : presence;
}

function presenceChange(was: Presence, is: Presence): Pick<Fact, "rule" | "when"> | undefined {
  if (was === is) return undefined;
  if (is === "required") return { rule: "params-became-required" };
  if (was === "required" && is === "optional") return { rule: "params-became-optional" };
  if (was === "none") return { rule: "property-added-optional" };
  return { rule: "property-removed", when: `it was ${was}` };
}

/**
 * Whether the comparison of the complete message already reports added or removed params: it does if the
 * message is closed.
 */
function isToldOfMessage(
  { old, next, aligner }: Direction,
  before: Method,
  after: Method,
  [was, is]: readonly [Presence, Presence],
): boolean {
  if (was !== "none" && is !== "none") return false;
  const [reader, nodes] =
    was === "none" ? [aligner.old, messageNodes(old, before)] : [aligner.new, messageNodes(next, after)];
  return reader.of(nodes).members.some(({ closed }) => closed);
}

function paramsOf({ schema }: ProtocolModel, { message }: Method): ReturnType<typeof memberNodes> {
  return memberNodes(schema, schema.definitions.get(message)!.node, "params");
}

/** Compares the results of a request: the plain ones, then the alternatives. */
function compareResults(direction: Direction, before: Method, after: Method, embedded: boolean): void {
  const { aligner, comparison, name, from } = direction;
  const writer = opposite(from);
  const context: Context = { part: embedded ? "embedded-result" : "result", method: name, from: writer };
  const pairUp = (a: string, b: string): void => {
    const pair = aligner.pairDefinitions(a, b);
    comparison.roots.push({ pair, context, writers: [writer], methods: [name] });
  };
  const [plain, other, arms, others] = answersOf(direction, before, after);
  if (plain !== undefined && other !== undefined) pairUp(plain, other);
  else if (plain !== other) {
    const subject = { method: name, from };
    const fact: Fact = {
      rule: "result-type-changed",
      subject,
      old: plain ?? null,
      new: other ?? null,
      at: definitionsAt(plain, other),
    };
    comparison.facts.push(messageFact(direction, fact, context, writer));
  }
  const partner = partners(direction, arms, others);
  for (const arm of arms) {
    const match = partner.get(arm);
    if (match) pairUp(arm.definition, match.definition);
    else comparison.facts.push(messageFact(direction, removed(direction, arm, context), context, writer));
  }
  const taken = new Set(partner.values());
  for (const arm of others.filter((each) => !taken.has(each))) {
    comparison.facts.push(messageFact(direction, added(direction, before, arm, context), context, writer));
  }
}

/**
 * The plain results and alternatives of both sides. A definition that is only a union of results is replaced
 * by its arms.
 */
function answersOf(
  { old, next }: Direction,
  before: Method,
  after: Method,
): [string | undefined, string | undefined, readonly Alternative[], readonly Alternative[]] {
  let [a, b] = [gathered(old, before), gathered(next, after)];
  const isChoice = (names: readonly string[], { result }: Method): boolean =>
    names.length + (result?.alternatives.length ?? 0) > 1;
  // If only one side is a union, it is compared as a whole.
  if (!isChoice(a, before) || !isChoice(b, after)) [a, b] = [plainOf(before), plainOf(after)];
  const plain = a.find((name) => b.includes(name));
  const [first, second] = [plain ?? a[0], plain ?? b[0]];
  const rest = (names: readonly string[], chosen: string | undefined, { result }: Method): Alternative[] => [
    ...names.filter((name) => name !== chosen).map((definition) => ({ definition })),
    ...(result?.alternatives ?? []),
  ];
  return [first, second, rest(a, first, before), rest(b, second, after)];
}

function plainOf({ result }: Method): string[] {
  return result?.definition === undefined ? [] : [result.definition];
}

/** The definitions of a plain result: the arms, if it is nothing but a union. */
function gathered({ schema }: ProtocolModel, { result }: Method): string[] {
  const name = result?.definition;
  const node = schema.definitions.get(name ?? "")?.node;
  if (name === undefined || !node) return [];
  const arms = isAlone(node) ? (node.anyOf ?? node.oneOf) : undefined;
  const names = arms?.map((arm) => (isAlone(arm) ? arm.ref : undefined));
  return names?.every((each) => each !== undefined) ? (names as string[]) : [name];
}

/** Matches alternatives by name, by discriminator, or by similar members. */
function partners(
  { aligner, old, next }: Direction,
  arms: readonly Alternative[],
  others: readonly Alternative[],
): Map<Alternative, Alternative> {
  const result = new Map<Alternative, Alternative>();
  const mark = ({ discriminator }: Alternative): string => JSON.stringify(discriminator ?? null);
  const looks = (reader: FormReader, { schema }: ProtocolModel, { definition }: Alternative): string =>
    formSignature(reader, reader.of([schema.definitions.get(definition)!.node]));
  for (const arm of arms) {
    const free = others.filter((other) => ![...result.values()].includes(other));
    const match =
      free.find(({ definition }) => definition === arm.definition) ??
      free.find((other) => arm.discriminator !== undefined && mark(other) === mark(arm)) ??
      free.find((other) => looks(aligner.old, old, arm) === looks(aligner.new, next, other)) ??
      free.find((other) => resembles(aligner, arm, other));
    if (match) result.set(arm, match);
  }
  return result;
}

/** Whether two alternatives share most of their members, so that one may be derived from the other. */
function resembles(aligner: Aligner, a: Alternative, b: Alternative): boolean {
  const [left, right] = [aligner.old, aligner.new].map((reader, side) => {
    const { definition } = side === 0 ? a : b;
    return reader.of([reader.schema.definitions.get(definition)!.node]).members[0];
  });
  const isGone =
    !aligner.new.schema.definitions.has(a.definition) && !aligner.old.schema.definitions.has(b.definition);
  return (
    isGone &&
    left !== undefined &&
    right !== undefined &&
    similarity([aligner.old, aligner.new], left, right) > 0.5
  );
}

function removed({ name, from }: Direction, arm: Alternative, context: Context): Fact {
  return {
    rule: "result-alternative-removed",
    ...(arm.capability !== undefined && { when: "a capability gates it" }),
    subject: { method: name, from },
    old: arm.definition,
    new: null,
    at: definitionsAt(arm.definition, undefined),
    narrowed: (make) => [answer(make.old, arm, context)],
  };
}

function added({ old, name, from }: Direction, before: Method, arm: Alternative, context: Context): Fact {
  const plain = old.schema.definitions.get(before.result?.definition ?? "")?.node;
  const key = arm.discriminator?.key;
  const promised = plain !== undefined && key !== undefined && hasMember(old.schema, plain, key);
  const when =
    arm.capability !== undefined
      ? "a capability gates it"
      : promised
        ? "the old result has the member that identifies it"
        : undefined;
  return {
    rule: "result-alternative-added",
    ...(when !== undefined && { when }),
    subject: { method: name, from },
    old: null,
    new: arm.definition,
    at: definitionsAt(undefined, arm.definition),
    widened: (make) => [answer(make.new, arm, context)],
  };
}

/** The smallest result of this alternative, with its discriminator. */
function answer(
  make: Makers["old"],
  { definition, discriminator }: Alternative,
  context: Context,
): JsonValue | undefined {
  const value = make.minimal([make.reader.schema.definitions.get(definition)!.node]);
  const marked =
    isJsonObject(value) && discriminator?.value !== undefined
      ? { ...value, [discriminator.key]: discriminator.value }
      : value;
  return messageOf(context, marked);
}
