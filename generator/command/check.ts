import { join, resolve } from "node:path";
import {
  type Project,
  type ProjectRun,
  type OutputRequest,
  type ContractTarget,
  openProject,
  outputRequest,
  servedContracts,
  isContractsOnly,
  contractTargets,
  asksForRevision,
} from "./project.js";
import { type CachedRun } from "../files/cache.js";
import { listOutput, manifestFile } from "../files/plan.js";
import { type Finding, CodedError, findingOfError } from "../diagnostics/coded-error.js";
import { contentSha256, readRegularFile } from "../files/regular-file.js";
import { extensionKey, hasSchemas, verifyExtensions } from "../extension/extension-store.js";
import { verifyStore } from "../revision/stored-schema.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  repeatedWithout,
  restoring,
  together,
  serverOptionDefinitions,
} from "./command.js";
import { counted, shownPath } from "../print/terminal-text.js";
import { compareWithOutput, inputState, remember, trustsCache } from "./comparison.js";
import { checkContracts } from "./contract-output.js";

export const check: RunCommand = async (args, context) => {
  if (!args.flag("watch")) return checkOnce(args, context);
  const { watch } = await import("./watch.js");
  return watch(args, context, { run: (once) => checkOnce(args, once), readsOutput: true });
};

async function checkOnce(args: Arguments, context: CommandContext): Promise<Outcome> {
  const project = await openProject(args, context, { renders: true });
  if (args.string("upstream") !== undefined) return upstream(args, project, context);
  if (args.string("server") !== undefined) return server(args, project, context);
  const served = args.flag("offline") ? [] : servedContracts(project);
  const serverOnly = serverOnlyOptions.find(
    (name) => args.given(name) && !(served.length > 0 && forConfigured.has(name)),
  );
  if (serverOnly !== undefined) throw needsServer(`--${serverOnly}`);
  if (args.string("revision") !== undefined || args.string("format") === "markdown") {
    const option = args.string("revision") === undefined ? "--format markdown" : "--revision";
    throw new CodedError("MG2005", `${option} needs --upstream`, {
      next: "Name the published file, too: --upstream FILE.",
    });
  }
  expectNoPage(args);
  const targets = contractTargets(args, project, context);
  const outcome = isServersOnly(args, project, targets)
    ? await readContracts(project, context)
    : await checkAll(targets, { args, project, context }, { handlers: true });
  if (served.length === 0) return outcome;
  const { checkConfiguredServers } = await import("./check/server.js");
  return together(outcome, await checkConfiguredServers(served, args, project, context));
}

/**
 * Options that servers of the configuration share. `--header` is not among them: a header may hold a secret
 * meant for one server.
 */
const forConfigured: ReadonlySet<string> = new Set(["fail-on", "approvals", "timeout", "env", "input"]);

const serverOnlyOptions = ["contract", "fail-on", "approvals", ...Object.keys(serverOptionDefinitions)];

/**
 * Checks the output of schemas and of contracts, whichever the project has.
 *
 * @param options `handlers`: also checks the handlers of servers against their contracts
 */
export async function checkAll(
  targets: readonly ContractTarget[],
  run: ProjectRun,
  { handlers = false } = {},
): Promise<Outcome> {
  const { args, project, context } = run;
  const protocol = isContractsOnly(args, project, targets)
    ? undefined
    : await checkOutput(outputRequest(args, project, context.directory), project, context, {
        full: args.flag("full"),
      });
  if (targets.length === 0) return protocol!;
  const contracts = handlers
    ? await (await import("./check/contracts.js")).checkConfigured(targets, run)
    : await checkContracts(targets, run);
  return protocol ? together(protocol, contracts) : contracts;
}

/**
 * Whether the project generates nothing and only compares contracts with their servers. It then needs no
 * schema folder.
 */
function isServersOnly(
  args: Arguments,
  { loaded, schemaDir }: Project,
  targets: readonly ContractTarget[],
): boolean {
  const hasContracts = (loaded.config.contracts ?? []).length > 0;
  return targets.length === 0 && hasContracts && !asksForRevision(args) && !hasSchemas(schemaDir);
}

/** @throws CodedError for a contract that cannot be read */
async function readContracts({ loaded }: Project, { directory }: CommandContext): Promise<Outcome> {
  const { loadContract } = await import("../contract/read-contract.js");
  const files = (loaded.config.contracts ?? []).map(({ file }) => resolve(loaded.folder, file));
  for (const file of files) await loadContract(file, shownPath(file, directory));
  return { summary: `${counted(files.length, "contract")}, from which nothing is generated` };
}

/** @throws CodedError MG2005 for `--format html` without `--server` */
function expectNoPage(args: Arguments): void {
  if (args.string("format") === "html") throw needsServer("--format html");
}

function needsServer(option: string): CodedError {
  return new CodedError("MG2005", `${option} needs --server`, {
    next: "Name the server, too: --server http(s)://… or stdio:COMMAND ….",
  });
}

async function upstream(args: Arguments, project: Project, context: CommandContext): Promise<Outcome> {
  expectNoPage(args);
  const { checkExtensionUpstream, checkUpstream } = await import("./check/upstream.js");
  return (args.given("extension") ? checkExtensionUpstream : checkUpstream)(args, project, context);
}

async function server(args: Arguments, project: Project, context: CommandContext): Promise<Outcome> {
  if (args.string("format") === "markdown") {
    throw new CodedError("MG2005", "--server and --format markdown exclude each other", {
      next: "Leave one of them out; `mcpgen diff CONTRACT SERVER` prints in every format.",
    });
  }
  const { checkServer } = await import("./check/server.js");
  return checkServer(args, project, context);
}

/**
 * Compares the schemas with the lock, and the output with what its inputs generate. Writes to neither folder.
 */
async function checkOutput(
  wanted: OutputRequest,
  project: Project,
  context: CommandContext,
  { full }: { readonly full: boolean },
): Promise<Outcome> {
  const trust = !full && trustsCache(context.env);
  const state = inputState(wanted, project, context.env, trust);
  if (state.cached?.inOrder && state.cached.key === state.key && isAsPlanned(project, state.cached)) {
    context.console.detail("nothing changed since the last complete run (--full generates everything)");
    return clean(state.cached.warnings as readonly Finding[], wanted);
  }
  // Load the report only if something may have changed.
  const { drift, inputWarnings, mendOf } = await import("./plan-report.js");
  const schemas = relativeTo(context.directory, [
    ...(await verifyStore(project.schemaDir)),
    ...(await verifyExtensions(project.schemaDir)),
  ]);
  const comparison = await compareWithOutput(wanted, project.outDir, state).catch((error: unknown) => {
    // An edited schema may be impossible to generate from. The edit is then the finding to report.
    if (error instanceof CodedError && schemas.length > 0) return error;
    throw error;
  });
  if (comparison instanceof CodedError) return unreadable(comparison, schemas, context);
  const findings = [...schemas, ...(await drift(comparison, project, context))];
  const warnings = await inputWarnings(comparison.generated, wanted.request, project, context);
  if (findings.length === 0) {
    remember(state, comparison, warnings, { inOrder: true });
    return clean(warnings, wanted);
  }
  const command = repeatedWithout(context.words, ["--check", "--full"], "generate");
  return {
    findings: [...findings, ...warnings],
    summary: counted(findings.length, "finding"),
    mend: mendOf({ files: comparison.files, schemas }, command, project, context),
  };
}

function unreadable(error: CodedError, schemas: readonly Finding[], { directory }: CommandContext): Outcome {
  const findings = relativeTo(directory, [findingOfError(error)]);
  return {
    findings: [...schemas, ...findings],
    summary: "nothing can be generated",
    mend: restoring(schemas),
  };
}

function clean(warnings: readonly Finding[], { request }: OutputRequest): Outcome {
  const { sources, kept = [], basePackage, extensions = [] } = request;
  const emitted = basePackage === undefined ? sources : [];
  const revisions = emitted.map(({ revision }) => revision).filter((revision) => !kept.includes(revision));
  const names = revisions.length > 0 ? revisions : extensions.map(extensionKey);
  return {
    findings: warnings,
    summary: `${names.join(", ")}: schemas equal the lock, output is up to date`,
    data: { revisions, extensions: extensions.map(extensionKey) },
  };
}

/** Whether the folder holds exactly the files of the cached run. */
function isAsPlanned(project: Project, { planned }: CachedRun): boolean {
  const { outDir } = project;
  const present = listOutput(outDir).filter((path) => path !== manifestFile);
  if (present.some((path) => !Object.hasOwn(planned, path))) return false;
  try {
    return Object.entries(planned).every(
      ([path, hash]) => contentSha256(readRegularFile(join(outDir, path))) === hash,
    );
  } catch {
    return false;
  }
}

function relativeTo(directory: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) =>
    finding.place?.file === undefined
      ? finding
      : { ...finding, place: { ...finding.place, file: shownPath(finding.place.file, directory) } },
  );
}
