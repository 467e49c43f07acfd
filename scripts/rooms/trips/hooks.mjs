// Loads the project's TypeScript from source and reports each call of a function: see trace.mjs.
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
  const { outputText } = ts.transpileModule(text, {
    fileName: fileURLToPath(url),
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    transformers: { before: [announced] },
  });
  return { source: outputText, format: "module", shortCircuit: true };
}

/** Every function with a body begins with a call of `globalThis.entered`. */
function announced(context) {
  const { factory } = context;
  const call = () =>
    factory.createExpressionStatement(
      factory.createCallExpression(factory.createIdentifier("globalThis.entered"), undefined, [
        factory.createIdentifier("import.meta.url"),
      ]),
    );
  const visit = (node) => {
    const visited = ts.visitEachChild(node, visit, context);
    const body = visited.body;
    if (!ts.isFunctionLike(visited) || !body) return visited;
    if (ts.isBlock(body)) return withBody(visited, factory.createBlock(begun(body.statements), true));
    return withBody(visited, factory.createBlock([call(), factory.createReturnStatement(body)], true));
  };
  /** A directive and the call of a parent's constructor stay first. */
  const begun = (statements) => {
    const at = statements.findIndex((one) => !ts.isExpressionStatement(one) || !isFirst(one.expression));
    const place = at < 0 ? statements.length : at;
    return [...statements.slice(0, place), call(), ...statements.slice(place)];
  };
  const isFirst = (node) =>
    ts.isStringLiteral(node) ||
    (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword);
  const withBody = (node, body) => {
    const f = factory;
    if (ts.isFunctionDeclaration(node))
      return f.updateFunctionDeclaration(
        node,
        node.modifiers,
        node.asteriskToken,
        node.name,
        undefined,
        node.parameters,
        undefined,
        body,
      );
    if (ts.isFunctionExpression(node))
      return f.updateFunctionExpression(
        node,
        node.modifiers,
        node.asteriskToken,
        node.name,
        undefined,
        node.parameters,
        undefined,
        body,
      );
    if (ts.isArrowFunction(node))
      return f.updateArrowFunction(
        node,
        node.modifiers,
        undefined,
        node.parameters,
        undefined,
        node.equalsGreaterThanToken,
        body,
      );
    if (ts.isMethodDeclaration(node))
      return f.updateMethodDeclaration(
        node,
        node.modifiers,
        node.asteriskToken,
        node.name,
        undefined,
        undefined,
        node.parameters,
        undefined,
        body,
      );
    if (ts.isConstructorDeclaration(node))
      return f.updateConstructorDeclaration(node, node.modifiers, node.parameters, body);
    if (ts.isGetAccessorDeclaration(node))
      return f.updateGetAccessorDeclaration(
        node,
        node.modifiers,
        node.name,
        node.parameters,
        undefined,
        body,
      );
    if (ts.isSetAccessorDeclaration(node))
      return f.updateSetAccessorDeclaration(node, node.modifiers, node.name, node.parameters, body);
    return node;
  };
  return (source) => ts.visitNode(source, visit);
}
