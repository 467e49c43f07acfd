import { type Role, opposite } from "../model/model.js";
import type { Subject, Fact } from "../compare/align/pair.js";
import type { Level, Rule } from "./rules/rule.js";
import type { Counterexample, Direction, Occurrence, Prover } from "./witness/prove.js";
import { isOneFinding, ruleOf } from "./rules/table.js";
import { canonicalText, naturalCompare } from "@mcpgen/engine";
import { sha256 } from "../files/regular-file.js";

/** One difference between two revisions, and its level for clients and for servers. */
export interface Finding {
  readonly rule: string;
  /** The effect on an implementation of the old revision in that role when its peer adopts the new one. */
  readonly level: { readonly [R in Role]: Level };
  /** Whether code written against the generated types of the old revision stops compiling. */
  readonly source: "breaking" | "safe";
  readonly subject: Subject;
  /** The methods whose messages are affected, in natural order. */
  readonly methods: readonly string[];
  readonly writers: readonly Role[];
  /** Key shared by findings about the same change at different places. */
  readonly group: string | null;
  /** Short forms of the old and the new schema; `null` if that side has none. */
  readonly old: string | null;
  readonly new: string | null;
  readonly why: string;
  readonly advice: string;
  /** A message that proves the break; present if a level is breaking. */
  readonly counterexample?: Counterexample;
  /** The reason why the finding is not breaking although its rule is. */
  readonly demoted?: string;
  /** The side whose schema cannot be read, so that the part was not compared. */
  readonly unread?: "old" | "new" | "both";
  /** JSON Pointers into the canonical documents. */
  readonly pointers: { readonly old: string | null; readonly new: string | null };
  /** Hash of rule, subject and shapes, which identifies the finding between runs. */
  readonly fingerprint: string;
}

/** How to weigh findings. */
export interface Policy {
  /** `closed`: readers reject unknown enumeration values and union members. */
  readonly readers: "open" | "closed";
  /** The configured severity of a rule; `off` omits its findings. */
  readonly severities: Readonly<Record<string, Level | "off">>;
}

export const defaultPolicy: Policy = { readers: "open", severities: {} };

const order: readonly Level[] = ["safe", "dangerous", "breaking"];

function worst(...levels: readonly Level[]): Level {
  return order[Math.max(0, ...levels.map((level) => order.indexOf(level)))]!;
}

/** Whether a level is more severe than another one. */
export function isWorse(level: Level, other: Level): boolean {
  return order.indexOf(level) > order.indexOf(other);
}

/** Orders findings by severity, worst first. */
export function bySeverity(a: Finding, b: Finding): number {
  return order.indexOf(levelFor(b, "both")) - order.indexOf(levelFor(a, "both"));
}

/** The level of a finding for a role; for `both`, the worse of the two. */
export function levelFor({ level }: Finding, role: Role | "both"): Level {
  return role === "both" ? worst(level.client, level.server) : level[role];
}

/**
 * Describes a change, e.g. `true → (absent)` if only one side has a shape; empty if neither has. For a schema that cannot be
 * read, the shape is the reason.
 */
export function changeText(
  { old, new: next, unread }: Pick<Finding, "old" | "new" | "unread">,
  shown: (shape: string) => string = (shape) => shape || '""',
): string {
  if (old === null && next === null) return "";
  if (unread === "old" || unread === "new")
    return `the ${unread} one cannot be read: ${shown((old ?? next)!)}`;
  return [old, next].map((shape) => (shape === null ? "(absent)" : shown(shape))).join(" → ");
}

/** Describes the subject of a finding. */
export function subjectText(subject: Subject): string {
  if ("method" in subject) return `${subject.method} from ${subject.from}`;
  const { definition, path, member } = subject;
  const place =
    path === ""
      ? definition
      : definition === ""
        ? path
        : `${definition}.${path}`.replace(/\.(\[\]|\{\})/g, "$1");
  return member === undefined ? place : `${place} (${member})`;
}

/** Gives findings about the same change at different places a common group. */
export function grouped(findings: readonly Finding[]): Finding[] {
  const names = findings.map(groupName);
  const count = new Map<string, number>();
  for (const name of names) if (name !== undefined) count.set(name, (count.get(name) ?? 0) + 1);
  return findings.map((finding, index) => {
    const name = names[index];
    return name === undefined || count.get(name)! < 2 ? finding : { ...finding, group: name };
  });
}

function groupName({ subject, rule, old, new: next }: Finding): string | undefined {
  if (isOneFinding(rule)) return rule;
  if ("method" in subject) {
    const shape = rule.startsWith("result-") ? [old, next] : [];
    return [rule, ...shape, "from", subject.from].filter((part) => part !== null).join(" ");
  }
  if (subject.member !== undefined) return [rule, "of", subject.definition, subject.path].join(" ").trim();
  const property = subject.path.split(".").at(-1)!;
  if (property === "") return undefined;
  return (
    metaName(subject.definition, subject.path) ?? [rule, property, old, next].filter((part) => part).join(" ")
  );
}

/**
 * The group of a metadata key. Keys of a metadata object form one group, because they affect every message
 * with that object.
 */
function metaName(definition: string, path: string): string | undefined {
  const whole = /^(.*)Meta(?:Object)?$/.exec(definition)?.[1];
  const kind =
    whole ??
    (/(?:^|\.)_meta$/.test(path) ? /(Request|Result|Notification)/.exec(definition)?.[1] : undefined);
  if (kind === undefined) return undefined;
  const words = kind.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return [...words.map((word) => word.toLowerCase()), "meta"].join("-");
}

/** The occurrences of one difference, which become one finding. */
interface Gathered {
  readonly facts: Fact[];
  readonly occurrences: Occurrence[];
  readonly writers: Set<Role>;
  readonly methods: Set<string>;
}

/** Maximum number of occurrences tried for a proof; further ones rarely succeed. */
const attempts = 6;

/** Collects differences, one entry for each rule, subject and pair of shapes. */
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
    // Only a few are kept, because each occurrence refers to all pairs of its message.
    if (entry.occurrences.length < attempts) entry.occurrences.push(occurrence);
    for (const writer of writers) entry.writers.add(writer);
    for (const method of methods) entry.methods.add(method);
  }

  /** The findings with their levels and proofs. */
  findings(prover: Prover, policy: Policy): Finding[] {
    return [...this.entries.values()].flatMap((entry) => weigh(entry, prover, policy) ?? []);
  }
}

/** The facts that identify a finding between runs; never includes prose. */
type Identity = Pick<Finding, "rule" | "subject" | "old" | "new">;

function identityOf({ rule, subject, old, new: next }: Identity): string {
  return canonicalText({ rule, subject: { ...subject }, old, new: next });
}

/** Hash of the facts that identify a finding. */
export function fingerprintOf(identity: Identity): string {
  return sha256(identityOf(identity)).slice(0, 12);
}

/** The severity of a rule in the policy; undefined if the levels of its row apply. Hidden rules are off. */
export function severityOf({ id, hidden }: Rule, { severities }: Policy): Level | "off" | undefined {
  return severities[id] ?? (hidden ? "off" : undefined);
}

function weigh(
  { facts, occurrences, writers, methods }: Gathered,
  prover: Prover,
  policy: Policy,
): Finding | undefined {
  const rows = facts.map(({ rule, when }) => ruleOf(rule, when));
  const rule = rows[0]!;
  const severity = severityOf(rule, policy);
  if (severity === "off") return undefined;
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
    fingerprint: fingerprintOf(fact),
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

/** Without a counterexample, a finding is not breaking. */
function proven(level: Level, direction: Direction, prove: Prove): Weighed {
  if (level !== "breaking") return { level };
  const proof = prove(direction);
  return proof ? { level, proof } : { level: "dangerous", demoted: true };
}

/**
 * Assigns levels to roles: the role that writes the part gets the writer's level, the other the reader's. A
 * role that does both gets the worse one.
 */
export function rolesOf(
  writer: Level,
  reader: Level,
  writers: Iterable<Role>,
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
