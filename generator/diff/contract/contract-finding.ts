import { type Finding, type Policy, fingerprintOf, rolesOf, severityOf } from "../finding.js";
import { ruleOf } from "../rules/table.js";
import type { Role } from "../../model/model.js";

/** The part of a contract that a finding concerns. */
export interface Part {
  /** Name in findings: list and entry, e.g. `tools/get_weather`; `server` for everything else. */
  readonly name: string;
  /** JSON Pointers of the entry in both contracts. */
  readonly at: Finding["pointers"];
  /** The method by which clients use it; `null` if it is only listed. */
  readonly method: string | null;
}

/** A difference outside of schemas. */
export interface Difference {
  readonly rule: string;
  /** The case of the rule, if it has several rows. */
  readonly when?: string;
  /** Path from the part to the difference; empty for the part itself. */
  readonly path?: string;
  readonly old: string | null;
  readonly new: string | null;
  /** The role that writes the part. */
  readonly writer: Role;
  /** JSON Pointer inside the part. */
  readonly pointer?: string;
  /** The fault of an invalid entry, appended to the rule's reason. */
  readonly fault?: string;
}

/** Turns a difference into a finding with the levels of its rule; empty if the rule is off. */
export function contractFinding(
  part: Part,
  { rule: id, when, path = "", old, new: next, writer, pointer = "", fault }: Difference,
  policy: Policy,
): Finding[] {
  const rule = ruleOf(id, when);
  const severity = severityOf(rule, policy);
  if (severity === "off") return [];
  const subject = { definition: part.name, path };
  return [
    {
      rule: id,
      level: rolesOf(rule.writer, rule.reader, [writer], severity),
      source: rule.source,
      subject,
      methods: part.method === null ? [] : [part.method],
      writers: [writer],
      group: null,
      old,
      new: next,
      why: fault === undefined ? rule.reason : `${rule.reason} ${fault}`,
      advice: rule.advice,
      pointers: inside(part.at, pointer),
      fingerprint: fingerprintOf({ rule: id, subject, old, new: next }),
    },
  ];
}

export function inside({ old, new: next }: Finding["pointers"], pointer: string): Finding["pointers"] {
  return { old: old === null ? null : old + pointer, new: next === null ? null : next + pointer };
}
