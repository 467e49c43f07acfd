import { groupBy } from "@mcpgen/engine";
import {
  type Project,
  type OutputRequest,
  openProject,
  outputRoot,
  outputRequest,
  isContractsOnly,
  contractTargets,
} from "./project.js";
import { planOutput, planSet } from "../files/plan.js";
import { type FileSet, writeFileSets } from "../files/writer.js";
import { type Arguments, type CommandContext, type RunCommand, type Outcome, together } from "./command.js";
import { type Comparison, compareWithOutput, remember, inputState, trustsCache } from "./comparison.js";
import { firstLines, printable } from "../print/terminal-text.js";
import {
  completedFindings,
  conflictFindings,
  conflictOutcome,
  inputWarnings,
  planOutcome,
} from "./plan-report.js";
import type { Finding } from "../diagnostics/coded-error.js";
import type { LoadContract } from "../contract/read-contract.js";

export const generate: RunCommand = async (args, context) => {
  if (!args.flag("watch")) return generateProject(args, context);
  const { watch } = await import("./watch.js");
  const run = (once: CommandContext): Promise<Outcome> => generateProject(args, once);
  return watch(args, context, { run, readsOutput: args.flag("check") });
};

/**
 * Generates what the arguments ask for, and writes it.
 *
 * @param load reads a contract; by default from its file
 */
export async function generateProject(
  args: Arguments,
  context: CommandContext,
  load?: LoadContract,
): Promise<Outcome> {
  const project = await openProject(args, context, { renders: true });
  if (args.flag("check")) {
    const { checkAll } = await import("./check.js");
    return checkAll(contractTargets(args, project, context), { args, project, context });
  }
  const dryRun = args.flag("dry-run");
  const targets = contractTargets(args, project, context);
  const wanted = isContractsOnly(args, project, targets)
    ? undefined
    : outputRequest(args, project, context.directory);
  context.console.progress(`generating…`);
  const contracts =
    targets.length > 0
      ? await (await import("./contract-output.js")).planContracts(targets, { args, project, context }, load)
      : undefined;
  const protocol = wanted && (await planProtocol(wanted, args, project, context));
  const conflicts = [...(protocol?.conflicts ?? []), ...(contracts?.conflicts ?? [])];
  const [first, second] = [protocol, contracts].flatMap((plan) => (plan ? [plan.outcome] : []));
  const planned = second ? together(first!, second) : first!;
  const outcome: Outcome = {
    ...planned,
    findings: [...conflicts, ...(planned.findings ?? [])],
  };
  if (conflicts.length > 0) return { ...outcome, ...conflictOutcome(conflicts, context) };
  if (dryRun) return { ...outcome, summary: `${outcome.summary}; nothing was written (--dry-run)` };
  writeFileSets([...(contracts?.sets ?? []), ...(protocol ? [protocol.set()] : [])]);
  protocol?.remember();
  return outcome;
}

/** The plan of a run that generates from schemas. */
interface ProtocolPlan {
  readonly conflicts: readonly Finding[];
  readonly outcome: Outcome;
  /** The files to write; call it only if there are no conflicts. */
  readonly set: () => FileSet;
  /** Stores the result in the cache; call it after writing. */
  readonly remember: () => void;
}

async function planProtocol(
  wanted: OutputRequest,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<ProtocolPlan> {
  const force = args.flag("force");
  const root = outputRoot(project, project, context, force);
  const state = inputState(wanted, project, context.env, trustsCache(context.env));
  const comparison = await compareWithOutput(wanted, project.outDir, state, { ignoreManifest: force });
  report(comparison, context);
  const plan = planOutput(comparison.files, { force });
  const warnings = await inputWarnings(comparison.generated, wanted.request, project, context);
  return {
    conflicts: conflictFindings(plan, project, context),
    outcome: {
      findings: [...completedFindings(comparison, project, context), ...warnings],
      ...planOutcome(plan, comparison.generated, project, context),
    },
    set: () => planSet(root, plan, comparison.before, comparison.manifest),
    remember: () => remember(state, comparison, warnings, { inOrder: false }),
  };
}

/**
 * Prints the time of each part. If files changed, also prints facts that were assumed because schema and
 * notes do not state them.
 */
function report({ generated, files, manifestFile }: Comparison, { console }: CommandContext): void {
  const { read, emit, format } = generated.timings;
  console.detail(`read ${read.toFixed(0)} ms, emit ${emit.toFixed(0)} ms, format ${format.toFixed(0)} ms`);
  const { verbose } = console.settings;
  if (!verbose && [...files, manifestFile].every(({ state }) => state === "same")) return;
  const lines = assumptionLines(generated).map(printable);
  for (const line of firstLines(lines, verbose ? Infinity : 12, " (--verbose)")) console.note(line);
}

/** A line for each assumption. Revisions that share it share the line. */
function assumptionLines({ assumptions }: Comparison["generated"]): string[] {
  const byLine = groupBy(
    assumptions,
    ({ kind, subject, text }) => `assumed (${kind} of ${subject}): ${text}`,
  );
  return [...byLine].map(([line, same]) => `${line} [${same.map(({ revision }) => revision).join(", ")}]`);
}
