import { relevantTo } from "../../diff/contract/for-contract.js";
import { diffModels } from "../../diff/diff-models.js";
import type { Finding as Difference, Policy } from "../../diff/finding.js";
import type { Approved } from "../../diff/policy/approvals.js";
import {
  type FailOn,
  type Report,
  type ReportOptions,
  type ReportedFinding,
  reportOf,
} from "../../diff/report/report.js";
import type { Published } from "../../diff/walk/files.js";
import type { ContractSource } from "../contract-source.js";
import { lineFinder } from "./lines.js";
import type { Source } from "./source.js";

/** How findings are evaluated, and for which role. */
export interface Evaluation {
  readonly policy: Policy & { readonly failOn: FailOn };
  readonly role: Report["role"];
  readonly baseline: ReportOptions["baseline"];
  readonly approvalsOf: (differences: readonly Difference[]) => Approved;
  /** Set if both sources are of one revision. */
  readonly published?: Published | undefined;
  /** Restricts the report to differences that affect this contract's server. */
  readonly contract?: ContractSource | undefined;
}

/** The report of a comparison, and its approved findings. */
export interface Evaluated {
  readonly report: Report;
  readonly approved: Approved;
}

/** Evaluates differences between protocols or contracts. */
export function evaluate(
  differences: readonly Difference[],
  { policy, role, baseline, approvalsOf }: Evaluation,
  options: Pick<ReportOptions, "from" | "to" | "placesOf" | "notes" | "isPartial">,
): Evaluated {
  const approved = approvalsOf(differences);
  const { readers, failOn } = policy;
  return {
    report: reportOf(differences, { ...options, role, readers, failOn, approved, baseline }),
    approved,
  };
}

/** Compares two sources and evaluates the findings, with their lines in both files. */
export function compareSources(old: Source, next: Source, evaluation: Evaluation): Evaluated {
  const { policy, published, contract } = evaluation;
  const models = [old.loaded.model, next.loaded.model] as const;
  const all = diffModels(...models, policy, {
    old: old.dialect,
    new: next.dialect,
    ...(published && { published }),
  });
  const differences = contract ? relevantTo(all, models, contract.contract) : all;
  return evaluate(differences, evaluation, {
    from: old.name,
    to: next.name,
    placesOf: placesIn(old, next, differences),
    notes: [
      ...(contract
        ? [`Only what a server of ${contract.name} can meet: ${differences.length} of ${all.length}.`]
        : []),
      ...notesOn(old, next),
    ],
  });
}

function placesIn(
  old: Source,
  next: Source,
  differences: readonly Difference[],
): (finding: Difference) => ReportedFinding["at"] {
  if (differences.length === 0) return () => ({ old: null, new: null });
  const [oldLine, newLine] = [lineFinder(old.file), lineFinder(next.file)];
  return ({ pointers }) => ({
    old: pointers.old === null ? null : { file: old.shown, line: oldLine(pointers.old) },
    new: pointers.new === null ? null : { file: next.shown, line: newLine(pointers.new) },
  });
}

/** Notes on what the comparison assumed or left out. */
function notesOn(old: Source, next: Source): string[] {
  const notes: string[] = [];
  for (const { name, withoutNotes, loaded } of [old, next]) {
    if (!withoutNotes) continue;
    const assumed = loaded.assumptions.length;
    notes.push(
      `${name} is read without notes; ${assumed} ${assumed === 1 ? "thing was" : "things were"} assumed from the schema alone.`,
    );
  }
  if (![old, next].every(hasProse)) notes.push("Descriptions were not compared: not both schemas have them.");
  return [...notes, "Not visible in a schema: HTTP headers, transports, authorization."];
}

function hasProse({ loaded }: Source): boolean {
  return [...loaded.model.schema.definitions.values()].some(({ node }) => node.description !== undefined);
}
