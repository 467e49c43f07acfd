import { resolve, basename } from "node:path";
import { pointer } from "@mcpgen/engine";
import { type ContractConfig, generatedContracts } from "../config/config.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { hasSchemas } from "../extension/extension-store.js";
import type { ContractRole } from "../contract/emit/names.js";
import { type Arguments, type CommandContext, type Outcome, repeatedWithout } from "./command.js";
import { isServerSource, shownSource } from "../capture/server-source.js";
import { type Project, type ProjectRun, refuseContradictions, refuseRoot, outputRoot } from "./project.js";
import { shellLine, shownPath, counted } from "../print/terminal-text.js";
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
import { packageVersion } from "../files/own-package.js";
import { compareManifest } from "./comparison.js";
import type { LoadContract } from "../contract/read-contract.js";
import { contractSha256 } from "../contract/contract.js";

/** A contract to generate from, and where to. */
export interface ContractTarget {
  readonly file: string;
  /** The file as messages call it. */
  readonly shown: string;
  readonly outDir: string;
  /** Whether the user named the output folder on the command line. */
  readonly isOutNamed: boolean;
  readonly role: ContractRole;
  /** Whether `format` is checked; it only describes without. */
  readonly formats?: "annotation" | "assertion";
  /** Folder that references to files may lead into. */
  readonly base?: string;
}

/** Options that ask for a part of the protocol's own output, and for nothing else. */
const protocolOptions = ["schema", "only"] as const;

/**
 * The contracts that a command is about: the one named, else those of the configuration.
 *
 * @throws CodedError MG2005 for options that do not go together, MG2103 for a folder that is taken
 */
export function contractTargets(
  args: Arguments,
  project: Project,
  context: CommandContext,
): ContractTarget[] {
  const named = args.string("contract");
  if (named === undefined) {
    for (const option of ["formats", "base"]) {
      if (args.string(option) !== undefined)
        throw new CodedError("MG2005", `--${option} needs --contract`, {
          next: `Name the contract file, too; or write ${option} beside it in the configuration.`,
        });
    }
    if (args.string("role") !== undefined)
      throw new CodedError("MG2005", "--role needs --contract", { next: "Name the contract file, too." });
    const asksForProtocol =
      protocolOptions.some((option) => args.string(option) !== undefined) || args.strings("revision");
    return asksForProtocol ? [] : configured(project, context);
  }
  refuseProtocolOptions(args);
  refuseContradictions(args);
  const { outDir } = project;
  refuseRoot(outDir);
  refuseServer(named);
  const file = resolve(context.directory, named);
  const role = (args.string("role") as ContractRole | undefined) ?? "both";
  const formats = args.string("formats") as ContractTarget["formats"];
  const base = args.string("base");
  return [
    {
      ...{ file, shown: shownPath(file, context.directory), outDir, isOutNamed: true, role },
      ...(formats && { formats }),
      ...(base !== undefined && { base: resolve(context.directory, base) }),
    },
  ];
}

function refuseProtocolOptions(args: Arguments): void {
  const other = [...protocolOptions, "name", "notes", "package"].find(
    (option) => args.string(option) !== undefined,
  );
  const clash = other ?? (args.strings("revision") ? "revision" : undefined);
  if (clash !== undefined) {
    throw new CodedError("MG2005", `--contract and --${clash} exclude each other`, {
      next: "Generate from the contract and from schemas in two runs.",
    });
  }
  if (args.string("out") === undefined)
    throw new CodedError("MG2005", "--contract needs --out", {
      next: "Say which folder the output is for: --out DIR.",
    });
}

/**
 * Refuses a server or standard input as a contract: `check` compares output with its contract later, and needs a file.
 */
function refuseServer(source: string): void {
  if (source !== "-" && !isServerSource(source)) return;
  throw new CodedError(
    "MG2004",
    `expected --contract to be a file, got ${JSON.stringify(shownSource(source))}`,
    {
      next:
        source === "-"
          ? "Write the contract to a file first."
          : `Capture it first: \`${shellLine(["mcpgen", "capture", shownSource(source), "--out", "FILE"])}\`.`,
    },
  );
}

function configured({ loaded, outDir, schemaDir }: Project, { directory }: CommandContext): ContractTarget[] {
  const { config, folder, file: configFile } = loaded;
  const generated = generatedContracts(config);
  const targets = generated.map(({ file, out, role, formats, base }): ContractTarget => {
    const path = resolve(folder, file);
    return {
      ...{ file: path, shown: shownPath(path, directory), outDir: resolve(folder, out), role },
      isOutNamed: false,
      ...(formats && { formats }),
      ...(base !== undefined && { base: resolve(folder, base) }),
    };
  });
  const protocol = hasSchemas(schemaDir) ? [outDir] : [];
  for (const [index, target] of targets.entries()) {
    refuseRoot(target.outDir);
    const others = [...protocol, ...targets.slice(0, index).map((other) => other.outDir)];
    if (!others.includes(target.outDir)) continue;
    throw new CodedError("MG2103", `expected a separate folder for ${target.shown}, got one that is in use`, {
      place: {
        ...(configFile !== undefined && { file: configFile }),
        pointer: pointer("", "contracts", config.contracts!.indexOf(generated[index]!), "out"),
      },
      next: "Write another folder; it may be a subfolder of the others.",
    });
  }
  return targets;
}

/** A contract of the configuration whose server is known. */
export type ServedContract = ContractConfig & { readonly server: string };

/** The contracts of the configuration that name their server. */
export function servedContracts({ loaded }: Project): ServedContract[] {
  return (loaded.config.contracts ?? []).filter(
    (contract): contract is ServedContract => contract.server !== undefined,
  );
}

/** The plan of a run that generates from contracts. */
interface ContractPlans {
  readonly conflicts: readonly Finding[];
  /** The result, for people and for programs. */
  readonly outcome: Outcome;
  /** What is to be written. */
  readonly sets: readonly FileSet[];
}

/**
 * Plans the output of each contract; all of it is planned before anything is written.
 *
 * @param load reads a contract; without, it is read from its file
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

/** How the output of contracts differs from what would be generated. */
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

/** The output of a contract compared with the files in its folder. */
interface ContractComparison {
  readonly target: ContractTarget;
  readonly files: readonly ComparedFile[];
  /** The manifest of the last run. */
  readonly before: Manifest | undefined;
  readonly manifest: Manifest;
  readonly manifestFile: ComparedFile;
  /** The parts of the contract that the output leaves out. */
  readonly warnings: readonly Finding[];
}

interface ReadOptions {
  /** An unreadable manifest is as good as none. */
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

/** A project of contracts needs no schema folder. */
export function isContractsOnly(
  args: Arguments,
  { schemaDir }: Project,
  targets: readonly ContractTarget[],
): boolean {
  if (targets.length === 0) return false;
  return args.string("contract") !== undefined || !hasSchemas(schemaDir);
}
