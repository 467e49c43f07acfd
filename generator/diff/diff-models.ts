import { naturalCompare } from "@mcpgen/engine";
import type { ProtocolModel } from "../model/model.js";
import { Aligner } from "../compare/align/aligner.js";
import type { Pair } from "../compare/align/pair.js";
import { Renames } from "../compare/align/renames.js";
import { Collection } from "./collect.js";
import { type Finding, type Policy, defaultPolicy, levelFor, subjectText } from "./finding.js";
import { grouped } from "./group.js";
import { ruleIds } from "./rules/table.js";
import { compareDefinitions } from "./walk/definitions.js";
import type { MethodComparison } from "./walk/direction.js";
import { envelopeRoots } from "./walk/envelope.js";
import { compareErrors } from "./walk/errors.js";
import { type Origins, compareFiles } from "./walk/files.js";
import { compareMethods } from "./walk/methods.js";
import { movedRoots } from "./walk/moved.js";
import { partsOf } from "./walk/parts.js";
import { type Reached, leadingToFacts, metFrom, reachedFrom } from "../compare/reach.js";
import type { Root } from "./walk/root.js";
import { Maker } from "../compare/instance-maker.js";
import { Prover } from "./witness/prove.js";

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
  const moved = movedRoots(old, next, aligner, parts, met);
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
