import { naturalCompare, constantMember, hasMember } from "@mcpgen/engine";
import type { ErrorCode, ProtocolModel } from "../model/model.js";
import { Aligner } from "../compare/align/aligner.js";
import { type Fact, type Pair, Renames, formSignature } from "../compare/align/pair.js";
import {
  type Finding,
  type Policy,
  Collection,
  bySeverity,
  defaultPolicy,
  subjectText,
  grouped,
} from "./finding.js";
import { ruleIds } from "./rules/table.js";
import { type MethodComparison, type Root, type Context, definitionsAt } from "./walk/context.js";
import { envelopeRoots } from "./walk/messages.js";
import { type Origins, type Parts, compareFiles, held, partsOf } from "./walk/parts.js";
import { compareMethods } from "./walk/methods.js";
import { type Reached, leadingToFacts, metFrom, reachedFrom } from "../compare/reach.js";
import { Maker } from "../compare/instance-maker.js";
import { Prover } from "./witness/prove.js";
import { isRoleUnion } from "../model/messages.js";
import type { FormReader } from "../compare/shape/form-reader.js";

/**
 * Finds the differences between two revisions, worst first. Each has its effect on a client and on a server
 * of the old revision when the peer adopts the new one. Pure and deterministic.
 *
 * @param origins facts about the files that the models do not contain
 */
export function diffModels(
  before: ProtocolModel,
  after: ProtocolModel,
  policy: Policy = defaultPolicy,
  origins?: Origins,
): Finding[] {
  const [old, next] = [withListed(before, after), withListed(after, before)];
  const aligner = new Aligner(old.schema, next.schema, Renames.between(old, next));
  const comparison = compareMethods(old, next, aligner);
  compareErrors(old, next, aligner, comparison);
  comparison.roots.push(...envelopeRoots(aligner, old, next));
  aligner.run();
  const parts = [partsOf(old), partsOf(next)] as const;
  const met = metFrom(comparison.roots);
  const moved = movedRoots([old, next], aligner, parts, met);
  const collection = collect(comparison, [...comparison.roots, ...moved], metFrom(moved, met));
  const names = compareDefinitions(aligner, met, parts);
  for (const fact of origins ? [...names, ...compareFiles(origins)] : names) {
    collection.add({ fact, context: { part: "definition", definition: ["", ""] } }, ["client", "server"], []);
  }
  const makers = { old: new Maker(aligner.old), new: new Maker(aligner.new) };
  const findings = collection.findings(new Prover(old, next, makers), policy);
  return grouped(findings.sort(worstFirst));
}

/** Removes methods that are not in the model's unions of messages but are in the other model's. */
function withListed(model: ProtocolModel, other: ProtocolModel): ProtocolModel {
  const listed = new Set(other.methods.filter(({ unlisted }) => !unlisted).map(({ name }) => name));
  const methods = model.methods.filter(({ name, unlisted }) => !unlisted || !listed.has(name));
  return methods.length === model.methods.length ? model : { ...model, methods };
}

/**
 * Collects all facts below every root before evaluating them, because many roots may lead to the same pair.
 */
function collect({ facts }: MethodComparison, roots: readonly Root[], met: ReadonlySet<Pair>): Collection {
  const collection = new Collection();
  for (const { fact, context, writers, methods } of facts)
    collection.add({ fact, context }, writers, methods);
  const leading = leadingToFacts(met);
  for (const root of roots) gather(root, reachedFrom(root, leading), collection);
  return collection;
}

function gather(root: Root, reached: Reached, collection: Collection): void {
  const { context, writers, methods, isReported, needsProof } = root;
  for (const pair of reached.keys()) {
    for (const fact of pair.facts) {
      if (isReported && !isReported(fact, pair)) continue;
      const stated = needsProof ? { ...fact, needsProof } : fact;
      collection.add({ fact: stated, context, place: { pair, reached } }, writers, methods);
    }
  }
}

const ruleOrder: ReadonlyMap<string, number> = new Map(ruleIds.map((id, index) => [id, index]));

/** Orders findings by severity, then by the rule table, in which methods come first. */
function worstFirst(a: Finding, b: Finding): number {
  return (
    bySeverity(a, b) ||
    ruleOrder.get(a.rule)! - ruleOrder.get(b.rule)! ||
    naturalCompare(subjectText(a.subject), subjectText(b.subject)) ||
    (a.fingerprint < b.fingerprint ? -1 : 1)
  );
}

/** Maximum number of definitions that are sorted by size; more are sorted by name. */
const mostSized = 500;

/**
 * Roots for definitions that messages of both revisions contain, but never in corresponding places: e.g. a
 * capability that was declared once and is now sent with every request. Only here are definitions matched by
 * name.
 */
function movedRoots(
  [old, next]: readonly [ProtocolModel, ProtocolModel],
  aligner: Aligner,
  [parts, others]: readonly [Parts, Parts],
  pairs: Iterable<Pair>,
): Root[] {
  const [before, after] = [parts.writers, others.writers];
  const met = metDefinitions(pairs);
  const isUnmet = (name: string): boolean => !met.old.has(name) && !met.new.has(name);
  const names = [...before.keys()].filter(
    (name) => after.has(name) && isUnmet(name) && !isMessage(old, name) && !isMessage(next, name),
  );
  const below = new Map<string, ReadonlySet<string>>();
  const sizeOf = (name: string): number =>
    names.length > mostSized ? 0 : held(next.schema, [name], below).size;
  const size = new Map(names.map((name) => [name, sizeOf(name)]));
  const roots: Root[] = [];
  // Larger definitions first, so that the definitions inside them are compared there.
  for (const name of names.sort((a, b) => size.get(b)! - size.get(a)! || (a < b ? -1 : 1))) {
    if (!isUnmet(name)) continue;
    const both = [...before.get(name)!].filter((role) => after.get(name)!.has(role));
    const writers = both.length > 0 ? both : [...before.get(name)!, ...after.get(name)!];
    const pair = aligner.pairDefinitions(name, name);
    aligner.run();
    const root: Root = {
      pair,
      context: { part: "definition", definition: [name, name] },
      writers,
      methods: others.methodsOf(name),
    };
    roots.push(root);
    const further = metDefinitions(reachedFrom(root).keys());
    for (const each of further.old) met.old.add(each);
    for (const each of further.new) met.new.add(each);
  }
  return roots;
}

/** Definitions that were already compared with another one. */
function metDefinitions(pairs: Iterable<Pair>): { old: Set<string>; new: Set<string> } {
  const met = { old: new Set<string>(), new: new Set<string>() };
  for (const pair of pairs) {
    for (const { old, new: next } of [{ old: pair.old.definition, new: pair.new.definition }, ...pair.arms]) {
      if (old !== undefined) met.old.add(old);
      if (next !== undefined) met.new.add(next);
    }
  }
  return met;
}

function isMessage({ schema }: ProtocolModel, name: string): boolean {
  return (
    isRoleUnion(name) || constantMember(schema, schema.definitions.get(name)!.node, "method") !== undefined
  );
}

/** Matches errors by name, then by code, because a rename may keep either. */
function compareErrors(
  old: ProtocolModel,
  next: ProtocolModel,
  aligner: Aligner,
  { facts, roots }: MethodComparison,
): void {
  const writers = ["client", "server"] as const;
  const [before, after] = [byName(old), byName(next)];
  const gone = old.errors.filter((error) => !after.has(error.name) && !isKept(error, next, before));
  const come = next.errors.filter((error) => !before.has(error.name) && !isKept(error, old, after));
  const found = (rule: string, error: ErrorCode | undefined, other: ErrorCode | undefined): void => {
    const context = contextOf((error ?? other)!, (other ?? error)!);
    facts.push({ fact: errorFact(rule, [old, next], error, other), context, writers, methods: [] });
  };

  for (const error of old.errors) {
    const other = after.get(error.name);
    if (other && other.code !== error.code) found("error-code-changed", error, other);
  }
  for (const error of gone) found("error-removed", error, undefined);
  for (const error of come) found("error-added", undefined, error);

  const numbered = byCode(next);
  for (const [code, error] of byCode(old)) {
    const other = numbered.get(code);
    if (!error.definition || !other?.definition) continue;
    const pair = aligner.pairDefinitions(error.definition, other.definition);
    roots.push({ pair, context: contextOf(error, other), writers, methods: [] });
  }
}

/**
 * Whether the other revision keeps the number under another name that had no other number before. The message
 * is then unchanged.
 */
function isKept(
  { code }: ErrorCode,
  { errors }: ProtocolModel,
  counterparts: ReadonlyMap<string, ErrorCode>,
): boolean {
  return errors.some((other) => other.code === code && (counterparts.get(other.name)?.code ?? code) === code);
}

function byName({ errors }: ProtocolModel): ReadonlyMap<string, ErrorCode> {
  return new Map(errors.map((error) => [error.name, error]));
}

/** Errors by code; if names share a code, the first. */
function byCode({ errors }: ProtocolModel): ReadonlyMap<number, ErrorCode> {
  return new Map([...errors].reverse().map((error) => [error.code, error]));
}

function contextOf(a: ErrorCode, b: ErrorCode): Context {
  return { part: "definition", definition: [a.definition ?? "", b.definition ?? ""] };
}

function errorFact(
  rule: string,
  [old, next]: readonly [ProtocolModel, ProtocolModel],
  before: ErrorCode | undefined,
  after: ErrorCode | undefined,
): Fact {
  const name = (before ?? after)!.name;
  const place = (model: ProtocolModel, error: ErrorCode | undefined): string | null =>
    model.schema.definitions.get(error?.definition ?? "")?.node.pointer ?? null;
  const [from, to] = [before?.definition, after?.definition];
  return {
    rule,
    subject: { definition: name, path: "code" },
    old: before ? String(before.code) : null,
    new: after ? String(after.code) : null,
    at: { old: place(old, before), new: place(next, after) },
    ...(rule === "error-code-changed" &&
      from !== undefined &&
      to !== undefined && {
        narrowed: ({ old: make }) => [make.minimal([old.schema.definitions.get(from)!.node])],
        widened: ({ new: make }) => [make.minimal([next.schema.definitions.get(to)!.node])],
      }),
  };
}

/** Changes of definition names. They do not change messages, but affect code that names a type. */
function compareDefinitions(aligner: Aligner, met: Iterable<Pair>, parts: readonly [Parts, Parts]): Fact[] {
  const [old, next] = [aligner.old.schema, aligner.new.schema];
  const partners = partnersOf(met);
  const gone = [...old.definitions.keys()].filter((name) => !next.definitions.has(name));
  const come = new Set([...next.definitions.keys()].filter((name) => !old.definitions.has(name)));
  const renamed = renames(gone, come, partners, aligner);
  const facts = [...renamed].map(([from, to]) =>
    fact("definition-renamed", [from, to].sort(naturalCompare)[0]!, from, to),
  );
  for (const name of gone) {
    if (renamed.has(name)) continue;
    facts.push(
      fact(partners.inlined.has(name) ? "definition-inlined" : "definition-removed", name, name, null),
    );
  }
  const taken = new Set(renamed.values());
  for (const name of come) {
    if (taken.has(name)) continue;
    facts.push(
      fact(partners.extracted.has(name) ? "definition-extracted" : "definition-added", name, null, name),
    );
  }
  for (const name of old.definitions.keys()) {
    if (!next.definitions.has(name)) continue;
    const rule = changeOf(name, aligner, partners, parts);
    if (rule !== undefined) facts.push(fact(rule, name, name, name));
  }
  return facts;
}

/**
 * For each definition, the definitions it was compared with; and the definitions compared with an unnamed
 * schema.
 */
interface Partners {
  readonly ofOld: ReadonlyMap<string, ReadonlySet<string>>;
  readonly ofNew: ReadonlyMap<string, ReadonlySet<string>>;
  readonly inlined: ReadonlySet<string>;
  readonly extracted: ReadonlySet<string>;
}

function partnersOf(met: Iterable<Pair>): Partners {
  const ofOld = new Map<string, Set<string>>();
  const ofNew = new Map<string, Set<string>>();
  const inlined = new Set<string>();
  const extracted = new Set<string>();
  const add = (map: Map<string, Set<string>>, key: string, value: string): void =>
    void map.set(key, (map.get(key) ?? new Set()).add(value));
  const places = [...met].flatMap(({ old, new: next, arms }) => [
    [old.definition, next.definition],
    ...arms.map((arm) => [arm.old, arm.new]),
  ]);
  for (const [a, b] of places) {
    if (a !== undefined && b !== undefined) {
      add(ofOld, a, b);
      add(ofNew, b, a);
    } else if (a !== undefined) inlined.add(a);
    else if (b !== undefined) extracted.add(b);
  }
  return { ofOld, ofNew, inlined, extracted };
}

/** Matches removed and added definitions: by what was compared with each other, else by equal shape. */
function renames(
  gone: readonly string[],
  come: ReadonlySet<string>,
  { ofOld }: Partners,
  aligner: Aligner,
): Map<string, string> {
  const renamed = new Map<string, string>();
  const taken = new Set<string>();
  const take = (from: string, to: string | undefined): void => {
    if (to === undefined) return;
    renamed.set(from, to);
    taken.add(to);
  };
  for (const name of gone) {
    take(
      name,
      [...(ofOld.get(name) ?? [])].sort(naturalCompare).find((other) => come.has(other) && !taken.has(other)),
    );
  }
  const left = gone.filter((name) => !renamed.has(name));
  if (left.length === 0) return renamed;
  const others = [...come]
    .filter((name) => !taken.has(name))
    .map((name) => [name, shapeOf(aligner.new, name)] as const);
  for (const name of left) {
    const shape = shapeOf(aligner.old, name);
    take(name, others.find(([other, otherShape]) => !taken.has(other) && otherShape === shape)?.[0]);
  }
  return renamed;
}

function shapeOf(reader: FormReader, name: string): string {
  const form = reader.of([reader.schema.definitions.get(name)!.node]);
  const shape = formSignature(reader, form);
  // Scalars and empty objects of different meaning have equal forms, so the name is included for them.
  return form.members.some(({ properties }) => properties.size > 0) ? shape : `${name}: ${shape}`;
}

/** Unions that only list the messages of one role. */
const lists = /^(Client|Server)(Request|Notification|Result)$/;

/** The rule for a changed definition that both revisions have; undefined if it did not change. */
function changeOf(
  name: string,
  aligner: Aligner,
  { ofOld, ofNew }: Partners,
  parts: readonly [Parts, Parts],
): string | undefined {
  const [partners, others] = [ofOld.get(name), ofNew.get(name)];
  if (partners?.has(name)) return undefined;
  if (partners && others) return "definition-meaning-changed";
  // Definitions inside messages are compared through params and results, not by name.
  if (lists.test(name) || parts.every(({ held }) => held.has(name))) return undefined;
  const texts = [aligner.old, aligner.new].map((reader) =>
    formSignature(reader, reader.of([reader.schema.definitions.get(name)!.node])),
  );
  if (texts[0] === texts[1]) return undefined;
  if (partners || others) return "definition-meaning-changed";
  const isAnswer = [aligner.old, aligner.new].every(({ schema }) =>
    hasMember(schema, schema.definitions.get(name)!.node, "result"),
  );
  return isAnswer ? undefined : "unreachable-changed";
}

function fact(rule: string, subject: string, old: string | null, next: string | null): Fact {
  const at = definitionsAt(old, next);
  return { rule, subject: { definition: subject, path: "" }, old, new: next, at };
}
