import { basename } from "node:path";
import type { Finding } from "../diagnostics/coded-error.js";
import { type Outcome, repeatedWithout } from "./command.js";
import { type Project, type ProjectRun, type ContractTarget, outputRoot } from "./project.js";
import { counted } from "../print/terminal-text.js";
import {
  type PlannedFile,
  type ComparedFile,
  type Manifest,
  planOutput,
  planSet,
  recordedFiles,
  compareOutput,
  manifestText,
  readManifest,
  readableManifest,
} from "../files/plan.js";
import type { FileSet } from "../files/writer.js";
import { packageVersion } from "../files/regular-file.js";
import { compareManifest } from "./comparison.js";
import type { LoadContract } from "../contract/read-contract.js";
import { contractSha256 } from "../contract/contract.js";

/** The plan of a run that generates from contracts. */
interface ContractPlans {
  readonly conflicts: readonly Finding[];
  /** The result for people and programs. */
  readonly outcome: Outcome;
  /** The files to write. */
  readonly sets: readonly FileSet[];
}

/**
 * Plans the output of each contract. Nothing is written until all plans are complete.
 *
 * @param load reads a contract; by default from its file
 */
export async function planContracts(
  targets: readonly ContractTarget[],
  { args, project, context }: ProjectRun,
  load?: LoadContract,
): Promise<ContractPlans> {
  const { completedFindings, conflictFindings, planCounts, planSteps } = await import("./plan-report.js");
  const force = args.flag("force");
  const roots = targets.map((target) => outputRoot(target, project, context, force));
  const planned: (readonly [ContractComparison, PlannedFile[]])[] = [];
  for (const comparison of await compareAll(targets, project, { ignoreManifest: force, load }))
    planned.push([comparison, planOutput(comparison.files, { force })]);
  const steps = planned
    .map(([{ target }, plan]) => planSteps(plan, target.outDir, context.directory))
    .filter((text) => text !== "");
  const conflicts = planned.flatMap(([{ target }, plan]) => conflictFindings(plan, target, context));
  return {
    conflicts,
    outcome: {
      findings: planned.flatMap(([comparison]) => [
        ...completedFindings(comparison, comparison.target, context),
        ...comparison.warnings,
      ]),
      ...(steps.length > 0 && { steps: steps.join("\n") }),
      summary: planned.map(([{ target }, plan]) => `${target.shown}: ${planCounts(plan)}`).join("; "),
      data: {
        contracts: planned.map(([{ target }, plan]) => ({
          file: target.shown,
          files: plan.map(({ path, action, before, after }) => ({ path, action, before, after })),
        })),
      },
    },
    sets:
      conflicts.length > 0
        ? []
        : planned.map(([{ before, manifest }, plan], index) =>
            planSet(roots[index]!, plan, before, manifest),
          ),
  };
}

/** Compares the output of contracts with what would be generated. */
export async function checkContracts(
  targets: readonly ContractTarget[],
  { project, context }: ProjectRun,
): Promise<Outcome> {
  const { drift, mendOf } = await import("./plan-report.js");
  const compared = await compareAll(targets, project, { ignoreManifest: false });
  const drifts: Finding[][] = [];
  for (const comparison of compared) drifts.push(await drift(comparison, comparison.target, context));
  const findings = drifts.flat();
  const warnings = compared.flatMap((comparison) => comparison.warnings);
  const data = { contracts: targets.map(({ shown }) => shown) };
  if (findings.length === 0) {
    const names = targets.map(({ shown }) => shown).join(", ");
    return { findings: warnings, summary: `${names}: output is up to date`, data };
  }
  const command = repeatedWithout(context.words, ["--check", "--full"], "generate");
  const changed = compared[drifts.findIndex((found) => found.length > 0)]!;
  return {
    findings: [...findings, ...warnings],
    summary: counted(findings.length, "finding"),
    mend: mendOf(changed, command, changed.target, context),
    data,
  };
}

async function compareAll(
  targets: readonly ContractTarget[],
  project: Project,
  options: ReadOptions,
): Promise<ContractComparison[]> {
  const compared: ContractComparison[] = [];
  for (const target of targets) compared.push(await compareContract(target, project, options));
  return compared;
}

/** Compares the output of a contract with the files in its folder. */
interface ContractComparison {
  readonly target: ContractTarget;
  readonly files: readonly ComparedFile[];
  /** The manifest that the last run wrote. */
  readonly before: Manifest | undefined;
  readonly manifest: Manifest;
  readonly manifestFile: ComparedFile;
  /** Parts of the contract that the output omits. */
  readonly warnings: readonly Finding[];
}

interface ReadOptions {
  /** Treat an unreadable manifest as absent. */
  readonly ignoreManifest: boolean;
  /** Reads the contract. Default: from its file. */
  readonly load?: LoadContract | undefined;
}

/**
 * Generates from a contract, and compares the result with its folder. Writes nothing.
 *
 * @throws CodedError for a contract that cannot be generated from
 */
async function compareContract(
  target: ContractTarget,
  { importExtension, templatesDir }: Project,
  { ignoreManifest, load }: ReadOptions,
): Promise<ContractComparison> {
  const { file, shown, outDir, role, formats, base } = target;
  const read = load ?? (await import("../contract/read-contract.js")).loadContract;
  const { generateContract, withLocalReferences } = await import("../pipeline/generate-contract.js");
  const written = await read(file, shown);
  const document = base === undefined ? written : await withLocalReferences(written, base);
  const { files, warnings } = await generateContract({
    document,
    role,
    importExtension,
    ...(formats && { formats }),
    ...(templatesDir !== undefined && { templatesDir }),
  });
  const before = ignoreManifest ? readableManifest(outDir) : readManifest(outDir);
  const manifest: Manifest = {
    generator: packageVersion(),
    options: {
      importExtension,
      role,
      ...(formats === "assertion" && { formats }),
      ...(templatesDir !== undefined && { templates: true }),
    },
    shared: {},
    inputs: { contract: { [basename(file)]: contractSha256(document.contract) } },
    files: recordedFiles(files, before, () => false),
  };
  return {
    target,
    files: compareOutput(outDir, files, before, () => false),
    before,
    manifest,
    manifestFile: compareManifest(outDir, manifestText(manifest)),
    warnings,
  };
}
