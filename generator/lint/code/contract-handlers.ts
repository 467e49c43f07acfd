import { ts } from "ts-morph";
import { type Literals, bareOf } from "./literals.js";
import type { TaskTool } from "./task-tools.js";

/** A server of a contract: what its code adds to the tools, and where it takes the handlers from. */
interface ContractServer {
  /** `task` of tools, by their names. */
  readonly tasks: ReadonlyMap<string, { readonly onRestart?: unknown }>;
  readonly handlers: ts.Expression;
  /** The function that takes the handlers, and the type of that parameter: absent if the handlers stand in the call. */
  readonly create?: { readonly declared: ts.Node; readonly index: number; readonly type?: ts.Symbol };
}

/**
 * The tools with the member `task` in a contract whose server is in the program, with the handlers that implement them.
 *
 * @param files the files whose handlers are looked for
 */
export function contractTools(
  program: ts.Program,
  files: readonly ts.SourceFile[],
  literals: Literals,
): TaskTool[] {
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

/** The calls `addToTools(defineServer(contract, handlers, …), options, added)` of a file. */
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

/** `task` of the tools in what is generated as `JSON.parse("…")`. */
function tasksIn(added: ts.Node, literals: Literals): ContractServer["tasks"] | undefined {
  if (!ts.isCallExpression(added) || calleeName(added)?.text !== "parse") return undefined;
  const text = literals.text(added.arguments[0]);
  try {
    const members = JSON.parse(text ?? "") as Readonly<Record<string, { readonly task?: object }>>;
    return new Map(Object.entries(members).flatMap(([name, { task }]) => (task ? [[name, task]] : [])));
  } catch {
    // The file was changed: the generator writes it again.
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

/** The objects of handlers that a server is given, and those that are declared with the type of its handlers. */
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
    // The rule `task-required` judges the support, in the contract.
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
