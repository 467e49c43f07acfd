import type { Finding as Difference } from "../../diff/finding.js";
import { type ExtensionDifferences, diffExtensions } from "../../diff/extension/diff-extensions.js";
import { brokenChannel } from "../../diff/extension/channel-changes.js";
import type { Report, ReportedFinding } from "../../diff/report/report.js";
import type { Approved } from "../../diff/policy/approvals.js";
import type { Finding } from "../../diagnostics/finding.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { Project } from "../project.js";
import { type ExtensionSide, ExtensionSides, isExtensionName } from "./extension-source.js";
import { lineFinder } from "./lines.js";
import { type Evaluation, evaluate } from "./report.js";

/** A comparison of two versions of an extension. */
export interface ComparedExtensions {
  readonly report: Report;
  readonly approved: Approved;
  /** The rule that a breaking change needs another id, where it is broken. */
  readonly findings: readonly Finding[];
}

/**
 * Compares two versions of an extension, or one with a file; undefined where neither name is that of an extension.
 *
 * @throws CodedError MG2005 for options that are about revisions or contracts
 */
export async function compareExtensions(
  names: readonly [string, string],
  { schemaDir }: Project,
  evaluation: Evaluation,
  args: Arguments,
  context: CommandContext,
): Promise<ComparedExtensions | undefined> {
  const known = names.map((name) => isExtensionName(schemaDir, name));
  if (!known.includes(true)) return undefined;
  const stray = ["for", "uses"].find((option) => args.given(option));
  if (stray !== undefined)
    throw new CodedError("MG2005", `--${stray} is not about extensions`, { next: "Leave it out." });
  const sides = new ExtensionSides(schemaDir, context);
  const [first, second] = names;
  if (known.every(Boolean))
    return compareSides(await sides.stored(first), await sides.stored(second), evaluation);
  if (known[0]) {
    const old = await sides.stored(first);
    return compareSides(old, await sides.published(second, old.stored), evaluation);
  }
  const next = await sides.stored(second);
  return compareSides(await sides.published(first, next.stored), next, evaluation);
}

/** Compares two versions over every base that both have. */
export function compareSides(
  old: ExtensionSide,
  next: ExtensionSide,
  evaluation: Evaluation,
): ComparedExtensions {
  const compared = diffExtensions(old.models, next.models, evaluation.policy);
  const { report, approved } = evaluate(compared.differences, evaluation, {
    ...{ from: old.name, to: next.name },
    placesOf: placesIn(old, next),
    notes: [`Compared over ${compared.compared.join(", ") || "no base: the versions share none"}.`],
  });
  return { report, approved, findings: sameIdFindings(old, next, compared, report) };
}

function placesIn(old: ExtensionSide, next: ExtensionSide): (finding: Difference) => ReportedFinding["at"] {
  const [oldLine, newLine] = [lineFinder(old.file), lineFinder(next.file)];
  return ({ pointers }) => ({
    old: pointers.old === null ? null : { file: old.shown, line: oldLine(pointers.old) },
    new: pointers.new === null ? null : { file: next.shown, line: newLine(pointers.new) },
  });
}

/** SEP-2133: a breaking change must use a new identifier. Versions that are no drafts hold others to it. */
function sameIdFindings(
  old: ExtensionSide,
  next: ExtensionSide,
  compared: ExtensionDifferences,
  report: Report,
): Finding[] {
  const { id, status } = old.source.about;
  if (id !== next.source.about.id) return [];
  const broken = report.findings.filter(({ worst, approval }) => worst === "breaking" && !approval).length;
  const reasons = [
    ...(broken > 0 ? [`${broken} breaking ${broken === 1 ? "change" : "changes"}`] : []),
    ...compared.dropped.map((base) => `the base ${base} is gone`),
    ...(["client", "server"] as const).flatMap((side) => {
      const [before, after] = [old.source.about.declared[side], next.source.about.declared[side]];
      return before === undefined || before === after ? [] : [`the ${side} declares it elsewhere`];
    }),
    ...brokenChannel(old.source, next.source),
  ];
  if (reasons.length === 0) return [];
  const message = `extension-breaking-same-id: ${reasons.join(", ")}, and the id is still ${id} (SEP-2133: breaking changes must use a new identifier)`;
  const finding = { code: "MG1311", message, place: { file: next.shown } } as const;
  const advice = `Give the new version another id, e.g. ${id}-v2, or take the change back.`;
  return [
    status === "draft"
      ? { ...finding, severity: "warning", next: `${advice} ${old.name} is a draft, so this is a warning.` }
      : { ...finding, severity: "error", next: advice },
  ];
}
