import { ts } from "ts-morph";
import type { Finding, WarningFinding } from "../../diagnostics/coded-error.js";
import { openCodeBase, syntaxRemark } from "../../diff/uses/code-base.js";
import { oneLine, shortened } from "../../print/terminal-text.js";
import { type HandlerFunction, type TaskTool, bareOf, Literals, taskTools } from "./literals.js";

/** Findings about code, and what was examined. */
export interface LintedCode {
  readonly findings: readonly Finding[];
  readonly files: number;
  /** Number of tools whose calls may run as tasks. */
  readonly tools: number;
}

/**
 * Checks the tools in a server's code whose calls may run as tasks.
 *
 * @param path absolute path of a folder or tsconfig file
 * @param shown formats a path for messages
 * @throws CodedError MG3209, see `openCodeBase`
 */
export function lintCode(path: string, shown: (file: string) => string): LintedCode {
  const { program, files } = openCodeBase(path);
  const literals = new Literals(program);
  const findings: Finding[] = [];
  const tools: TaskTool[] = [];
  for (const file of files) {
    findings.push(...syntaxRemark(program, file, shown));
    // Skip files that cannot register a tool.
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
  const code = shortened(oneLine(at.getText(), " "), 60);
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

/** Whether a comment on a node's line or on the line above allows the code. */
function isAllowed(node: ts.Node, code: string): boolean {
  const { text } = node.getSourceFile();
  const lines = text.split("\n");
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  const allowed = new RegExp(`(?://|/\\*).*\\bmcpgen-allow\\b.*\\b${code}\\b`);
  return [lines[line - 1], lines[line]].some((each) => each !== undefined && allowed.test(each));
}

/** A server of a contract in code: the task settings of its tools, and the source of its handlers. */
interface ContractServer {
  /** The `task` settings by tool name. */
  readonly tasks: ReadonlyMap<string, { readonly onRestart?: unknown }>;
  readonly handlers: ts.Expression;
  /**
   * The function with the handlers as a parameter, and that parameter's type; absent if the call contains the
   * handlers.
   */
  readonly create?: { readonly declared: ts.Node; readonly index: number; readonly type?: ts.Symbol };
}

/**
 * Finds the tools with `task` in contracts whose server is in the program, and their handlers.
 *
 * @param files the files to search for handlers
 */
function contractTools(program: ts.Program, files: readonly ts.SourceFile[], literals: Literals): TaskTool[] {
  const servers = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && file.text.includes("addToTools("))
    .flatMap((file) => serversIn(file, literals));
  if (servers.length === 0) return [];
  const tools: TaskTool[] = [];
  for (const server of servers) {
    for (const handlers of handlersOf(server, files, literals))
      tools.push(...toolsOf(server, handlers, literals));
  }
  return tools;
}

/** The calls `addToTools(defineServer(contract, handlers, …), options, added)` in a file. */
function serversIn(file: ts.SourceFile, literals: Literals): ContractServer[] {
  const servers: ContractServer[] = [];
  visitAll(file, (node) => {
    if (!ts.isCallExpression(node) || calleeName(node)?.text !== "addToTools") return;
    const [server, , members] = node.arguments;
    const defined = server && literals.resolved(server);
    const tasks = members && tasksIn(literals.resolved(members), literals);
    if (!tasks || !defined || !ts.isCallExpression(defined)) return;
    const handlers = defined.arguments[1];
    if (!handlers) return;
    const create = creator(handlers, literals);
    servers.push({ tasks, handlers, ...(create && { create }) });
  });
  return servers;
}

/** The tools' `task` settings in generated code `JSON.parse("…")`. */
function tasksIn(added: ts.Node, literals: Literals): ContractServer["tasks"] | undefined {
  if (!ts.isCallExpression(added) || calleeName(added)?.text !== "parse") return undefined;
  const text = literals.text(added.arguments[0]);
  try {
    const members = JSON.parse(text ?? "") as Readonly<Record<string, { readonly task?: object }>>;
    return new Map(Object.entries(members).flatMap(([name, { task }]) => (task ? [[name, task]] : [])));
  } catch {
    // The generated file was edited; the next generation restores it.
    return undefined;
  }
}

/** The function that has the handlers as a parameter. */
function creator(handlers: ts.Expression, literals: Literals): ContractServer["create"] {
  const parameter = literals.resolved(handlers);
  if (!ts.isParameter(parameter)) return undefined;
  const { parent: declared, type } = parameter;
  const symbol = type && typeSymbol(type, literals);
  return { declared, index: declared.parameters.indexOf(parameter), ...(symbol && { type: symbol }) };
}

/** The objects with handlers that a server receives, and those declared with the type of its handlers. */
function handlersOf(
  { handlers, create }: ContractServer,
  files: readonly ts.SourceFile[],
  literals: Literals,
): ReadonlySet<ts.ObjectLiteralExpression> {
  const objects = new Set<ts.ObjectLiteralExpression>();
  const add = (expression: ts.Expression | undefined): void => {
    const object = literals.object(expression);
    if (object) objects.add(object);
  };
  add(handlers);
  if (!create) return objects;
  for (const file of files)
    visitAll(file, (node) => {
      if (ts.isCallExpression(node)) {
        const name = calleeName(node);
        if (name && literals.declarationOf(name) === create.declared) add(node.arguments[create.index]);
      } else if (ts.isVariableDeclaration(node) || ts.isSatisfiesExpression(node)) {
        const value = ts.isVariableDeclaration(node) ? node.initializer : node.expression;
        if (node.type && create.type && typeSymbol(node.type, literals) === create.type) add(value);
      }
    });
  return objects;
}

function toolsOf(
  { tasks }: ContractServer,
  handlers: ts.ObjectLiteralExpression,
  literals: Literals,
): TaskTool[] {
  const functions = literals.object(literals.member(handlers, "tools"));
  if (!functions) return [];
  return [...tasks].map(([name, { onRestart }]) => {
    const handler = literals.functionMember(functions, name);
    const replayed = onRestart === "replay" ? handler : undefined;
    // Rule `task-required` checks the support in the contract.
    return { name, support: undefined, at: handler ?? functions, replayed };
  });
}

function calleeName({ expression }: ts.CallExpression): ts.Identifier | undefined {
  const bare = bareOf(expression);
  if (ts.isIdentifier(bare)) return bare;
  return ts.isPropertyAccessExpression(bare) && ts.isIdentifier(bare.name) ? bare.name : undefined;
}

/** The interface or type that a type reference names, also in another file. */
function typeSymbol(type: ts.TypeNode, { checker }: Literals): ts.Symbol | undefined {
  if (!ts.isTypeReferenceNode(type)) return undefined;
  const symbol = checker.getSymbolAtLocation(type.typeName);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function visitAll(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visitAll(child, look));
}

/** An expression in a handler that yields another value or acts again when the handler is run again. */
interface Effect {
  readonly at: ts.Node;
  readonly kind: "value" | "call";
}

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

/**
 * The effects of a handler outside `context.once`: calls that are awaited or return a promise, calls of
 * modules with side effects, and values that differ between runs. Excludes calls of the context's functions,
 * and calls that receive the context or one of its functions.
 */
function handlerEffects(handler: HandlerFunction, literals: Literals): Effect[] {
  const search = new EffectSearch(handler, literals);
  if (handler.body) search.visit(handler.body);
  return search.effects;
}

class EffectSearch {
  readonly effects: Effect[] = [];
  readonly #handler: HandlerFunction;
  readonly #literals: Literals;
  /** Local names of the context and its members, with the member's name. */
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
      // The result is stored, so the function may have effects; but its key must be the same in each run.
      if (call.arguments[0]) this.visit(call.arguments[0]);
      return;
    }
    if (changing.has(name)) this.effects.push({ at: call, kind: "value" });
    else if (!this.#isHarmless(call, name) && this.#isEffect(call))
      this.effects.push({ at: call, kind: "call" });
    ts.forEachChild(call, this.visit);
  }

  /** Whether a function of the handler is only used inside `once`. */
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

  /** The context member that a call uses: `ask` in `context.ask.elicit(…)`. */
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

  /** Whether a call is of a function inside the handler, whose body is examined at its declaration. */
  #isOwn({ expression }: ts.CallExpression): boolean {
    if (!ts.isIdentifier(expression)) return false;
    const declared = this.#literals.declarationOf(expression);
    for (let node = declared; node; node = node.parent) if (node === this.#handler) return true;
    return false;
  }

  /** The module that a called function is imported from; empty if it is not imported. */
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

  /** Records `const { once } = context` inside the handler. */
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

/** The places in a function where a name is used. */
function usesOf(name: ts.Identifier, inside: ts.Node): ts.Identifier[] {
  const uses: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node !== name && node.text === name.text) uses.push(node);
    ts.forEachChild(node, visit);
  };
  visit(inside);
  return uses;
}

/** Whether a call is awaited: directly, as an element of an array, or as the source of `for await`. */
function isAwaited(call: ts.CallExpression): boolean {
  let node: ts.Node = call;
  while (ts.isParenthesizedExpression(node.parent) || ts.isNonNullExpression(node.parent)) node = node.parent;
  const { parent } = node;
  if (ts.isAwaitExpression(parent)) return true;
  return ts.isForOfStatement(parent) && parent.awaitModifier !== undefined && parent.expression === node;
}

/** The names in a chain of members: `["context", "ask", "elicit"]`. */
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
