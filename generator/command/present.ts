import { isAbsolute } from "node:path";
import type { CodedError, Place } from "../diagnostics/coded-error.js";
import type { Console } from "./console.js";
import type { ErrorFinding, Finding } from "../diagnostics/finding.js";
import { type Outcome, exitCodeOf } from "./outcome.js";
import { shownPath } from "./shown-path.js";
import { type Paint, printable, printableLines } from "../print/terminal-text.js";

/** Version of the documents that `--json` prints. */
const documentFormat = 1;

/**
 * Prints what a command came to, in the format asked for.
 *
 * @returns the exit code
 */
export function present(command: string, outcome: Outcome, console: Console): number {
  const exit = exitCodeOf(outcome);
  const findings = outcome.findings ?? [];
  if (console.settings.format === "json") {
    console.document(documentOf(command, outcome));
    return exit;
  }
  for (const finding of findings) {
    if (console.settings.format === "github") console.annotation(annotation(finding));
    else console.result(findingText(finding, console.paint));
  }
  if (outcome.text !== undefined) console.result(outcome.text);
  if (outcome.steps !== undefined && !console.settings.quiet) console.result(outcome.steps);
  if (outcome.summary !== undefined && !console.settings.quiet) console.result(printable(outcome.summary));
  if (outcome.mend !== undefined) console.result(`Run: ${console.paint("bold", printable(outcome.mend))}`);
  return exit;
}

/** The document that `--json` prints. */
export function documentOf(command: string, outcome: Outcome): object {
  const { findings = [], data, mend } = outcome;
  return { format: documentFormat, command, exit: exitCodeOf(outcome), findings, ...data, mend };
}

/**
 * Prints an error that ended a command: for people on standard error, for programs on standard output.
 *
 * @returns the exit code
 */
export function presentError(
  command: string,
  error: CodedError,
  console: Console,
  directory: string,
): number {
  const { exitCode } = error;
  const shown = shownError(error, directory);
  const more = error.more.map((each) => shownError(each, directory));
  if (console.settings.format === "json") {
    const others = more.length > 0 && { more };
    console.document({
      ...{ format: documentFormat, command, exit: exitCode },
      ...{ error: { ...shown, ...error.facts }, ...others },
    });
  }
  for (const each of [shown, ...more]) {
    const finding: Finding = { severity: "error", ...each };
    if (console.settings.format === "github") console.annotation(annotation(finding));
    else console.error(findingText(finding, console.paintError));
  }
  return exitCode;
}

function shownError(
  { code, message, next, detail, place }: CodedError,
  directory: string,
): Omit<ErrorFinding, "severity"> {
  const file = place?.file;
  const shown =
    file !== undefined && isAbsolute(file) ? { ...place, file: shownPath(file, directory) } : place;
  return {
    code,
    message,
    ...(shown && { place: shown }),
    ...(next && { next }),
    ...(detail && { detail }),
  };
}

const colours = { error: "red", warning: "yellow", info: "cyan" } as const;

/** `place: error MG1002: message`, then what to do, then the details. */
export function findingText({ code, severity, message, place, next, detail }: Finding, paint: Paint): string {
  const where = place === undefined ? "" : `${paint("bold", placeText(place))}: `;
  const kind = paint(colours[severity], `${severity} ${code}`);
  const lines = [`${where}${kind}: ${printable(message)}`];
  if (next !== undefined) lines.push(`  ${paint("cyan", "→")} ${printable(next)}`);
  if (detail !== undefined) lines.push(indented(detail, paint));
  return lines.join("\n");
}

/** `file:line:column` and the JSON Pointer, as far as each is known. */
function placeText({ file, line, column, pointer }: Place): string {
  const position = [file, line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
  const parts = [position, pointer && shortPointer(pointer)].filter(
    (part) => part !== undefined && part !== "",
  );
  return printable(parts.join(" ")) || "(whole document)";
}

/** A long pointer is shortened in the middle. */
function shortPointer(pointer: string): string {
  const most = 120;
  if (pointer.length <= most) return pointer;
  return `${pointer.slice(0, most * 0.6)}…${pointer.slice(-most * 0.3)}`;
}

function indented(detail: string, paint: Paint): string {
  return printableLines(detail.trimEnd())
    .split("\n")
    .map(
      (line) =>
        `    ${line.startsWith("+") ? paint("green", line) : line.startsWith("-") ? paint("red", line) : line}`,
    )
    .join("\n");
}

/** A workflow command of GitHub Actions; its values may not hold line ends, nor its properties `:` and `,`. */
export function annotation({ code, severity, message, place, next, detail }: Finding): string {
  const pointer = place?.pointer ? `${shortPointer(place.pointer)}: ` : "";
  const lines = [pointer + message, next].filter((part) => part !== undefined).map(printable);
  const text = [...lines, ...(detail === undefined ? [] : [printableLines(detail)])].join("\n");
  const properties = Object.entries({ file: place?.file, line: place?.line, col: place?.column, title: code })
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${escapeData(printable(String(value)))
          .replaceAll(":", "%3A")
          .replaceAll(",", "%2C")}`,
    );
  return `::${severity === "info" ? "notice" : severity} ${properties.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
