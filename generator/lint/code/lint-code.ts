import type { ts } from "ts-morph";
import type { CodeOfWarning } from "../../diagnostics/catalogue.js";
import type { Finding, WarningFinding } from "../../diagnostics/coded-error.js";
import { openCodeBase, syntaxRemark } from "../../diff/uses/code-base.js";
import { oneLine, shortText } from "../../print/terminal-text.js";
import { type Definition, definitionsIn } from "./definitions.js";
import { type Effect, Helpers, handlerFacts } from "./handler-walk.js";
import { Literals } from "./literals.js";

/** Findings about code, and what was examined. */
export interface LintedCode {
  readonly findings: readonly Finding[];
  readonly files: number;
  /** Number of tools whose calls may run as tasks. */
  readonly tools: number;
  /** Number of definitions with `replay: true`. */
  readonly replayed: number;
}

/**
 * Checks the definitions in a server's code whose handlers may run again, and those that ask where nothing can
 * wait for the answer.
 *
 * @param path absolute path of a folder or tsconfig file
 * @param shown formats a path for messages
 * @throws CodedError MG3209, see `openCodeBase`
 */
export function lintCode(path: string, shown: (file: string) => string): LintedCode {
  const { program, files } = openCodeBase(path);
  const literals = new Literals(program);
  const definitions = definitionsIn(program, files, literals);
  const helpers = new Helpers();
  const known = new Set<string>();
  /** Definitions share helpers, and handlers. */
  const isNew = ({ code, place }: WarningFinding): boolean => {
    const key = `${code} ${place?.file} ${place?.line} ${place?.column}`;
    return !known.has(key) && known.add(key) !== undefined;
  };
  const findings = [
    ...files.flatMap((file) => syntaxRemark(program, file, shown)),
    ...definitions.flatMap((each) => findingsOf(each, { literals, helpers, shown })).filter(isNew),
  ];
  return {
    findings,
    files: files.length,
    tools: definitions.filter(({ hasTask }) => hasTask).length,
    replayed: definitions.filter(({ replayed }) => replayed === "after asks").length,
  };
}

interface Reading {
  readonly literals: Literals;
  readonly helpers: Helpers;
  /** Formats a path for messages. */
  readonly shown: (file: string) => string;
}

function findingsOf(
  { title, support, at, replayed, cannotWait, handler }: Definition,
  { literals, helpers, shown }: Reading,
): WarningFinding[] {
  const findings: WarningFinding[] = [];
  const add = (code: CodeOfWarning, node: ts.Node, message: string, next: string): void => {
    if (isAllowed(node, code)) return;
    const place = placeOf(node, shown);
    findings.push({ code, severity: "warning", message: `${title}: ${message}`, place, next });
  };
  if (support === "required")
    add(
      "MG6606",
      at,
      "clients without tasks cannot call it",
      'Write support: "optional": clients without tasks then wait for the result.',
    );
  if (!handler || (replayed === undefined && cannotWait === undefined)) return findings;
  const { effects, ask, caught } = handlerFacts(handler, literals, helpers);
  if (cannotWait !== undefined && ask)
    add(
      "MG6610",
      ask,
      `${shownCode(ask)} fails, because ${cannotWait}: the handler cannot wait for the answer`,
      "Write replay: true in its definition: the handler then runs again with the answer. Or serve it from a process that can wait.",
    );
  if (replayed === undefined) return findings;
  for (const effect of effects)
    if (replayed === "always" || effect.isBeforeAsk)
      add(
        "MG6607",
        effect.at,
        effectText(effect),
        `Keep it: await context.once("KEY", () => …). If that does no harm, write // mcpgen-allow MG6607: REASON above it.`,
      );
  for (const node of caught)
    add(
      "MG6609",
      node,
      `${shownCode(node)} catches what an ask throws to end the round`,
      "Handle the errors that you know, and throw all others again.",
    );
  return findings;
}

function effectText({ at, kind }: Effect): string {
  const what = kind === "value" ? "has another value" : "happens again";
  return `${shownCode(at)} ${what} when the handler is run again`;
}

function shownCode(node: ts.Node): string {
  return shortText(oneLine(node.getText(), " "), 60);
}

function placeOf(node: ts.Node, shown: (file: string) => string): WarningFinding["place"] & object {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart());
  return { file: shown(file.fileName), line: line + 1, column: character + 1 };
}

/** Whether a comment on a node's line or on the lines above allows the code. */
function isAllowed(node: ts.Node, code: string): boolean {
  const file = node.getSourceFile();
  const starts = file.getLineStarts();
  const textOf = (line: number): string => file.text.slice(starts[line], starts[line + 1]);
  const allowed = new RegExp(`\\bmcpgen-allow\\b.*\\b${code}\\b`);
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  if (/\/[/*]/.test(textOf(line)) && allowed.test(textOf(line))) return true;
  for (let above = line - 1; above >= 0 && /^\s*(?:\/[/*]|\*)/.test(textOf(above)); above--)
    if (allowed.test(textOf(above))) return true;
  return false;
}
