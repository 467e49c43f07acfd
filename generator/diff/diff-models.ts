import { naturalCompare } from "@mcpgen/engine";
import type { ErrorCode, ProtocolModel } from "../model/model.js";
import { Aligner } from "../compare/align/aligner.js";
import type { Fact, Pair } from "../compare/align/pair.js";
import { Renames } from "../compare/align/renames.js";
import { Collection } from "./collect.js";
import { type Finding, type Policy, defaultPolicy, levelFor, subjectText } from "./finding.js";
import { grouped } from "./group.js";
import { ruleIds } from "./rules/table.js";
import { compareDefinitions } from "./walk/definitions.js";
import type { MethodComparison } from "./walk/direction.js";
import { envelopeRoots } from "./walk/envelope.js";
import { type Origins, compareFiles } from "./walk/files.js";
import { compareMethods } from "./walk/methods.js";
import { type Parts, held, partsOf } from "./walk/parts.js";
import { type Reached, leadingToFacts, metFrom, reachedFrom } from "../compare/reach.js";
import type { Root } from "./walk/root.js";
import { Maker } from "../compare/instance-maker.js";
import { Prover } from "./witness/prove.js";
import { constantMember } from "../model/object-view.js";
import { isRoleUnion } from "../model/role-unions.js";
import type { Context } from "./walk/context.js";

/**
 * The differences between two revisions, worst first: what each means for an implementation of the old
 * revision, as a client and as a server, when its peer moves to the new one. Pure and deterministic.
 *
 * @param origins what is known of the files, which the models do not know
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

/** A model without the methods that its unions of messages do not list, where those of the other do. */
function withListed(model: ProtocolModel, other: ProtocolModel): ProtocolModel {
  const listed = new Set(other.methods.filter(({ unlisted }) => !unlisted).map(({ name }) => name));
  const methods = model.methods.filter(({ name, unlisted }) => !unlisted || !listed.has(name));
  return methods.length === model.methods.length ? model : { ...model, methods };
}

/** Collects all facts under every root before the next step: many roots may lead to the same pair. */
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
const rank = { breaking: 0, dangerous: 1, safe: 2 } as const;

/** Of equally severe findings, those of methods come first: the order is that of the rule table. */
function worstFirst(a: Finding, b: Finding): number {
  return (
    rank[levelFor(a, "both")] - rank[levelFor(b, "both")] ||
    ruleOrder.get(a.rule)! - ruleOrder.get(b.rule)! ||
    naturalCompare(subjectText(a.subject), subjectText(b.subject)) ||
    (a.fingerprint < b.fingerprint ? -1 : 1)
  );
}

/** So many definitions are put in order by what they hold; more are taken by name. */
const mostSized = 500;

/**
 * Definitions that messages of both revisions hold, but nowhere in places that correspond: a capability
 * that was declared once and now travels with every request. Here, and only here, the name decides.
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
  // Definitions that contain others come first, so that the others are met in them.
  for (const name of names.sort((a, b) => size.get(b)! - size.get(a)! || (a < b ? -1 : 1))) {
    if (!isUnmet(name)) continue;
    const both = [...before.get(name)!].filter((role) => after.get(name)!.has(role));
    const writers = both.length > 0 ? both : [...before.get(name)!, ...after.get(name)!];
    const nodes = [old.schema.definitions.get(name)!.node, next.schema.definitions.get(name)!.node] as const;
    const pair = aligner.pair([nodes[0]], [nodes[1]]);
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

/** Definitions that have been compared with something. */
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

/** Aligns errors by name, then by code: either side may write one. */
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
    const nodes = [
      old.schema.definitions.get(error.definition)!.node,
      next.schema.definitions.get(other.definition)!.node,
    ] as const;
    const pair = aligner.pair([nodes[0]], [nodes[1]]);
    roots.push({ pair, context: contextOf(error, other), writers, methods: [] });
  }
}

/** Whether the other side has the number under another name, which had no other number: the message is the same. */
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

/** The first of the names that share a code. */
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
