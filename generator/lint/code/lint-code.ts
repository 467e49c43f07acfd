import type { ts } from "ts-morph";
import type { Finding, WarningFinding } from "../../diagnostics/finding.js";
import { openCodeBase, syntaxRemark } from "../../diff/uses/code-base.js";
import { oneLine } from "../../print/one-line.js";
import { contractTools } from "./contract-handlers.js";
import { type Effect, handlerEffects } from "./handler-effects.js";
import { Literals } from "./literals.js";
import { type TaskTool, taskTools } from "./task-tools.js";

/** The findings about code, and what was looked at. */
export interface LintedCode {
  readonly findings: readonly Finding[];
  readonly files: number;
  /** Tools whose calls may run as tasks. */
  readonly tools: number;
}

/**
 * Judges the tools of a server's code whose calls may run as tasks.
 *
 * @param path a folder or a tsconfig file, absolute
 * @param shown how a path is shown
 * @throws CodedError MG3209 as `openCodeBase`
 */
export function lintCode(path: string, shown: (file: string) => string): LintedCode {
  const { program, files } = openCodeBase(path);
  const literals = new Literals(program);
  const findings: Finding[] = [];
  const tools: TaskTool[] = [];
  for (const file of files) {
    findings.push(...syntaxRemark(program, file, shown));
    // Most files register no tool, and are not looked through.
    if (!file.text.includes(".tool(")) continue;
    tools.push(...taskTools(file, literals));
  }
  tools.push(...contractTools(program, files, literals));
  findings.push(...tools.flatMap((tool) => findingsOf(tool, literals, shown)));
  return { findings, files: files.length, tools: tools.length };
}

function findingsOf(tool: TaskTool, literals: Literals, shown: (file: string) => string): WarningFinding[] {
  const name = `tool ${JSON.stringify(tool.name)}`;
  const required: WarningFinding = {
    code: "MG6606",
    severity: "warning",
    message: `${name}: clients without tasks cannot call it`,
    place: placeOf(tool.at, shown),
    next: 'Write support: "optional": clients without tasks then wait for the result.',
  };
  const effects = tool.replayed ? handlerEffects(tool.replayed, literals) : [];
  return [
    ...(tool.support === "required" && !isAllowed(tool.at, required.code) ? [required] : []),
    ...effects
      .filter(({ at }) => !isAllowed(at, "MG6607"))
      .map((effect) => effectFinding(name, effect, shown)),
  ];
}

function effectFinding(name: string, { at, kind }: Effect, shown: (file: string) => string): WarningFinding {
  const text = oneLine(at.getText(), " ");
  const code = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  const what = kind === "value" ? "has another value" : "happens again";
  return {
    code: "MG6607",
    severity: "warning",
    message: `${name}: ${code} ${what} when the handler is run again`,
    place: placeOf(at, shown),
    next: `Keep it: await context.once("KEY", () => …). If that does no harm, write // mcpgen-allow MG6607: REASON above it.`,
  };
}

function placeOf(node: ts.Node, shown: (file: string) => string): WarningFinding["place"] & object {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart());
  return { file: shown(file.fileName), line: line + 1, column: character + 1 };
}

/** Whether a comment in the line of a node, or in the line above it, allows what stands there. */
function isAllowed(node: ts.Node, code: string): boolean {
  const { text } = node.getSourceFile();
  const lines = text.split("\n");
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  const allowed = new RegExp(`(?://|/\\*).*\\bmcpgen-allow\\b.*\\b${code}\\b`);
  return [lines[line - 1], lines[line]].some((each) => each !== undefined && allowed.test(each));
}
