import { basename, resolve } from "node:path";
import { type ServerSource, isServerSource } from "../../capture/server-source.js";
import type { ContractDocument } from "../../contract/contract.js";
import { readContract } from "../../contract/read-contract.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { readRegularFile } from "../../files/regular-file.js";
import { kindOfSource } from "../../files/source.js";
import { decodeText, encodeLike } from "../../files/text-file.js";
import { unifiedDiff } from "../../files/unified-diff.js";
import { WriteRoot } from "../../files/write-root.js";
import { writeFiles } from "../../files/writer.js";
import type { LintProblem } from "../../lint/lint-contract.js";
import type { Profile } from "../../lint/rule.js";
import { counted } from "../../print/counted.js";
import type { CommandContext } from "../context.js";
import { shownPath } from "../shown-path.js";

/** What `--fix` did to a contract file, or would do. */
interface Fixed {
  /** The contract with the fixes. */
  readonly document: ContractDocument;
  /** A line for each rule and tool; without writing, the difference, too. */
  readonly steps: readonly string[];
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Lines of a difference that are shown. */
const shownLines = 200;

/** Whether a SOURCE is a file, not a server, a URL or standard input. */
export function isFileSource(source: ServerSource): boolean {
  return typeof source === "string" && !isServerSource(source) && kindOfSource(source) === "file";
}

/** The error for `--fix` where there is no contract file. */
export function nothingToWrite(source: string): CodedError {
  return new CodedError("MG6608", `--fix changes a contract file, got ${source}`, {
    next: "Correct the code of the server; or write its contract with `mcpgen capture` and fix that file.",
  });
}

/**
 * Fixes a contract file.
 *
 * @param dryRun shows what would change, and writes nothing
 * @throws CodedError MG30xx where the file cannot be written
 */
export async function fixContract(
  source: string,
  profiles: readonly Profile[],
  dryRun: boolean,
  { directory }: CommandContext,
): Promise<Fixed> {
  const { mendContract } = await import("../../lint/mend.js");
  const file = resolve(directory, source);
  const shown = shownPath(file, directory);
  const bytes = readRegularFile(file);
  const before = await readContract(decodeText(bytes, shown), shown);
  const { document, mended } = await mendContract(before, profiles);
  const writes = mended.length > 0 && !dryRun;
  if (writes)
    writeFiles(WriteRoot.ofFile(file, directory), [
      { path: basename(file), content: encodeLike(bytes, document.text) },
    ]);
  const difference = dryRun && mended.length > 0 ? [unifiedDiff(before.text, document.text, shownLines)] : [];
  return {
    document,
    steps: [...fixLines(mended), ...difference],
    summary: `${counted(mended.length, "fix", "fixes")} ${dryRun ? "possible (--dry-run)" : "made"} in ${shown}`,
    data: {
      file: shown,
      written: writes,
      fixed: mended.map(({ rule, tool, pointer, message }) => ({ rule: rule.id, tool, pointer, message })),
    },
  };
}

/** A line for each rule and tool. */
function fixLines(mended: readonly LintProblem[]): string[] {
  const counts = new Map<string, number>();
  for (const { rule, tool } of mended) {
    const line = `fixed ${rule.id}: tool ${JSON.stringify(tool)}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line}, ${count} places`));
}
