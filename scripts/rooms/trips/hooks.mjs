// Loads the project's TypeScript from source, and makes each function report its calls: see trace.mjs.
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";

/** Resolves `x.js` to `x.ts` where only that exists, and packages of the project to their sources. */
export async function resolve(specifier, context, next) {
  const conditions = ["mcpgen-source", ...context.conditions];
  if (specifier.startsWith(".") && specifier.endsWith(".js")) {
    const url = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(fileURLToPath(url))) return { url: url.href, format: "module", shortCircuit: true };
  }
  return next(specifier, { ...context, conditions });
}

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const text = await readFile(fileURLToPath(url), "utf8");
  const { outputText } = ts.transpileModule(announced(text), {
    fileName: fileURLToPath(url),
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return { source: outputText, format: "module", shortCircuit: true };
}

const announcement = "globalThis.entered(import.meta.url)";

/** Returns the source of a module in which every function begins with a call of `globalThis.entered`. */
function announced(text) {
  const insertions = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) insertions.push(...announcing(node.body));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true));
  return insertions
    .toSorted((one, other) => other.at - one.at)
    .reduce((changed, { at, code }) => changed.slice(0, at) + code + changed.slice(at), text);
}

/**
 * Returns the edit that puts the call at the beginning of a function's body, but after directives and
 * `super()`.
 */
function announcing(body) {
  if (!ts.isBlock(body))
    return [
      { at: body.getStart(), code: `(${announcement}, ` },
      { at: body.end, code: ")" },
    ];
  const other = body.statements.findIndex(
    (each) => !ts.isExpressionStatement(each) || !isFirst(each.expression),
  );
  const first = body.statements.slice(0, other < 0 ? undefined : other).at(-1);
  return [{ at: first?.end ?? body.getStart() + 1, code: `;${announcement};` }];
}

function isFirst(node) {
  return (
    ts.isStringLiteral(node) ||
    (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword)
  );
}
