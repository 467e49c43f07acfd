import { chmodSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { handlersStub } from "../contract/sync/stub.js";
import { type SyncedFile, syncFile } from "../contract/sync/sync-file.js";
import { type Wanted, wantedMembers } from "../contract/sync/wanted.js";
import { loadContract } from "../contract/read-contract.js";
import { CodedError } from "../diagnostics/coded-error.js";
import type { Finding } from "../diagnostics/finding.js";
import { readBytes } from "../input/text-file.js";
import { applyChanges } from "../output/transaction.js";
import type { Arguments } from "./arguments.js";
import { counted } from "./counted.js";
import type { CommandContext, RunCommand } from "./context.js";
import type { Outcome } from "./outcome.js";
import { type Project, openProject } from "./project.js";
import { repeatedWithout } from "./repeated.js";
import { shownPath } from "./shown-path.js";
import { leadsToServer, serverSpecifier } from "./sync/specifier.js";
import { userFiles } from "./sync/user-files.js";

interface ServerContract {
  /** As messages call it. */
  readonly file: string;
  readonly out: string;
  readonly wanted: Wanted;
}

interface Work extends SyncedFile {
  readonly path: string;
  readonly file: string;
  readonly before: string;
}

/** Puts functions that are missing into the user's handlers; nothing else in a file changes. */
export const sync: RunCommand = async (args, context) => {
  if (args.flag("check") && args.flag("dry-run"))
    throw new CodedError("MG2005", "--check and --dry-run both write nothing", {
      next: "Leave one of them out.",
    });
  const project = await openProject(args, context);
  const contracts = await serverContracts(project, context);
  const { work, findings: unread } = await workOn(
    filesOf(args, project, contracts, context),
    contracts,
    context,
  );
  const changed = work.filter(({ insertions }) => insertions.length > 0);
  const writes = !args.flag("check") && !args.flag("dry-run");
  if (writes) write(changed);
  const orphans = contracts.filter(
    ({ file }) => !work.some(({ anchored }) => anchored.some(({ contract }) => contract === file)),
  );
  const findings = [
    ...unread,
    ...work.flatMap((each) => each.findings),
    ...unresolved(work),
    ...(args.flag("check") ? changed.flatMap(missingFindings) : []),
    ...orphans.map((contract) => noHandlers(contract, project)),
  ];
  return present({ work, changed, findings, writes, check: args.flag("check") }, context);
};

/** @throws CodedError MG6507 where the configuration names no contract of a server */
async function serverContracts(
  { loaded }: Project,
  { directory }: CommandContext,
): Promise<ServerContract[]> {
  const configured = (loaded.config.contracts ?? []).filter(({ role }) => role !== "client");
  if (configured.length === 0) {
    throw new CodedError("MG6507", "the configuration names no contract with the role server or both", {
      ...(loaded.file !== undefined && { place: { file: shownPath(loaded.file, directory) } }),
      next: 'Add "contracts": [{ "file": "mcp.contract.yaml", "out": "src/generated", "role": "server" }] to mcpgen.config.json.',
    });
  }
  return Promise.all(
    configured.map(async ({ file, out }) => {
      const shown = shownPath(loaded.folder, directory, file);
      const { contract } = await loadContract(resolve(loaded.folder, file), shown);
      return { file: shown, out: resolve(loaded.folder, out), wanted: wantedMembers(contract) };
    }),
  );
}

function filesOf(
  args: Arguments,
  { loaded }: Project,
  contracts: readonly ServerContract[],
  { directory }: CommandContext,
): string[] {
  const named = args.strings("handlers");
  if (named) return [...new Set(named.map((file) => resolve(directory, file)))];
  return userFiles(loaded.folder, new Set(contracts.map(({ out }) => out)));
}

async function workOn(
  files: readonly string[],
  contracts: readonly ServerContract[],
  { directory }: CommandContext,
): Promise<{ readonly work: Work[]; readonly findings: Finding[] }> {
  const work: Work[] = [];
  const findings: Finding[] = [];
  const outs = contracts.map(({ out }) => out);
  for (const path of files) {
    const file = shownPath(path, directory);
    const bytes = await readBytes(path);
    // Whatever does not come back the same from text is nothing to write into.
    const before = bytes.toString("utf8");
    if (!/server/.test(before)) continue;
    if (!Buffer.from(before).equals(bytes)) {
      findings.push(notText(file));
      continue;
    }
    const here = contracts.map((contract) => ({
      ...contract,
      isOurs: leadsToServer(path, contract.out, outs),
    }));
    work.push({ ...syncFile(before, file, here), path, file, before });
  }
  return { work, findings };
}

function notText(file: string): Finding {
  return {
    code: "MG6504",
    severity: "error",
    message: "is not text in UTF-8",
    place: { file },
    next: "Save it as UTF-8; nothing in it was touched.",
  };
}

/** Remarks on handlers that a file takes from elsewhere, where none of the files read has them. */
function unresolved(work: readonly Work[]): Finding[] {
  const known = new Set(
    work.flatMap(({ anchored }) => anchored.map(({ contract, section }) => `${section} ${contract}`)),
  );
  return work
    .flatMap(({ references }) => references)
    .filter(({ contract, section }) => !known.has(`${section} ${contract}`))
    .map(({ finding }) => finding);
}

function missingFindings({ missing }: Work): Finding[] {
  return missing.map(({ contract, section, name, place }) => ({
    code: "MG6501",
    severity: "error",
    message: `${section} has no ${JSON.stringify(name)}, which ${contract} offers`,
    place,
  }));
}

function noHandlers({ file, out, wanted }: ServerContract, { loaded }: Project): Finding {
  const module = serverSpecifier(dirname(out), out, loaded.config.importExtension ?? "js");
  return {
    code: "MG6506",
    severity: "error",
    message: "there are no handlers for it",
    place: { file },
    next: `Paste this into a file beside ${shownPath(out, loaded.folder)}, or name yours with --handlers.`,
    detail: handlersStub(wanted, module),
  };
}

/** All files or none. Links are followed, so that they stay links. */
function write(changed: readonly Work[]): void {
  const files = changed.map(({ path, text }) => ({ path: realpathSync(path), text }));
  const modes = files.map(({ path }) => statSync(path).mode);
  if (files.length === 0) return;
  const root = files.map(({ path }) => dirname(path)).reduce(common);
  applyChanges(
    root,
    files.map(({ path, text }) => ({ path: relative(root, path), content: text })),
  );
  for (const [index, { path }] of files.entries()) chmodSync(path, modes[index]!);
}

function common(a: string, b: string): string {
  let folder = a;
  while (relative(folder, b).startsWith("..")) folder = dirname(folder);
  return folder;
}

interface Result {
  readonly work: readonly Work[];
  readonly changed: readonly Work[];
  readonly findings: readonly Finding[];
  readonly writes: boolean;
  readonly check: boolean;
}

function present({ work, changed, findings, writes, check }: Result, { words }: CommandContext): Outcome {
  const total = changed.reduce((sum, { missing }) => sum + missing.length, 0);
  const verb = writes ? "inserted" : check ? "missing" : "would be inserted (--dry-run)";
  const steps = changed.map(({ file, missing }) => `${file}: ${missing.map(({ name }) => name).join(", ")}`);
  const read = work.filter(({ anchored }) => anchored.length > 0);
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
