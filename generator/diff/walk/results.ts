import { type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { type Alternative, type Method, type ProtocolModel, opposite } from "../../model/model.js";
import { hasMember } from "../../model/object-view.js";
import type { Fact } from "../../compare/align/pair.js";
import type { Aligner } from "../../compare/align/aligner.js";
import { formSignature, similarity } from "../../compare/align/signature.js";
import { isAlone } from "../../compare/shape/alternatives.js";
import type { FormReader } from "../../compare/shape/form-reader.js";
import type { Makers } from "../../compare/instance-maker.js";
import { type Context, messageOf } from "./context.js";
import { type Direction, messageFact } from "./direction.js";

/** Compares the answers of a request: the plain results, then those that may come in their place. */
export function compareResults(direction: Direction, before: Method, after: Method, embedded: boolean): void {
  const { aligner, comparison, old, next, name, from } = direction;
  const writer = opposite(from);
  const context: Context = { part: embedded ? "embedded-result" : "result", method: name, from: writer };
  const pairUp = (a: string, b: string): void => {
    const nodes = [old.schema.definitions.get(a)!.node, next.schema.definitions.get(b)!.node] as const;
    comparison.roots.push({
      pair: aligner.pair([nodes[0]], [nodes[1]]),
      context,
      writers: [writer],
      methods: [name],
    });
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
      at: at(plain, other),
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

/** Plain results and alternatives of both sides, those that a definition only gathers taken apart. */
function answersOf(
  { old, next }: Direction,
  before: Method,
  after: Method,
): [string | undefined, string | undefined, readonly Alternative[], readonly Alternative[]] {
  let [a, b] = [gathered(old, before), gathered(next, after)];
  const isChoice = (names: readonly string[], { result }: Method): boolean =>
    names.length + (result?.alternatives.length ?? 0) > 1;
  // Against one shape alone a union is compared as a union.
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

/** The definitions that a plain result stands for: the arms of a union that is nothing else. */
function gathered({ schema }: ProtocolModel, { result }: Method): string[] {
  const name = result?.definition;
  const node = schema.definitions.get(name ?? "")?.node;
  if (name === undefined || !node) return [];
  const arms = isAlone(node) ? (node.anyOf ?? node.oneOf) : undefined;
  const names = arms?.map((arm) => (isAlone(arm) ? arm.ref : undefined));
  return names?.every((each) => each !== undefined) ? (names as string[]) : [name];
}

/** Alternatives correspond by name, by the mark they bear, or by what they look like. */
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

/** Whether two alternatives share most of their members, so that one may have come from the other. */
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
    at: at(arm.definition, undefined),
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
    at: at(undefined, arm.definition),
    widened: (make) => [answer(make.new, arm, context)],
  };
}

/** The smallest answer of this alternative, bearing its mark. */
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

function at(old: string | undefined, next: string | undefined): Fact["at"] {
  const place = (name: string | undefined): string | null =>
    name === undefined ? null : pointer("/$defs", name);
  return { old: place(old), new: place(next) };
}
