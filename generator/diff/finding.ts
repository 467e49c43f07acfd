import type { Role } from "../model/model.js";
import type { Subject } from "../compare/align/pair.js";
import type { Level } from "./rules/rule.js";
import type { Counterexample } from "./witness/prove.js";

/** One difference between two revisions, and its level for clients and for servers. */
export interface Finding {
  readonly rule: string;
  /** The effect on an implementation of the old revision in that role when its peer moves to the new one. */
  readonly level: { readonly [R in Role]: Level };
  /** Whether code written against the generated types of the old revision stops compiling. */
  readonly source: "breaking" | "safe";
  readonly subject: Subject;
  /** The methods whose messages it reaches, in natural order. */
  readonly methods: readonly string[];
  readonly writers: readonly Role[];
  /** Findings about the same change at different places share it. */
  readonly group: string | null;
  /** The old and the new shape, in short; `null` if that side has none. */
  readonly old: string | null;
  readonly new: string | null;
  readonly why: string;
  readonly advice: string;
  /** A message that proves it; present where it is breaking. */
  readonly counterexample?: Counterexample;
  /** The reason why it is not breaking although its rule is. */
  readonly demoted?: string;
  /** JSON Pointers of the canonical documents. */
  readonly pointers: { readonly old: string | null; readonly new: string | null };
  /** Stays the same while the finding does: a hash of rule, subject and shapes. */
  readonly fingerprint: string;
}

/** How findings are weighed. */
export interface Policy {
  /** `closed`: readers refuse enumeration values and union members they do not know. */
  readonly readers: "open" | "closed";
  /** The configured severity of a rule; `off` leaves its findings out. */
  readonly severities: Readonly<Record<string, Level | "off">>;
}

export const defaultPolicy: Policy = { readers: "open", severities: {} };

const order: readonly Level[] = ["safe", "dangerous", "breaking"];

export function worst(...levels: readonly Level[]): Level {
  return order[Math.max(0, ...levels.map((level) => order.indexOf(level)))]!;
}

/** The level of a finding for a role; for `both`, the worse of the two. */
export function levelFor({ level }: Finding, role: Role | "both"): Level {
  return role === "both" ? worst(level.client, level.server) : level[role];
}

/** A change in words: `true → (absent)` where only one side has a shape; empty where neither has. */
export function changeText(
  { old, new: next }: Pick<Finding, "old" | "new">,
  shown: (shape: string) => string = (shape) => shape,
): string {
  if (old === null && next === null) return "";
  return [old, next].map((shape) => (shape === null ? "(absent)" : shown(shape))).join(" → ");
}

/** The subject of a finding, in words. */
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
