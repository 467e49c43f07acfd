import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { nameAdvice } from "../../diagnostics/suggest.js";
import { type Finding, type Policy, subjectText } from "../finding.js";
import { ruleIds } from "../rules/table.js";

/** The approval of one finding, or of all findings of a rule at a place. */
export interface Approval {
  /** Fingerprint of the finding; absent if `values` is given. */
  readonly fingerprint?: string;
  /** `any` approves all old and new values, e.g. for a default that changes with each start. */
  readonly values?: "any";
  readonly rule: string;
  /** The place. With a fingerprint it informs people, and must match the finding. */
  readonly subject: string;
  readonly reason: string;
  readonly by: string;
  /** The last day of validity, YYYY-MM-DD. */
  readonly until: string;
}

export const approvalsFile = "mcp-approvals.json";

/** A fault in an approvals file: its place, and advice. */
interface Malformed {
  readonly pointer: string;
  readonly message: string;
  readonly next?: string;
}

/** Reads the approvals of a file. Rejects an entry that could approve more than intended. */
export function parseApprovals(value: JsonValue): readonly Approval[] | Malformed {
  const stray = isJsonObject(value) ? unknownKey(value, ["format", "approvals"], "") : undefined;
  if (stray) return stray;
  if (!isJsonObject(value) || value["format"] !== 1 || !Array.isArray(value["approvals"])) {
    return { pointer: "", message: 'expected { "format": 1, "approvals": [ … ] }' };
  }
  const first = new Map<string, number>();
  for (const [index, entry] of value["approvals"].entries()) {
    const at = pointer("/approvals", index);
    const problem = problemOf(entry, at);
    if (problem) return problem;
    const covered = coveredText(entry as unknown as Approval);
    const before = first.get(covered);
    if (before !== undefined)
      return { pointer: at, message: `/approvals/${before} approves ${covered} already` };
    first.set(covered, index);
  }
  return value["approvals"] as unknown as Approval[];
}

/** Describes what an approval covers. */
function coveredText({ fingerprint, rule, subject }: Approval): string {
  return fingerprint ?? `every ${rule} on ${subject}`;
}

const texts = ["rule", "subject", "reason", "by"] as const;

function problemOf(entry: JsonValue, at: string): Malformed | undefined {
  if (!isJsonObject(entry)) return { pointer: at, message: "expected an object" };
  const { fingerprint, values, rule } = entry;
  const isByValue = values === undefined;
  const unknown = unknownKey(entry, ["fingerprint", "values", ...texts, "until"], at);
  if (unknown) return unknown;
  if (!isByValue && (values !== "any" || fingerprint !== undefined))
    return {
      pointer: `${at}/values`,
      message:
        values === "any"
          ? "expected either a fingerprint or values, got both"
          : `expected values to be "any", got ${JSON.stringify(values)}`,
      next: 'With "values": "any", the entry approves every finding of its rule on its subject.',
    };
  for (const key of isByValue ? (["fingerprint", ...texts] as const) : texts) {
    const text = entry[key];
    const said = text === undefined ? "none" : JSON.stringify(text);
    // The report prints a placeholder that a person must replace.
    if (typeof text !== "string" || /^[\s….]*$/.test(text))
      return { pointer: text === undefined ? at : `${at}/${key}`, message: `expected a ${key}, got ${said}` };
  }
  if (!isByValue && !ruleIds.includes(String(rule))) {
    return {
      pointer: `${at}/rule`,
      message: `there is no rule ${JSON.stringify(rule)}`,
      next: nameAdvice(String(rule), ruleIds, "`mcpgen explain` lists the rules."),
    };
  }
  const { until } = entry;
  if (isDay(until)) return undefined;
  return {
    pointer: until === undefined ? at : `${at}/until`,
    message: `expected until to be a day, YYYY-MM-DD, got ${until === undefined ? "none" : JSON.stringify(until)}`,
    next: "Write the last day on which the approval is valid.",
  };
}

function unknownKey(object: JsonObject, known: readonly string[], at: string): Malformed | undefined {
  const key = Object.keys(object).find((each) => !known.includes(each));
  if (key === undefined) return undefined;
  const missing = known.filter((each) => !Object.hasOwn(object, each));
  return {
    pointer: pointer(at, key),
    message: `there is no key ${JSON.stringify(key)} here`,
    next: nameAdvice(key, missing, `The keys are ${known.join(", ")}.`),
  };
}

/** Whether a value is a calendar day. */
function isDay(value: JsonValue | undefined): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // `Date` reads February 31 as a day in March, so the text must round-trip.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** An approval with the fingerprint of a finding whose rule or subject it does not name. */
interface Mistaken {
  readonly approval: Approval;
  readonly finding: Finding;
}

/** How approvals apply to the findings of a run. */
export interface Approved {
  /** Valid approvals, by fingerprint. */
  readonly holding: ReadonlyMap<string, Approval>;
  readonly expired: readonly Approval[];
  readonly unused: readonly Approval[];
  /** Approvals whose rule or subject differs from the finding with their fingerprint. They are invalid. */
  readonly mistaken: readonly Mistaken[];
}

/** @param today YYYY-MM-DD */
export function applyApprovals(
  findings: readonly Finding[],
  approvals: readonly Approval[],
  today: string,
): Approved {
  const present = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const covered = (approval: Approval): readonly Finding[] =>
    approval.fingerprint === undefined
      ? findings.filter((finding) => isAbout(approval, finding))
      : [present.get(approval.fingerprint) ?? []].flat();
  const holding = new Map<string, Approval>();
  const [expired, unused, mistaken] = [[] as Approval[], [] as Approval[], [] as Mistaken[]];
  for (const approval of approvals) {
    const [finding, ...more] = covered(approval);
    if (!finding) unused.push(approval);
    else if (!isAbout(approval, finding)) mistaken.push({ approval, finding });
    else if (approval.until < today) expired.push(approval);
    else for (const { fingerprint } of [finding, ...more]) holding.set(fingerprint, approval);
  }
  return { holding, expired, unused, mistaken };
}

function isAbout({ rule, subject }: Approval, finding: Finding): boolean {
  return rule === finding.rule && subject === subjectText(finding.subject);
}

/** The line for the approvals file that approves a finding; reason and name must be added. */
export function approvalLine({ fingerprint, rule, subject }: Finding): string {
  return JSON.stringify({
    fingerprint,
    rule,
    subject: subjectText(subject),
    reason: "…",
    by: "…",
    until: "YYYY-MM-DD",
  });
}

const severities = ["breaking", "dangerous", "safe", "off"];

/** An invalid severity in a configuration. */
interface SeverityProblem {
  readonly rule: string;
  readonly message: string;
  /** Similar valid names. */
  readonly candidates: readonly string[];
}

/** Reads the severities of rules from a configuration. */
export function readSeverities(
  rules: Readonly<Record<string, unknown>>,
): Policy["severities"] | SeverityProblem {
  for (const [rule, severity] of Object.entries(rules)) {
    if (!ruleIds.includes(rule))
      return { rule, message: `there is no rule ${JSON.stringify(rule)}`, candidates: ruleIds };
    if (!severities.includes(severity as string)) {
      const message = `expected the severity of ${rule} to be one of ${severities.join(", ")}, got ${JSON.stringify(severity)}`;
      return { rule: String(severity), message, candidates: severities };
    }
  }
  return rules as Policy["severities"];
}

export function isSeverityProblem(read: Policy["severities"] | SeverityProblem): read is SeverityProblem {
  return "candidates" in read;
}
