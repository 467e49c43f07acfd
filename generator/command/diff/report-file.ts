import { existsSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { CodedError } from "../../diagnostics/coded-error.js";
import { readRegularFile } from "../../files/regular-file.js";
import { WriteRoot } from "../../files/write-root.js";
import { writeFiles } from "../../files/writer.js";
import { printableLines } from "../../print/terminal-text.js";
import { secrets } from "../../secrets/secrets.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { shownPath } from "../shown-path.js";

/** The format of a report in a file. */
export type ReportFormat = "text" | "json" | "markdown" | "sarif" | "junit" | "html";

const byExtension: Readonly<Record<string, ReportFormat>> = {
  ".html": "html",
  ".htm": "html",
  ".json": "json",
  ".md": "markdown",
  ".sarif": "sarif",
  ".txt": "text",
  ".xml": "junit",
};

/**
 * The format of the report that `--out` asks for: that of `--format`, else that of the file's extension, else text.
 *
 * @returns undefined where the report goes to standard output
 * @throws CodedError MG2005 for annotations, which only a log shows
 */
export function fileFormat(args: Arguments, { console }: CommandContext): ReportFormat | undefined {
  const out = args.string("out");
  if (out === undefined || out === "-") return undefined;
  const named = args.string("format") ?? (console.settings.format === "json" ? "json" : undefined);
  if (named === "github")
    throw new CodedError("MG2005", "--out and --format github exclude each other: GitHub reads the log", {
      next: "Leave --out out, or give another format.",
    });
  return (named as ReportFormat | undefined) ?? byExtension[extname(out).toLowerCase()] ?? "text";
}

/** What a report has, and other files do not. */
const marks: Readonly<Record<ReportFormat, RegExp>> = {
  text: / → [^\n]*: (?:no differences|nothing that touches the code|\d+ breaking, \d+ dangerous, \d+ safe)[^\n]*\n?$/,
  json: /^\{\s*"format": 1,\s*"command": "diff"/,
  markdown: /^## Protocol: /,
  sarif: /"driver": \{\s*"name": "mcpgen"/,
  junit: /<testsuites?[^>]* name="mcpgen diff /,
  html: /<meta name="generator" content="mcpgen">/,
};

/**
 * Writes a report. An earlier report of that format is replaced; another file is not, without `--force`. Secrets that a live
 * server repeats are left out.
 *
 * @throws CodedError MG3001 for a file that is no report, MG3003, MG3009
 */
export function writeReport(
  text: string,
  format: ReportFormat,
  args: Arguments,
  { directory }: CommandContext,
): { readonly file: string; readonly done: "written" | "unchanged" } {
  const file = resolve(directory, args.required("out"));
  const shown = shownPath(file, directory);
  const plain = secrets.hide(text.endsWith("\n") ? text : `${text}\n`);
  // A browser shows what acts in a terminal.
  const content = format === "html" ? plain : printableLines(plain);
  const before = existsSync(file) ? readRegularFile(file).toString("utf8") : undefined;
  if (before === content) return { file: shown, done: "unchanged" };
  if (before !== undefined && !args.flag("force") && !marks[format].test(before))
    throw new CodedError("MG3001", `the file exists, and is not a report of this format (${format})`, {
      place: { file: shown },
      next: "Name another file with --out, or overwrite it with --force.",
    });
  writeFiles(WriteRoot.ofFile(file, directory), [{ path: basename(file), content }]);
  return { file: shown, done: "written" };
}
