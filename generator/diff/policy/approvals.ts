import { type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import type { Finding } from "../finding.js";
import { subjectText } from "../finding.js";

/** A finding that somebody looked at and accepts. */
export interface Approval {
  readonly fingerprint: string;
  readonly rule: string;
  /** For people: the fingerprint decides. */
  readonly subject: string;
  readonly reason: string;
  readonly by: string;
  /** The last day it holds, YYYY-MM-DD; without it, it holds for good. */
  readonly until?: string;
}

export const approvalsFile = "mcp-approvals.json";

/** What is wrong with an approvals file, and where. */
export interface Malformed {
  readonly pointer: string;
  readonly message: string;
}

/** The approvals that a file holds. */
export function parseApprovals(value: JsonValue): readonly Approval[] | Malformed {
  if (!isJsonObject(value) || value["format"] !== 1 || !Array.isArray(value["approvals"])) {
    return { pointer: "", message: 'expected { "format": 1, "approvals": [ … ] }' };
  }
  for (const [index, entry] of value["approvals"].entries()) {
    const message = problemOf(entry);
    if (message !== undefined) return { pointer: pointer("/approvals", index), message };
  }
  return value["approvals"] as unknown as Approval[];
}

function problemOf(entry: JsonValue): string | undefined {
  if (!isJsonObject(entry)) return "expected an object";
  for (const key of ["fingerprint", "rule", "subject", "reason", "by"]) {
    if (typeof entry[key] !== "string" || entry[key] === "") return `expected ${key} to be a text`;
  }
  const { until } = entry;
  const isDay = typeof until === "string" && /^\d{4}-\d{2}-\d{2}$/.test(until);
  return until === undefined || isDay ? undefined : "expected until to be a day, YYYY-MM-DD";
}

/** What approvals come to for the findings of a run. */
export interface Approved {
  /** Those that hold, by fingerprint. */
  readonly holding: ReadonlyMap<string, Approval>;
  readonly expired: readonly Approval[];
  readonly unused: readonly Approval[];
}

/** @param today YYYY-MM-DD */
export function applyApprovals(
  findings: readonly Finding[],
  approvals: readonly Approval[],
  today: string,
): Approved {
  const present = new Set(findings.map(({ fingerprint }) => fingerprint));
  const isExpired = ({ until }: Approval): boolean => until !== undefined && until < today;
  const used = approvals.filter(({ fingerprint }) => present.has(fingerprint));
  return {
    holding: new Map(
      used.filter((approval) => !isExpired(approval)).map((approval) => [approval.fingerprint, approval]),
    ),
    expired: used.filter(isExpired),
    unused: approvals.filter(({ fingerprint }) => !present.has(fingerprint)),
  };
}

/** The line of the approvals file that would approve a finding; reason and name are to be filled in. */
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
