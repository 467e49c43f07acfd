import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/finding.js";
import type { TypeNames } from "./type-names.js";
import { everyNode } from "./walk.js";

/** The lines with which a server runs tasks. */
const lines = `import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { tasks } from "@mcpgen/tasks";

  extensions: [tasks(tasksExtension)],`;

/**
 * The options of servers that certainly have no extension: with tools that have `task`, such a server does not start. Options
 * that the file does not write out are passed over.
 */
export function optionsWithoutExtensions(source: ts.SourceFile, names: TypeNames): ts.Node[] {
  const found: ts.Node[] = [];
  everyNode(source, (node) => {
    if (!ts.isCallExpression(node) || names.creatorIn(node.expression) === undefined) return;
    const [, options] = node.arguments;
    if (options && ts.isObjectLiteralExpression(options) && hasNone(options)) found.push(options);
  });
  return found;
}

function hasNone({ properties }: ts.ObjectLiteralExpression): boolean {
  return properties.every((property) => {
    const { name } = property;
    // A spread, or a name that only a run knows.
    if (!name || ts.isComputedPropertyName(name)) return false;
    if (name.text !== "extensions") return true;
    return (
      ts.isPropertyAssignment(property) &&
      ts.isArrayLiteralExpression(property.initializer) &&
      property.initializer.elements.length === 0
    );
  });
}

/**
 * Says what such a server needs.
 *
 * @param contract its contract, as messages call it
 * @param tools those that have `task`
 */
export function lacksTasks(contract: string, tools: readonly string[]): Finding {
  const [first, ...others] = tools;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return {
    code: "MG6508",
    severity: "error",
    message: `the server has no extension that runs tasks, and ${contract} has \`task\` on ${JSON.stringify(first)}${more}`,
    next: "Add the lines below, here and wherever else the server is made; package.json needs @mcpgen/tasks in dependencies.",
    detail: lines,
  };
}
