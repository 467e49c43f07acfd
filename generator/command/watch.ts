import { dirname, resolve } from "node:path";
import { interruption } from "../capture/interruption.js";
import { WatchedFiles } from "../dev/watched-files.js";
import { type Finding, CodedError, findingOfError } from "../diagnostics/coded-error.js";
import { kindOfSource } from "../files/source.js";
import { type Arguments, type CommandContext, type Outcome, contextWith } from "./command.js";
import { ChangeReport, filesText } from "./dev/change-report.js";
import { type ProjectInputs, filesIn, foldersOf, inputsOf, outputFolders } from "./dev/inputs.js";
import { type Project, openProject } from "./project.js";

interface WatchOptions {
  /** Runs the command once, as without `--watch`. */
  readonly run: (context: CommandContext) => Promise<Outcome>;
  /** Whether the command also reads its output and the user's code. */
  readonly readsOutput: boolean;
}

/** The options that name a file or folder which the command reads. */
const pathOptions = ["contract", "schema", "notes", "base", "templates"] as const;

/**
 * Runs a command, and again after each change of the files that it reads, until a signal ends the process.
 * Prints one line for each run. A failed run does not end the loop.
 *
 * @throws CodedError MG2005 for a format other than text, and for standard input
 */
export async function watch(
  args: Arguments,
  context: CommandContext,
  { run, readsOutput }: WatchOptions,
): Promise<Outcome> {
  refuseContradictions(args, context);
  const { directory, console } = context;
  const report = new ChangeReport(console);
  // A command that a finding suggests must not contain `--watch`.
  const once = contextWith(context, { words: context.words.filter((word) => word !== "--watch") });
  let project = await openProject(args, context, { renders: true });
  const watched = new WatchedFiles(() => inputs(args, project, directory, readsOutput));
  const released = interruption.endsFirst(async () => watched.close());
  let runs = 0;
  try {
    let changed: readonly string[] | undefined;
    do {
      const began = performance.now();
      const { done, findings } = await runOnce(() => run(once));
      const subject = filesText(changed, directory);
      report.add({ subject, done, findings, milliseconds: performance.now() - began });
      runs++;
      changed = await watched.changes();
      // The configuration may name other files now. If it cannot be read, the run itself reports that.
      project = await openProject(args, context, { renders: true }).catch(() => project);
    } while (changed.length > 0);
  } finally {
    watched.close();
    await released();
  }
  return { data: { runs } };
}

function refuseContradictions(args: Arguments, { console }: CommandContext): void {
  const { format } = console.settings;
  if (format !== "text")
    throw new CodedError("MG2005", `--watch and --format ${format} exclude each other`, {
      next: "Leave one of them out.",
    });
  const input = pathOptions.find((option) => args.string(option) === "-");
  if (input !== undefined)
    throw new CodedError("MG2005", `--watch needs a file, got --${input} -`, {
      next: "Write standard input to a file first.",
    });
}

async function runOnce(
  run: () => Promise<Outcome>,
): Promise<{ readonly done: readonly string[]; readonly findings: readonly Finding[] }> {
  try {
    const { summary, mend, findings = [] } = await run();
    return {
      done: [...(summary === undefined ? [] : [summary]), ...(mend === undefined ? [] : [`run: ${mend}`])],
      findings,
    };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { done: [], findings: [error, ...error.more].map(findingOfError) };
  }
}

/** The files that the command reads: those of the project, and those named by options. */
function inputs(
  args: Arguments,
  project: Project,
  directory: string,
  readsOutput: boolean,
): Pick<ProjectInputs, "files" | "folders"> {
  const { files, folders, code } = inputsOf(project);
  const named = pathOptions.flatMap((option) => {
    const value = args.string(option);
    return value === undefined || kindOfSource(value) !== "file" ? [] : [resolve(directory, value)];
  });
  const more = named.flatMap((path) => [path, ...filesIn(path)]);
  const out = readsOutput ? outputFolders(project).flatMap(filesIn) : [];
  const own = readsOutput ? files : files.filter((path) => !code.has(path));
  const added = [...more, ...out];
  return {
    files: [...new Set([...own, ...added])],
    folders: [...new Set([...folders, ...foldersOf(added, project.loaded.folder), ...named.map(dirname)])],
  };
}
