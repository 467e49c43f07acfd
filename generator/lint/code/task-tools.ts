import { ts } from "ts-morph";
import type { HandlerFunction, Literals } from "./literals.js";

/** A tool of a server's code whose calls may run as tasks. */
export interface TaskTool {
  /** As the code writes it: a text without quotes, or an expression. */
  readonly name: string;
  readonly support: string | undefined;
  /** The member `support`, or else the call that registers the tool. */
  readonly at: ts.Node;
  /** The handler, if the task of a process that ended is run again and the handler is found. */
  readonly replayed: HandlerFunction | undefined;
}

/** The tools that a file registers with the member `task`: `server.tool(name, { task }, handler)`. */
export function taskTools(file: ts.SourceFile, literals: Literals): TaskTool[] {
  const tools: TaskTool[] = [];
  const visit = (node: ts.Node): void => {
    const tool = ts.isCallExpression(node) ? taskTool(node, literals) : undefined;
    if (tool) tools.push(tool);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return tools;
}

function taskTool(call: ts.CallExpression, literals: Literals): TaskTool | undefined {
  const { expression, arguments: args } = call;
  const [name, definition, handler] = args;
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "tool") return undefined;
  if (!name || !definition || !handler) return undefined;
  const task = literals.object(literals.member(literals.object(definition), "task"));
  if (!task) return undefined;
  const support = literals.member(task, "support");
  const isReplayed = literals.text(literals.member(task, "onRestart")) === "replay";
  return {
    name: literals.text(name) ?? name.getText(),
    support: literals.text(support),
    at: support?.parent ?? call,
    replayed: isReplayed ? literals.functionOf(handler) : undefined,
  };
}
