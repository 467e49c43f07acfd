import { canonicalText } from "@mcpgen/engine";
import type { Finding, Policy } from "../finding.js";
import { ruleOf } from "../rules/table.js";
import { type Role, opposite } from "../../model/model.js";
import { sha256 } from "../../files/regular-file.js";

/** A part of a contract that a finding is about. */
export interface Part {
  /** The list and the entry, as findings name them: `tools/get_weather`; `server` for the rest. */
  readonly name: string;
  /** JSON Pointers of the entry in both contracts. */
  readonly at: Finding["pointers"];
  /** The method that clients reach it by; `null` for what is only listed. */
  readonly method: string | null;
}

/** A difference that no schema shows. */
export interface Difference {
  readonly rule: string;
  /** Which row of the rule's it is. */
  readonly when?: string;
  /** Way from the part to what differs; empty for the part itself. */
  readonly path?: string;
  readonly old: string | null;
  readonly new: string | null;
  /** The roles that write the part that differs. */
  readonly writer: Role;
  /** Further in than the part. */
  readonly pointer?: string;
  /** What is wrong with an entry: it follows the reason of the rule. */
  readonly fault?: string;
}

/** A difference, weighed by its rule; nothing where the rule is off. */
export function contractFinding(
  part: Part,
  { rule: id, when, path = "", old, new: next, writer, pointer = "", fault }: Difference,
  policy: Policy,
): Finding[] {
  const rule = ruleOf(id, when);
  const severity = policy.severities[id];
  if (severity === "off" || (rule.hidden && severity === undefined)) return [];
  const weighed = (level: Finding["level"]["client"]): Finding["level"]["client"] =>
    severity === undefined || (level === "safe" && rule.writer !== rule.reader) ? level : severity;
  const levels = { [writer]: weighed(rule.writer), [opposite(writer)]: weighed(rule.reader) };
  const subject = { definition: part.name, path };
  return [
    {
      rule: id,
      level: levels as unknown as Finding["level"],
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

/** The parts that stay the same while the finding does; never prose. */
export function fingerprintOf({
  rule,
  subject,
  old,
  new: next,
}: Pick<Finding, "rule" | "subject" | "old" | "new">): string {
  return sha256(canonicalText({ rule, subject: { ...subject }, old, new: next })).slice(0, 12);
}
