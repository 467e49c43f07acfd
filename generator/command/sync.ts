import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { WriteRoot } from "../files/held-folder.js";
import { type FileSet, writeFileSets } from "../files/writer.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  repeatedWithout,
} from "./command.js";
import { counted, shownPath } from "../print/terminal-text.js";
import { type Project, openProject } from "./project.js";
import { type HandlersFile, missingFindings, noHandlers, readHandlers } from "./sync/handlers.js";
import { type ServerContract, serverContracts } from "./sync/server-contracts.js";
import { userFiles } from "../files/user-files.js";

/** Inserts missing functions into the user's handlers; changes nothing else in a file. */
export const sync: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const contracts = await serverContracts(project, context);
  if (contracts.length === 0) throw noContracts(project, context);
  const paths = filesOf(args, project, contracts, context);
  const {
    files,
    findings: found,
    without,
  } = await readHandlers(paths, contracts, project, {
    directory: context.directory,
    named: args.given("handlers"),
  });
  const changed = files.filter(({ insertions }) => insertions.length > 0);
  const writes = !args.flag("check") && !args.flag("dry-run");
  if (writes) writeHandlers(changed, project.loaded.folder, () => args.given("handlers"));
  const findings = [
    ...found,
    ...(args.flag("check") ? changed.flatMap(missingFindings) : []),
    ...without.map((contract) => noHandlers(contract, project)),
  ];
  return present({ files, changed, findings, writes, check: args.flag("check") }, context);
};

function noContracts({ loaded }: Project, { directory }: CommandContext): CodedError {
  return new CodedError("MG6507", "the configuration names no contract with the role server or both", {
    ...(loaded.file !== undefined && { place: { file: shownPath(loaded.file, directory) } }),
    next: 'Add "contracts": [{ "file": "mcp.contract.yaml", "out": "src/generated", "role": "server" }] to mcpgen.config.json.',
  });
}

function filesOf(
  args: Arguments,
  { loaded }: Project,
  contracts: readonly ServerContract[],
  { directory }: CommandContext,
): readonly string[] {
  const named = args.strings("handlers");
  if (named) return [...new Set(named.map((file) => resolve(directory, file)))];
  return userFiles(loaded.folder, new Set(contracts.map(({ out }) => out))).code;
}

/**
 * Writes all files or none. For a link, writes the target, which must be inside the project; the link
 * remains.
 *
 * @param folder the folder of the configuration
 * @throws CodedError MG3009 for a link with a target outside the project
 */
export function writeHandlers(
  changed: readonly HandlersFile[],
  folder: string,
  isNamed: (path: string) => boolean = () => false,
): void {
  const project = WriteRoot.project(realpathSync(folder));
  const sets = changed.map(({ path, text }): FileSet => {
    const file = realpathSync(path);
    // A file outside the project is allowed if the user named it directly, but not through a link in the
    // project.
    const root = isNamed(path) && !project.holds(path) ? WriteRoot.named(dirname(file), folder) : project;
    return { root, changes: [{ path: root.pathOf(file), content: text }] };
  });
  writeFileSets(sets);
}

interface Result {
  readonly files: readonly HandlersFile[];
  readonly changed: readonly HandlersFile[];
  readonly findings: readonly Finding[];
  readonly writes: boolean;
  readonly check: boolean;
}

function present({ files, changed, findings, writes, check }: Result, { words }: CommandContext): Outcome {
  const total = changed.reduce((sum, { missing }) => sum + missing.length, 0);
  const verb = writes ? "inserted" : check ? "missing" : "would be inserted (--dry-run)";
  const steps = changed.map(({ file, missing }) => `${file}: ${missing.map(({ name }) => name).join(", ")}`);
  const read = files.filter(({ anchored }) => anchored.length > 0);
  return {
    findings,
    ...(steps.length > 0 && !check && { steps: steps.join("\n") }),
    summary:
      total === 0
        ? `nothing to insert in ${counted(read.length, "file")} of handlers`
        : `${counted(total, "function")} ${verb} in ${counted(changed.length, "file")}`,
    ...(check && total > 0 && { mend: repeatedWithout(words, ["--check"], "sync") }),
    data: {
      written: writes && changed.length > 0,
      files: read.map(({ file, missing, insertions }) => ({
        file,
        missing: missing.map(({ contract, section, name }) => ({ contract, section, name })),
        insertions,
      })),
    },
  };
}
