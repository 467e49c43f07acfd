import { resolve } from "node:path";
import { generatedContracts, packageNameIn } from "../../config/config.js";
import type { Contract } from "../../contract/contract.js";
import type { Finding } from "../../diagnostics/coded-error.js";
import { type Report, withUses } from "../../diff/report/report.js";
import type { ProtocolModel } from "../../model/model.js";
import type { CommandContext } from "../command.js";
import type { Project, ProjectRun } from "../project.js";
import { shownPath } from "../../print/terminal-text.js";

/** What was compared. It decides which generated code can be affected. */
type Compared =
  | { readonly kind: "protocol"; readonly models: readonly [ProtocolModel, ProtocolModel] }
  | { readonly kind: "contract"; readonly old: Contract };

export interface ReportWithUses {
  readonly report: Report;
  readonly warnings: readonly Finding[];
}

/**
 * Adds to the report the places that use a changed part, in the code that `--uses` names. Without that
 * option, returns the report unchanged and does not load the TypeScript compiler.
 */
export async function reportUses(
  report: Report,
  compared: Compared,
  { args, project, context }: ProjectRun,
): Promise<ReportWithUses> {
  const named = args.string("uses");
  const onlyUsed = args.flag("only-used");
  if (named === undefined) return { report, warnings: [] };
  const shown = (file: string): string => shownPath(file, context.directory);
  context.console.progress(`looking through ${named}`);
  const { findUses } = await import("../../diff/uses/find-uses.js");
  const found = findUses(await targetsOf(report, compared), {
    path: resolve(context.directory, named),
    kind: compared.kind,
    compared: {
      models: compared.kind === "protocol" ? compared.models : [],
      findings: report.findings,
    },
    revisions: [report.from, report.to],
    contract: configuredOut(report, project, context),
    generated: generatedCode(project),
    shown,
  });
  const joined = withUses(report, found, { path: named, onlyUsed });
  return { report: joined, warnings: [...found.remarks, ...byNameWarning(found.byName)] };
}

async function targetsOf(report: Report, compared: Compared) {
  if (compared.kind === "contract") {
    const { contractTargets } = await import("../../diff/uses/targets.js");
    return contractTargets(report.findings, compared.old);
  }
  const { protocolTargets } = await import("../../diff/uses/targets.js");
  return protocolTargets(report.findings, compared.models);
}

function generatedCode({ loaded, outDir }: Project) {
  const { config, folder } = loaded;
  return {
    out: outDir,
    package: packageNameIn(config),
    contracts: generatedContracts(config).map(({ out }) => resolve(folder, out)),
  };
}

/** The output folder that the configuration names for one of the two contracts. */
function configuredOut(
  { from, to }: Report,
  { loaded }: Project,
  { directory }: CommandContext,
): string | undefined {
  const files = new Set([from, to].map((name) => resolve(directory, name)));
  const found = generatedContracts(loaded.config).find(({ file }) => files.has(resolve(loaded.folder, file)));
  return found && resolve(loaded.folder, found.out);
}

function byNameWarning(files: readonly string[]): Finding[] {
  const [first] = files;
  if (first === undefined) return [];
  const others = files.length === 1 ? "" : ` (and ${files.length - 1} more)`;
  return [
    {
      code: "MG3211",
      severity: "warning",
      message: `imports of generated code or of an SDK cannot be resolved${others}: uses are found by name only`,
      place: { file: first },
      next: "Install the packages, or run `mcpgen generate`, and compare again.",
    },
  ];
}
