import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { ModuleGraph } from "../../contract/sync/module-graph.js";
import { handlersStub } from "../../contract/sync/stub.js";
import { type SyncedFile, syncFile } from "../../contract/sync/sync-file.js";
import type { Finding } from "../../diagnostics/finding.js";
import { readBytes } from "../../input/text-file.js";
import type { CommandContext } from "../context.js";
import type { Project } from "../project.js";
import { shownPath } from "../shown-path.js";
import { Resolution, serverSpecifier } from "./resolution.js";
import type { ServerContract } from "./server-contracts.js";

/** A file that has to do with handlers, and what it needs. */
export interface HandlersFile extends SyncedFile {
  readonly path: string;
  /** As messages call it. */
  readonly file: string;
  readonly before: string;
}

/** The handlers of a project, judged by its contracts. */
export interface HandlersReport {
  readonly files: readonly HandlersFile[];
  /** All that is to be said, but for what can be inserted. */
  readonly findings: readonly Finding[];
  /** Contracts that nothing in the files has to do with. */
  readonly without: readonly ServerContract[];
  /** Files besides those that decided what names mean: settings of the compiler, and what links lead to. */
  readonly read: readonly string[];
}

interface Text {
  readonly text: string;
  readonly isText: boolean;
}

/** Reads `paths`, and judges the handlers in them. Writes nothing. */
export async function readHandlers(
  paths: readonly string[],
  contracts: readonly ServerContract[],
  project: Project,
  { directory }: CommandContext,
): Promise<HandlersReport> {
  const texts = new Map<string, Text>();
  for (const path of paths) texts.set(path, textOf(await readBytes(path)));
  const resolution = new Resolution(contracts);
  const others = new Map<string, string | undefined>();
  const other = (path: string): string | undefined => {
    if (!others.has(path)) others.set(path, textAt(path));
    return others.get(path);
  };
  const graph = new ModuleGraph({
    resolve: (path, specifier) => resolution.resolve(path, specifier),
    read: (path) => texts.get(path)?.text ?? other(path),
  });
  const names = contracts.map(({ file }) => file);
  const concerned = graph.concerned(paths, names).filter((path) => !isMade(path, resolution));
  const extension = project.loaded.config.importExtension ?? "js";
  const files: HandlersFile[] = [];
  const unread: Finding[] = [];
  for (const path of concerned) {
    const file = shownPath(path, directory);
    const { text: before, isText } = texts.get(path)!;
    const here = contracts.map(({ out, ...contract }) => ({
      ...contract,
      lookIn: graph.lookIn(path, contract.file),
      anywhere: `import(${JSON.stringify(serverSpecifier(dirname(path), out, extension))}).Handlers`,
    }));
    if (isText) files.push({ ...syncFile(before, file, here), path, file, before });
    else unread.push(notText(file));
  }
  const remarks = unresolved(files);
  const without = contracts.filter(({ file }) => !isFound(files, file));
  const traces = files.flatMap((each) => each.traces);
  const lost = without.flatMap(({ file }) => traces.filter(({ contract }) => contract === file).slice(0, 3));
  const traced = new Set(lost.map(({ contract }) => contract));
  return {
    files,
    findings: [
      ...unread,
      ...files.flatMap((each) => each.findings),
      ...remarks,
      ...lost.map(({ finding }) => finding),
    ],
    without: without.filter(({ file }) => !traced.has(file)),
    read: [...resolution.read, ...others.keys()],
  };
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Whatever does not come back the same from text is nothing to write into. */
function textOf(bytes: Buffer): Text {
  const text = bytes.toString("utf8");
  return { text, isText: Buffer.from(text).equals(bytes) };
}

/** JavaScript that is the compiler's output is nobody's to write into. */
function isMade(path: string, resolution: Resolution): boolean {
  return /\.[cm]?jsx?$/.test(path) && resolution.isOutput(path);
}

function isFound(files: readonly HandlersFile[], contract: string): boolean {
  return files.some(({ anchored, references }) =>
    [...anchored, ...references].some((each) => each.contract === contract),
  );
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
function unresolved(work: readonly HandlersFile[]): Finding[] {
  const known = new Set(
    work.flatMap(({ anchored }) => anchored.map(({ contract, section }) => `${section} ${contract}`)),
  );
  return work
    .flatMap(({ references }) => references)
    .filter(({ contract, section }) => !known.has(`${section} ${contract}`))
    .map(({ finding }) => finding);
}

export function missingFindings({ missing }: HandlersFile): Finding[] {
  return missing.map(({ contract, section, name, place }) => ({
    code: "MG6501",
    severity: "error",
    message: `${section} has no ${JSON.stringify(name)}, which ${contract} offers`,
    place,
  }));
}

export function noHandlers({ file, out, wanted }: ServerContract, { loaded }: Project): Finding {
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
