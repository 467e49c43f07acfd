import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import type { Project } from "../project.js";
import { type Finding, type WarningFinding, CodedError } from "../../diagnostics/coded-error.js";
import { nameAdvice } from "../../diagnostics/suggest.js";
import { type Finding as Difference, type Policy, subjectText } from "../../diff/finding.js";
import {
  type Approval,
  type Approved,
  applyApprovals,
  approvalsFile,
  parseApprovals,
  isSeverityProblem,
  readSeverities,
} from "../../diff/policy/approvals.js";
import type { FailOn } from "../../diff/report/report.js";
import { loadJson } from "../../files/json-file.js";
import type { Arguments, CommandContext } from "../command.js";
import { shownPath } from "../../print/terminal-text.js";
import type { Evaluation } from "./report.js";

/** How to weigh findings. Options override the configuration. */
export function policyOf(
  args: Arguments,
  { loaded }: Pick<Project, "loaded">,
): Policy & { readonly failOn: FailOn } {
  const { readers, failOn, rules = {} } = loaded.config.diff ?? {};
  const severities = readSeverities(rules);
  if (isSeverityProblem(severities)) {
    throw new CodedError("MG3207", severities.message, {
      place: { ...(loaded.file !== undefined && { file: loaded.file }), pointer: "/diff/rules" },
      next: nameAdvice(severities.rule, severities.candidates, "`mcpgen explain` lists the rules."),
    });
  }
  return {
    readers: (args.string("readers") as Policy["readers"] | undefined) ?? readers ?? "open",
    failOn: (args.string("fail-on") as FailOn | undefined) ?? failOn ?? "breaking",
    severities,
  };
}

/** An evaluation for both roles with the approvals of a file, which compares with no earlier report. */
export function evaluationBy(
  { approvals }: Pick<ApprovalsInFile, "approvals">,
  policy: Evaluation["policy"],
): Evaluation {
  const approvalsOf = (differences: readonly Difference[]): Approved =>
    applyApprovals(differences, approvals, today());
  return { policy, role: "both", baseline: new Set(), approvalsOf };
}

/**
 * An evaluation for information only: breaking changes do not change the exit code, and no approvals apply.
 */
export function informing(args: Arguments, project: Pick<Project, "loaded">): Evaluation {
  return evaluationBy({ approvals: [] }, { ...policyOf(args, project), failOn: "never" });
}

export interface ApprovalsInFile {
  readonly file: string;
  readonly approvals: readonly Approval[];
  /** The content of the file; absent if there is no file. */
  readonly text?: string;
}

/** The approvals in the named file, else in the file beside the configuration if it exists. */
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
  if (!("message" in approvals)) return { file, approvals, text };
  const { positionOf } = await import("../../files/json-file.js");
  throw new CodedError("MG3205", approvals.message, {
    place: { file, pointer: approvals.pointer, ...positionOf(text, approvals.pointer) },
    next: approvals.next ?? "Correct the entry; the text report prints entries to complete.",
  });
}

/** Today's local date, YYYY-MM-DD. Approvals expire by day. */
function today(): string {
  const now = new Date();
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** Warnings about approvals that match no finding, each with the place of the approval. */
export async function approvalWarnings(
  { expired, unused, mistaken }: Approved,
  { file, approvals, text }: ApprovalsInFile,
  { directory }: CommandContext,
): Promise<Finding[]> {
  if (text === undefined || expired.length + unused.length + mistaken.length === 0) return [];
  const { positionOf } = await import("../../files/json-file.js");
  const shown = shownPath(file, directory);
  const warning = (code: WarningFinding["code"], approval: Approval, said: string, next: string): Finding => {
    const at = pointer("/approvals", approvals.indexOf(approval));
    const { rule, subject, fingerprint } = approval;
    const which = fingerprint === undefined ? "any value" : fingerprint;
    return {
      code,
      severity: "warning",
      place: { file: shown, pointer: at, ...positionOf(text, at) },
      message: `the approval of ${rule} on ${subject} (${which}) ${said}`,
      next,
    };
  };
  return [
    ...expired.map((approval) =>
      warning(
        "MG3204",
        approval,
        `expired on ${approval.until}`,
        "Review the finding; extend the approval or delete it.",
      ),
    ),
    ...mistaken.map(({ approval, finding }) =>
      warning(
        "MG3203",
        approval,
        `is not valid: its fingerprint is that of ${finding.rule} on ${subjectText(finding.subject)}`,
        "Review that finding; correct the entry or delete it.",
      ),
    ),
    ...unused.map((approval) => warning("MG3203", approval, "matches no finding", "Delete it.")),
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
      next: "Write one with `mcpgen diff OLD NEW --format json`.",
    });
  }
  return new Set(fingerprints as string[]);
}
