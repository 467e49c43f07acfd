import type { ts } from "ts-morph";
import type { CodeOfWarning } from "../../diagnostics/catalogue.js";
import type { Finding, WarningFinding } from "../../diagnostics/coded-error.js";
import { openCodeBase, syntaxRemark } from "../../diff/uses/code-base.js";
import { oneLine, shortened } from "../../print/terminal-text.js";
import { type Definition, definitionsIn } from "./definitions.js";
import { type Effect, handlerFacts } from "./handler-walk.js";
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
  const findings = [
    ...files.flatMap((file) => syntaxRemark(program, file, shown)),
    ...definitions.flatMap((each) => findingsOf(each, literals, shown)),
  ];
  return {
    findings,
    files: files.length,
    tools: definitions.filter(({ hasTask }) => hasTask).length,
    replayed: definitions.filter(({ replayed }) => replayed === "after asks").length,
  };
}

function findingsOf(
  { title, support, at, replayed, cannotWait, handler }: Definition,
  literals: Literals,
  shown: (file: string) => string,
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
  const { effects, ask, caught } = handlerFacts(handler, literals);
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
  return shortened(oneLine(node.getText(), " "), 60);
}

function placeOf(node: ts.Node, shown: (file: string) => string): WarningFinding["place"] & object {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart());
  return { file: shown(file.fileName), line: line + 1, column: character + 1 };
}

/** Whether a comment on a node's line or on the line above allows the code. */
function isAllowed(node: ts.Node, code: string): boolean {
  const { text } = node.getSourceFile();
  const lines = text.split("\n");
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  const allowed = new RegExp(`(?://|/\\*).*\\bmcpgen-allow\\b.*\\b${code}\\b`);
  return [lines[line - 1], lines[line]].some((each) => each !== undefined && allowed.test(each));
}
