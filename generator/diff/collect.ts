import { canonicalText, naturalCompare } from "@mcpgen/engine";
import { type Role, opposite } from "../model/model.js";
import { sha256 } from "../files/sha256.js";
import type { Fact } from "../compare/align/pair.js";
import { type Finding, type Policy, worst } from "./finding.js";
import type { Level, Rule } from "./rules/rule.js";
import { ruleOf } from "./rules/table.js";
import type { Counterexample, Direction, Occurrence, Prover } from "./witness/prove.js";

/** The occurrences of one difference, which become one finding. */
interface Gathered {
  readonly facts: Fact[];
  readonly occurrences: Occurrence[];
  readonly writers: Set<Role>;
  readonly methods: Set<string>;
}

/** Ways of meeting a difference that are tried for a proof; more would not find what these do not. */
const attempts = 6;

/** Gathers differences, one entry for each rule, subject and pair of shapes. */
export class Collection {
  private readonly entries = new Map<string, Gathered>();

  add(occurrence: Occurrence, writers: readonly Role[], methods: readonly string[]): void {
    const { fact } = occurrence;
    const key = identityOf(fact);
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { facts: [], occurrences: [], writers: new Set(), methods: new Set() };
      this.entries.set(key, entry);
    }
    if (!entry.facts.includes(fact)) entry.facts.push(fact);
    // Few are kept: each occurrence holds all pairs that its message leads to.
    if (entry.occurrences.length < attempts) entry.occurrences.push(occurrence);
    for (const writer of writers) entry.writers.add(writer);
    for (const method of methods) entry.methods.add(method);
  }

  /** The findings, weighed and proven. */
  findings(prover: Prover, policy: Policy): Finding[] {
    return [...this.entries.values()].flatMap((entry) => weigh(entry, prover, policy) ?? []);
  }
}

/** The parts that stay the same while the finding does; never prose. */
function identityOf({ rule, subject, old, new: next }: Fact): string {
  return canonicalText({ rule, subject: { ...subject }, old, new: next });
}

function weigh(
  { facts, occurrences, writers, methods }: Gathered,
  prover: Prover,
  policy: Policy,
): Finding | undefined {
  const rows = facts.map(({ rule, when }) => ruleOf(rule, when));
  const rule = rows[0]!;
  const severity = policy.severities[rule.id];
  if (severity === "off" || (rule.hidden && severity === undefined)) return undefined;
  const prove = proofs(occurrences, prover);
  const levels = {
    writer: proven(worst(...rows.map((row) => row.writer)), "narrowed", prove),
    reader: proven(worst(...rows.map((row) => readerLevel(row, policy))), "widened", prove),
  };
  const [fact] = facts as [Fact];
  const counterexample = levels.writer.proof ?? levels.reader.proof;
  if (
    facts.every(({ needsProof }) => needsProof) &&
    !counterexample &&
    !prove("narrowed") &&
    !prove("widened")
  )
    return undefined;
  const demoted = levels.writer.demoted || levels.reader.demoted;
  return {
    rule: rule.id,
    level: rolesOf(levels.writer.level, levels.reader.level, writers, severity),
    source: rows.some(({ source }) => source === "breaking") ? "breaking" : "safe",
    subject: fact.subject,
    methods: [...methods].sort(naturalCompare),
    writers: [...writers].sort(),
    group: null,
    old: fact.old,
    new: fact.new,
    why: rule.reason,
    advice: rule.advice,
    ...(counterexample && { counterexample }),
    ...(demoted && { demoted: "no witness found" }),
    pointers: fact.at,
    fingerprint: sha256(identityOf(fact)).slice(0, 12),
  };
}

function readerLevel({ reader, closedReader }: Rule, { readers }: Policy): Level {
  return readers === "closed" ? (closedReader ?? reader) : reader;
}

type Prove = (direction: Direction) => Counterexample | undefined;

/** Proves each direction at most once, on first use. */
function proofs(occurrences: readonly Occurrence[], prover: Prover): Prove {
  return (direction) => {
    for (const occurrence of occurrences) {
      const proof = prover.prove(occurrence, direction);
      if (proof) return proof;
    }
    return undefined;
  };
}

interface Weighed {
  readonly level: Level;
  readonly proof?: Counterexample;
  readonly demoted?: true;
}

/** No witness, not breaking. */
function proven(level: Level, direction: Direction, prove: Prove): Weighed {
  if (level !== "breaking") return { level };
  const proof = prove(direction);
  return proof ? { level, proof } : { level: "dangerous", demoted: true };
}

/**
 * A role that writes the part gets the writer's level, the other role the reader's. A role that does both gets the
 * worse.
 */
function rolesOf(
  writer: Level,
  reader: Level,
  writers: ReadonlySet<Role>,
  severity: Level | undefined,
): Finding["level"] {
  const levels = { client: "safe" as Level, server: "safe" as Level };
  const asSaid = (level: Level): Level =>
    severity === undefined || (level === "safe" && writer !== reader) ? level : severity;
  for (const role of writers) {
    levels[role] = worst(levels[role], asSaid(writer));
    levels[opposite(role)] = worst(levels[opposite(role)], asSaid(reader));
  }
  return levels;
}
