import { ts } from "ts-morph";
import {
  type HandlerFunction,
  type Literals,
  bareOf,
  calledPath,
  calleeName,
  isFunction,
  moduleOf,
  pathOf,
  startOf,
} from "./literals.js";

/** Whether an expression yields another value or acts again when its handler is run again. */
export type EffectKind = "value" | "call";

/** Calls whose value differs between runs. */
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

/** Modules with functions that have side effects, even if they return no promise. */
const acting = /^(?:node:)?(?:fs|fs\/promises|child_process|http|https|http2|net|dgram)$/;

/** Modules whose promises only wait. */
const waiting = /^(?:node:)?timers\/promises$/;

/** Names of functions that act on nothing if their result is unused: they log, validate, or set a timer. */
const idle =
  /^(?:forEach|console|log|logger|debug|(?:set|clear)(?:Timeout|Interval|Immediate)|queueMicrotask|(?:assert|check|ensure|expect|invariant|parse|require|validate|verify)(?![a-z]).*)$/;

/** Functions of libraries of schemas, which judge a value. */
const judging = /^(?:(?:safe)?parse|validate)Async$/;

/** Functions of promises: what they are chained to, and the functions that they get, are walked. */
export const chaining = /^(?:then|catch|finally)$/;

/** Declarations of the language and its platform. */
const library = /[\\/]typescript[\\/]lib[\\/]|[\\/]@types[\\/]node[\\/]/;

/**
 * Decides which expressions of a handler have effects: calls that are awaited, return a promise or whose result
 * is unused, calls of modules with side effects, assignments to what is declared outside, and values that
 * differ between runs. Calls of the context's functions have none, nor have calls that receive the context or
 * one of its functions.
 */
export class EffectKinds {
  readonly #handler: HandlerFunction;
  readonly #literals: Literals;
  /** Local variables with the context and its members, with the member's name. */
  readonly #context = new Map<ts.Symbol, string>();

  constructor(handler: HandlerFunction, literals: Literals) {
    this.#handler = handler;
    this.#literals = literals;
  }

  /** Records the local names of the context, or of one of its members. */
  declare(name: ts.BindingName, member: string): void {
    if (ts.isIdentifier(name)) {
      const symbol = this.#literals.checker.getSymbolAtLocation(name);
      if (symbol) this.#context.set(symbol, member);
    } else if (ts.isObjectBindingPattern(name))
      for (const { name: local, propertyName, dotDotDotToken } of name.elements) {
        const own = dotDotDotToken ? "" : (propertyName ?? local).getText();
        this.declare(local, member === "" ? own : member);
      }
  }

  /** How an expression acts, apart from its parts; undefined if it has no effect. */
  kindOf(node: ts.Node): EffectKind | undefined {
    if (ts.isCallExpression(node)) return this.#kindOfCall(node);
    if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length)
      return "value";
    const isTag = ts.isTaggedTemplateExpression(node) && (isAwaited(node) || this.#givesPromise(node));
    return isTag || this.#isWrite(node) ? "call" : undefined;
  }

  #kindOfCall(call: ts.CallExpression): EffectKind | undefined {
    const name = calledPath(call);
    if (changing.has(name)) return "value";
    if (this.#isHarmless(call, name)) return undefined;
    const module = moduleOf(call.expression);
    const isEffect =
      isAwaited(call) ||
      acting.test(module) ||
      this.#givesPromise(call) ||
      (isUnused(call) && !this.#isIdle(call));
    return isEffect ? "call" : undefined;
  }

  #isHarmless(call: ts.CallExpression, name: string): boolean {
    if (/^Promise\.\w+$/.test(name) || this.memberIn(call.expression) !== undefined) return true;
    if (call.arguments.some((argument) => this.passedMember(argument) !== undefined)) return true;
    if (call.expression.kind === ts.SyntaxKind.ImportKeyword) return true;
    const called = calleeName(call)?.text ?? "";
    if (chaining.test(called) || judging.test(called)) return true;
    return waiting.test(moduleOf(call.expression)) || this.#isOwn(call);
  }

  /** Whether a call whose result is unused changes nothing outside of the handler. */
  #isIdle(call: ts.CallExpression): boolean {
    const names = pathOf(call.expression) ?? [calleeName(call)?.text ?? ""];
    if (names.some((name) => idle.test(name)) || this.isNever(call)) return true;
    const { checker } = this.#literals;
    const signature = checker.getResolvedSignature(call);
    if (signature && checker.getTypePredicateOfSignature(signature)) return true;
    if (!isOfLibrary(signature?.declaration)) return false;
    // `lines.push(…)` of a local list, `Object.assign(…)`.
    const root = rootOf(call.expression);
    return !root || !this.#isOutside(root) || isOfLibrary(this.#declared(root));
  }

  #isWrite(node: ts.Node): boolean {
    if (ts.isDeleteExpression(node)) return this.#isOutside(rootOf(node.expression));
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const counts = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator);
      return counts && this.#isOutside(rootOf(node.operand));
    }
    if (!ts.isBinaryExpression(node)) return false;
    const { kind } = node.operatorToken;
    // `??=` and `||=` keep the value of an earlier run.
    if (kind === ts.SyntaxKind.QuestionQuestionEqualsToken || kind === ts.SyntaxKind.BarBarEqualsToken)
      return false;
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return assigns && this.#isOutside(rootOf(node.left));
  }

  /** Whether a name is declared outside of the handler. */
  #isOutside(root: ts.Node | undefined): boolean {
    if (root?.kind === ts.SyntaxKind.ThisKeyword) return true;
    const declared = root && this.#declared(root);
    return declared !== undefined && !this.isInside(declared);
  }

  #declared(name: ts.Node): ts.Node | undefined {
    return this.#literals.checker.getSymbolAtLocation(name)?.declarations?.[0];
  }

  /** The context member that an expression uses: `ask` for `context.ask.elicit`; empty for the context. */
  memberIn(expression: ts.Expression): string | undefined {
    const path = pathOf(expression);
    const start = path && startOf(expression);
    const symbol =
      start && ts.isShorthandPropertyAssignment(start.parent)
        ? this.#literals.checker.getShorthandAssignmentValueSymbol(start.parent)
        : start && this.#literals.checker.getSymbolAtLocation(start);
    const member = symbol && this.#context.get(symbol);
    return member === "" ? (path![1] ?? "") : member;
  }

  /** What an argument passes on of the context, if the function can ask or use `once` by it. */
  passedMember(argument: ts.Expression): string | undefined {
    const bare = bareOf(argument);
    if (ts.isObjectLiteralExpression(bare)) {
      const values = bare.properties.map((property) =>
        ts.isShorthandPropertyAssignment(property)
          ? property.name
          : ts.isPropertyAssignment(property)
            ? property.initializer
            : ts.isSpreadAssignment(property)
              ? property.expression
              : undefined,
      );
      return values.some((value) => value && this.passedMember(value) !== undefined) ? "" : undefined;
    }
    const passed = this.memberIn(bare);
    return passed === "" || passed === "once" || passed === "ask" ? passed : undefined;
  }

  /** Whether a call is of a function inside the handler, or of a parameter of one: its body is walked. */
  #isOwn({ expression }: ts.CallExpression): boolean {
    const declared = this.#literals.resolved(expression as ts.Expression);
    if (!this.isInside(declared)) return false;
    return isFunction(declared) || (ts.isParameter(declared) && declared.parent !== this.#handler);
  }

  isInside(node: ts.Node): boolean {
    for (let at: ts.Node | undefined = node; at; at = at.parent) if (at === this.#handler) return true;
    return false;
  }

  #givesPromise(node: ts.Expression): boolean {
    return this.#literals.checker.getTypeAtLocation(node).getSymbol()?.name === "Promise";
  }

  isNever(call: ts.CallExpression): boolean {
    return (this.#literals.checker.getTypeAtLocation(call).flags & ts.TypeFlags.Never) !== 0;
  }
}

/** Whether a call is awaited: directly, in the list of `Promise.all`, or as the source of `for await`. */
function isAwaited(call: ts.Expression): boolean {
  const node = chainOf(call);
  const { parent } = node;
  if (ts.isAwaitExpression(parent)) return true;
  if (ts.isArrayLiteralExpression(parent) && ts.isCallExpression(parent.parent))
    return /^Promise\.\w+$/.test(calledPath(parent.parent));
  return ts.isForOfStatement(parent) && parent.awaitModifier !== undefined && parent.expression === node;
}

/** The expression that ends with what is chained to a call: `load().then(…)`. */
function chainOf(call: ts.Expression): ts.Expression {
  const { parent } = call;
  if (ts.isParenthesizedExpression(parent) || ts.isNonNullExpression(parent)) return chainOf(parent);
  const isChained =
    ts.isPropertyAccessExpression(parent) &&
    chaining.test(parent.name.text) &&
    ts.isCallExpression(parent.parent);
  return isChained ? chainOf(parent.parent as ts.CallExpression) : call;
}

/** Whether nothing takes the result of a call. */
function isUnused(call: ts.Expression): boolean {
  for (let node: ts.Node = chainOf(call); ; node = node.parent) {
    const { parent } = node;
    if (ts.isExpressionStatement(parent)) return true;
    // A function that `forEach` calls may consist of the call alone.
    if (ts.isArrowFunction(parent))
      return ts.isCallExpression(parent.parent) && calleeName(parent.parent)?.text === "forEach";
    const passes =
      ts.isParenthesizedExpression(parent) ||
      ts.isNonNullExpression(parent) ||
      ts.isVoidExpression(parent) ||
      (ts.isConditionalExpression(parent) && parent.condition !== node) ||
      (ts.isBinaryExpression(parent) && parent.right === node && isLogical(parent.operatorToken.kind));
    if (!passes) return false;
  }
}

function isLogical(kind: ts.SyntaxKind): boolean {
  const { AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken, CommaToken } = ts.SyntaxKind;
  return [AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken, CommaToken].includes(kind);
}

function isOfLibrary(declaration: ts.Node | undefined): boolean {
  return declaration !== undefined && library.test(declaration.getSourceFile().fileName);
}

/** The name at the start of a chain of members and calls, or `this`; undefined for a literal or a new object. */
function rootOf(expression: ts.Expression): ts.Node | undefined {
  const bare = bareOf(expression);
  if (ts.isPropertyAccessExpression(bare) || ts.isElementAccessExpression(bare) || ts.isCallExpression(bare))
    return rootOf(bare.expression);
  return ts.isIdentifier(bare) || bare.kind === ts.SyntaxKind.ThisKeyword ? bare : undefined;
}
