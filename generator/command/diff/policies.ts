import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Project } from "../project.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import type { Policy } from "../../diff/finding.js";
import { type Approval, type Approved, approvalsFile, parseApprovals } from "../../diff/policy/approvals.js";
import { isSeverityProblem, readSeverities } from "../../diff/policy/severities.js";
import type { FailOn } from "../../diff/report/report.js";
import { loadJson } from "../../input/json-file.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { Finding } from "../../diagnostics/finding.js";
import { shownPath } from "../shown-path.js";

/** How findings are weighed: options win over the configuration. */
export function policyOf(args: Arguments, { loaded }: Project): Policy & { readonly failOn: FailOn } {
  const { readers, failOn, rules = {} } = loaded.config.diff ?? {};
  const severities = readSeverities(rules);
  if (isSeverityProblem(severities)) {
    const suggestion = closest(severities.rule, severities.candidates);
    throw new CodedError("MG3207", severities.message, {
      place: { ...(loaded.file !== undefined && { file: loaded.file }), pointer: "/diff/rules" },
      next: suggestion === undefined ? "`mcpgen explain` lists the rules." : `Did you mean ${suggestion}?`,
    });
  }
  return {
    readers: (args.string("readers") as Policy["readers"] | undefined) ?? readers ?? "open",
    failOn: (args.string("fail-on") as FailOn | undefined) ?? failOn ?? "breaking",
    severities,
  };
}

export interface ApprovalsInFile {
  readonly file: string;
  readonly approvals: readonly Approval[];
}

/** The approvals named on the command line, or those beside the configuration, if there are any. */
export async function loadApprovals(
  args: Arguments,
  { loaded }: Project,
  { directory }: CommandContext,
): Promise<ApprovalsInFile> {
  const named = args.string("approvals");
  const file = named === undefined ? join(loaded.folder, approvalsFile) : resolve(directory, named);
  if (named === undefined && !existsSync(file)) return { file, approvals: [] };
  const { value, text } = await loadJson(file);
  const approvals = parseApprovals(value);
  if (!("message" in approvals)) return { file, approvals };
  const { positionOf } = await import("../../input/positions.js");
  throw new CodedError("MG3205", approvals.message, {
    place: { file, pointer: approvals.pointer, ...positionOf(text, approvals.pointer) },
    next: "Correct the entry; the text report prints entries ready to be copied.",
  });
}

/** Approvals that approve nothing (any more). */
export function approvalWarnings(
  { expired, unused }: Approved,
  file: string,
  { directory }: CommandContext,
): Finding[] {
  const place = { file: shownPath(file, directory) };
  const about = ({ rule, subject, fingerprint }: Approval): string =>
    `${rule} on ${subject} (${fingerprint})`;
  return [
    ...expired.map((approval): Finding => ({
      code: "MG3204",
      severity: "warning",
      place,
      message: `the approval of ${about(approval)} expired on ${approval.until}`,
      next: "Look at the finding again; extend the approval or delete it.",
    })),
    ...unused.map((approval): Finding => ({
      code: "MG3203",
      severity: "warning",
      place,
      message: `the approval of ${about(approval)} matches no finding`,
      next: "Delete it.",
    })),
  ];
}

/** Fingerprints of the findings of an earlier report. */
export async function loadBaseline(
  args: Arguments,
  { directory }: CommandContext,
): Promise<ReadonlySet<string>> {
  const named = args.string("baseline");
  if (named === undefined) return new Set();
  const file = resolve(directory, named);
  const { value } = await loadJson(file);
  const findings: JsonValue | undefined = isJsonObject(value) ? value["findings"] : undefined;
  const fingerprints = Array.isArray(findings)
    ? findings.map((finding) => (isJsonObject(finding) ? finding["fingerprint"] : undefined))
    : [undefined];
  if (fingerprints.some((fingerprint) => typeof fingerprint !== "string")) {
    throw new CodedError("MG3206", "expected a report with fingerprints, as `--format json` prints it", {
      place: { file },
      next: "Make one with `mcpgen diff OLD NEW --format json`.",
    });
  }
  return new Set(fingerprints as string[]);
}
