import { ts } from "ts-morph";
import { type HandlerFunction, type Literals, bareOf } from "./literals.js";

/** An expression of a handler that gives another value, or acts once more, when the handler runs again. */
export interface Effect {
  readonly at: ts.Node;
  readonly kind: "value" | "call";
}

/** Calls whose value differs from run to run. */
const changing = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "process.hrtime",
  "process.hrtime.bigint",
  "crypto.randomUUID",
  "crypto.getRandomValues",
  "crypto.randomBytes",
  "crypto.randomInt",
  "randomUUID",
  "randomBytes",
  "randomInt",
]);

/** Modules whose functions act on the world, also those that return no promise. */
const acting = /^(?:node:)?(?:fs|fs\/promises|child_process|http|https|http2|net|dgram)$/;

/** Modules whose promises only take time. */
const waiting = /^(?:node:)?timers\/promises$/;

/**
 * The effects of a handler outside `context.once`: calls that are awaited or return a promise, calls of modules that act
 * on the world, and values that differ from run to run. Calls on the context, and calls that are given the context or one
 * of its functions, are none.
 */
export function handlerEffects(handler: HandlerFunction, literals: Literals): Effect[] {
  const search = new EffectSearch(handler, literals);
  if (handler.body) search.visit(handler.body);
  return search.effects;
}

class EffectSearch {
  readonly effects: Effect[] = [];
  readonly #handler: HandlerFunction;
  readonly #literals: Literals;
  /** Local names of the context and of its members, with the member. */
  readonly #context = new Map<string, string>();

  constructor(handler: HandlerFunction, literals: Literals) {
    this.#handler = handler;
    this.#literals = literals;
    const [, context] = handler.parameters;
    if (context) this.#declare(context.name);
  }

  visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node)) this.#destructured(node);
    if (this.#isFunctionForOnce(node)) return;
    if (ts.isCallExpression(node)) return this.#call(node);
    if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length)
      this.effects.push({ at: node, kind: "value" });
    ts.forEachChild(node, this.visit);
  };

  #call(call: ts.CallExpression): void {
    const name = callee(call);
    if (this.#memberOf(call) === "once") {
      // What it runs is stored; its key must be the same in each run.
      if (call.arguments[0]) this.visit(call.arguments[0]);
      return;
    }
    if (changing.has(name)) this.effects.push({ at: call, kind: "value" });
    else if (!this.#isHarmless(call, name) && this.#isEffect(call))
      this.effects.push({ at: call, kind: "call" });
    ts.forEachChild(call, this.visit);
  }

  /** A function of the handler that only runs inside of `once`. */
  #isFunctionForOnce(node: ts.Node): boolean {
    if (!ts.isFunctionDeclaration(node) && !ts.isVariableDeclaration(node)) return false;
    const { name } = node;
    if (!name || !ts.isIdentifier(name)) return false;
    const value = ts.isVariableDeclaration(node) ? node.initializer && bareOf(node.initializer) : node;
    if (!value || !ts.isFunctionLike(value)) return false;
    const uses = usesOf(name, this.#handler);
    return uses.length > 0 && uses.every((use) => this.#isInOnce(use));
  }

  #isInOnce(node: ts.Node): boolean {
    for (let inner = node; inner !== this.#handler; inner = inner.parent) {
      const { parent } = inner;
      if (!ts.isCallExpression(parent) || this.#memberOf(parent) !== "once") continue;
      if (parent.arguments.indexOf(inner as ts.Expression) > 0) return true;
    }
    return false;
  }

  #isHarmless(call: ts.CallExpression, name: string): boolean {
    if (/^Promise\.\w+$/.test(name) || this.#memberOf(call) !== undefined) return true;
    if (call.arguments.some((argument) => this.#passesContext(argument))) return true;
    return waiting.test(this.#moduleOf(call)) || this.#isOwn(call);
  }

  #isEffect(call: ts.CallExpression): boolean {
    return isAwaited(call) || acting.test(this.#moduleOf(call)) || this.#givesPromise(call);
  }

  /** The member of the context that a call is of: `ask` of `context.ask.elicit(…)`. */
  #memberOf({ expression }: ts.CallExpression): string | undefined {
    const path = pathOf(expression);
    const member = path && this.#context.get(path[0]!);
    return member === "" ? path![1] : member;
  }

  #passesContext(argument: ts.Expression): boolean {
    const bare = bareOf(argument);
    if (ts.isObjectLiteralExpression(bare))
      return bare.properties.some(
        (property) =>
          (ts.isShorthandPropertyAssignment(property) && this.#passesContext(property.name)) ||
          (ts.isPropertyAssignment(property) && this.#passesContext(property.initializer)),
      );
    const path = pathOf(bare);
    const member = path && this.#context.get(path[0]!);
    const passed = member === "" ? (path![1] ?? "") : member;
    return passed === "" || passed === "once" || passed === "ask";
  }

  /** A function inside the handler: its body is looked through where it stands. */
  #isOwn({ expression }: ts.CallExpression): boolean {
    if (!ts.isIdentifier(expression)) return false;
    const declared = this.#literals.declarationOf(expression);
    for (let node = declared; node; node = node.parent) if (node === this.#handler) return true;
    return false;
  }

  /** The module that the function comes from; empty if it is none that is imported. */
  #moduleOf({ expression }: ts.CallExpression): string {
    const [root] = pathOf(expression) ?? [];
    const file = this.#handler.getSourceFile();
    for (const statement of file.statements) {
      if (!root || !ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
        continue;
      const { name, namedBindings } = statement.importClause ?? {};
      const names =
        namedBindings === undefined
          ? []
          : ts.isNamespaceImport(namedBindings)
            ? [namedBindings.name]
            : namedBindings.elements.map((element) => element.name);
      if ([name, ...names].some((each) => each?.text === root)) return statement.moduleSpecifier.text;
    }
    return "";
  }

  #givesPromise(call: ts.CallExpression): boolean {
    const type = this.#literals.checker.getTypeAtLocation(call);
    return type.getSymbol()?.name === "Promise";
  }

  /** `const { once } = context` inside the handler. */
  #destructured({ name, initializer }: ts.VariableDeclaration): void {
    const path = initializer && pathOf(initializer);
    if (path?.length === 1 && this.#context.get(path[0]!) === "") this.#declare(name);
  }

  #declare(name: ts.BindingName): void {
    if (ts.isIdentifier(name)) this.#context.set(name.text, "");
    else if (ts.isObjectBindingPattern(name))
      for (const { name: local, propertyName, dotDotDotToken } of name.elements) {
        if (!ts.isIdentifier(local)) continue;
        this.#context.set(local.text, dotDotDotToken ? "" : (propertyName ?? local).getText());
      }
  }
}

/** The places in a function where a name is used, by its text. */
function usesOf(name: ts.Identifier, inside: ts.Node): ts.Identifier[] {
  const uses: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node !== name && node.text === name.text) uses.push(node);
    ts.forEachChild(node, visit);
  };
  visit(inside);
  return uses;
}

/** Whether a call is awaited: itself, as an element of a list, or as the source of `for await`. */
function isAwaited(call: ts.CallExpression): boolean {
  let node: ts.Node = call;
  while (ts.isParenthesizedExpression(node.parent) || ts.isNonNullExpression(node.parent)) node = node.parent;
  const { parent } = node;
  if (ts.isAwaitExpression(parent)) return true;
  return ts.isForOfStatement(parent) && parent.awaitModifier !== undefined && parent.expression === node;
}

/** The names of a chain of members: `["context", "ask", "elicit"]`. */
function pathOf(expression: ts.Expression): string[] | undefined {
  const bare = bareOf(expression);
  if (ts.isIdentifier(bare)) return [bare.text];
  if (!ts.isPropertyAccessExpression(bare)) return undefined;
  const before = pathOf(bare.expression);
  return before && [...before, bare.name.text];
}

function callee({ expression }: ts.CallExpression): string {
  return (pathOf(expression) ?? []).join(".").replace(/^globalThis\./, "");
}
