import type { Finding } from "../../diagnostics/finding.js";
import { cacheFile, readCached, writeCached } from "../../files/cache.js";
import { generatorFingerprint } from "../../files/fingerprint.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { ContractTarget } from "../contracts/targets.js";
import { counted } from "../../print/counted.js";
import { trustsCache } from "../input-state.js";
import { type Outcome, exitCodeOf } from "../outcome.js";
import type { Project } from "../project.js";
import { repeatedWithout } from "../repeated.js";
import { userFiles } from "../sync/user-files.js";
import { type ContractInputs, contractInputs, fingerprintsOf } from "./contract-inputs.js";

/** The state of the last run that found no fault. */
interface CachedCheck {
  readonly format: 1;
  /** Hash of mcpgen and of every input that is known before anything is read. */
  readonly key: string;
  /** Hash of each file that turned out to matter besides. */
  readonly read: Readonly<Record<string, string>>;
  readonly outcome: Outcome;
}

/**
 * How the output of the configured contracts differs from what would be generated, and the handlers of their servers from
 * the contracts. Where nothing changed since all was in order, the last run's answer is given.
 *
 * @param generator hash of mcpgen; without it nothing is cached
 */
export async function checkConfigured(
  args: Arguments,
  targets: readonly ContractTarget[],
  project: Project,
  context: CommandContext,
  generator = generatorFingerprint(),
): Promise<Outcome> {
  const files = userFiles(project.loaded.folder, new Set(targets.map(({ outDir }) => outDir)));
  const state = { args, targets, project, context, files };
  const key = generator === undefined ? undefined : contractInputs(state, generator);
  const place = cacheFile(context.env, `contracts of ${project.loaded.folder}`);
  const trust = key !== undefined && !args.flag("full") && trustsCache(context.env);
  const cached = trust ? readCached<CachedCheck>(place, 1) : undefined;
  if (cached?.key === key && cached && isAsRead(cached.read)) {
    context.console.detail("nothing changed since the last complete run (--full checks everything)");
    return cached.outcome;
  }
  const { outcome, read } = await checkUncached(state);
  if (key !== undefined && exitCodeOf(outcome) === 0)
    writeCached<CachedCheck>(place, { format: 1, key, read: fingerprintsOf(read), outcome });
  return outcome;
}

function isAsRead(read: CachedCheck["read"]): boolean {
  const now = fingerprintsOf(Object.keys(read));
  return Object.entries(read).every(([path, hash]) => now[path] === hash);
}

interface Checked {
  readonly outcome: Outcome;
  /** Files besides those of the project that decided it. */
  readonly read: readonly string[];
}

async function checkUncached({ args, targets, project, context, files }: ContractInputs): Promise<Checked> {
  // The generator is loaded only when an input may have changed.
  const { checkContracts } = await import("../contracts/run.js");
  const { moduleKinds } = await import("./module-kind.js");
  const modules = moduleKinds(targets, context);
  const checked = await checkContracts(targets, args, project, context);
  const output = { ...checked, findings: [...(checked.findings ?? []), ...modules.findings] };
  const { serverContracts } = await import("../sync/server-contracts.js");
  const contracts = files.code.length === 0 ? [] : await serverContracts(project, context);
  if (contracts.length === 0) return { outcome: output, read: modules.read };
  // It loads the compiler, which only projects with a server need.
  const { missingFindings, readHandlers } = await import("../sync/handlers.js");
  const report = await readHandlers(files.code, contracts, project, context);
  const missing = report.files.flatMap(missingFindings);
  const handlers = report.files.filter(({ anchored }) => anchored.length > 0).map(({ file }) => file);
  const findings = [...report.findings, ...missing];
  return {
    outcome: withHandlers(output, findings, missing.length > 0, handlers, context),
    read: [...modules.read, ...report.read],
  };
}

/** Both as one. Contracts that nothing has to do with are no finding: their servers may be written elsewhere. */
function withHandlers(
  output: Outcome,
  found: readonly Finding[],
  isMissing: boolean,
  handlers: readonly string[],
  { words }: CommandContext,
): Outcome {
  const findings = [...(output.findings ?? []), ...found];
  const errors = findings.filter(({ severity }) => severity === "error");
  const complete =
    handlers.length === 0 || found.length > 0
      ? ""
      : `, handlers in ${counted(handlers.length, "file")} fit it`;
  const mend = output.mend ?? (isMissing ? repeatedWithout(words, ["--full"], "sync") : undefined);
  return {
    ...output,
    findings,
    summary: errors.length === 0 ? `${output.summary}${complete}` : counted(findings.length, "finding"),
    ...(mend !== undefined && { mend }),
    data: { ...output.data, handlers },
  };
}
