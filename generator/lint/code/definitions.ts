import { ts } from "ts-morph";
import { type ContractList, identities, nouns } from "../../contract/contract.js";
import { jsonIn } from "../../files/json-file.js";
import { type HandlerFunction, type Literals, calleeName, nameOf, visitAll } from "./literals.js";
import { Servers } from "./servers.js";

/** A tool, resource, template or prompt in a server's code. */
export interface Definition {
  /** Its kind and its name as written in code, e.g. `tool "pay"`. */
  readonly title: string;
  /** Whether its calls may run as tasks. */
  readonly hasTask: boolean;
  readonly support: string | undefined;
  /** The member `support`, or the call or handler of the definition. */
  readonly at: ts.Node;
  /** When its handler is run again: after an ask, or always, when the process of its task has ended. */
  readonly replayed: "after asks" | "always" | undefined;
  /** Why a handler that asks must be one that is run again, and is not. */
  readonly cannotWait: string | undefined;
  /** The handler, if it was found. */
  readonly handler: HandlerFunction | undefined;
}

/** The definitions in a program's code, and those of contracts whose server is in the program. */
export function definitionsIn(
  program: ts.Program,
  files: readonly ts.SourceFile[],
  literals: Literals,
): Definition[] {
  const contracts = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && /define(?:Tool)?Server\(/.test(file.text))
    .flatMap((file) => contractServers(file, literals));
  const creators = contracts.flatMap(({ create }) =>
    // The options follow the handlers.
    create ? [[create.declared, create.index + 1] as const] : [],
  );
  const servers = new Servers(files, literals, new Map(creators));
  const definitions: Definition[] = [];
  for (const file of files) {
    // Skip files that cannot register anything.
    if (!/\.(?:tool|resource|resourceTemplate|prompt)\(/.test(file.text)) continue;
    visitAll(file, (node) => {
      const found = ts.isCallExpression(node) ? registered(node, literals, servers) : undefined;
      if (found) definitions.push(found);
    });
  }
  for (const contract of contracts)
    for (const handlers of handlersOf(contract, files, literals))
      definitions.push(...ofContract(contract, handlers, literals, servers));
  return definitions;
}

/** The members of a server that register something. */
const kinds = new Map([
  ["tool", "tool"],
  ["resource", "resource"],
  ["resourceTemplate", "resource template"],
  ["prompt", "prompt"],
]);

/** The definition of a call `server.tool(name, definition, handler)`. */
function registered(call: ts.CallExpression, literals: Literals, servers: Servers): Definition | undefined {
  const { expression, arguments: args } = call;
  const [name, definition, handler] = args;
  if (!ts.isPropertyAccessExpression(expression) || !name || !handler) return undefined;
  const kind = kinds.get(expression.name.text);
  const members = literals.object(definition);
  if (kind === undefined || !members) return undefined;
  const task = literals.object(literals.member(members, "task"));
  const support = literals.member(task, "support");
  const isReplayed = literals.text(literals.member(task, "onRestart")) === "replay";
  const replay = literals.flag(members, "replay");
  const written = literals.text(name);
  return {
    title: `${kind} ${written === undefined ? name.getText() : JSON.stringify(written)}`,
    hasTask: task !== undefined,
    support: literals.text(support),
    at: support?.parent ?? call,
    replayed: isReplayed ? "always" : replay ? "after asks" : undefined,
    cannotWait: task || replay !== false ? undefined : servers.reason(expression.expression),
    handler: literals.functionOf(handler),
  };
}

/** What is read of an entry of a contract. */
interface Entry {
  readonly task?: { readonly onRestart?: unknown };
  readonly replay?: unknown;
}

/** A server of a contract in code: the facts about its entries, and the source of its handlers. */
interface ContractServer {
  readonly entry: (list: ContractList, key: string) => Entry | undefined;
  readonly handlers: ts.Expression;
  /**
   * The function with the handlers as a parameter, and that parameter's type; absent if the call contains the
   * handlers.
   */
  readonly create?: { readonly declared: ts.Node; readonly index: number; readonly type?: ts.Symbol };
}

/** The calls `defineServer(contract, handlers, …)` in a file, alone or in `addToTools(…, options, added)`. */
function contractServers(file: ts.SourceFile, literals: Literals): ContractServer[] {
  const servers: ContractServer[] = [];
  visitAll(file, (node) => {
    if (!ts.isCallExpression(node) || !/^define(?:Tool)?Server$/.test(calleeName(node)?.text ?? "")) return;
    const [listed, handlers] = node.arguments;
    const contract = parsed(listed, literals);
    if (!contract || !handlers) return;
    const { parent } = node;
    const isAdded = ts.isCallExpression(parent) && calleeName(parent)?.text === "addToTools";
    const added = isAdded ? parsed(parent.arguments[2], literals) : undefined;
    const create = creator(handlers, literals);
    servers.push({
      entry: (list, key) => {
        const entries = contract[list] as readonly Record<string, unknown>[] | undefined;
        const found = entries?.find((each) => each[identities[list]] === key);
        return found && { ...found, ...(list === "tools" ? (added?.[key] as Entry) : undefined) };
      },
      handlers,
      ...(create && { create }),
    });
  });
  return servers;
}

/** The value in generated code `JSON.parse("…")`. */
function parsed(code: ts.Expression | undefined, literals: Literals): Record<string, unknown> | undefined {
  const call = code && literals.resolved(code);
  if (!call || !ts.isCallExpression(call) || calleeName(call)?.text !== "parse") return undefined;
  // Undefined if the generated file was edited; the next generation restores it.
  return jsonIn(literals.text(call.arguments[0]) ?? "") as Record<string, unknown> | undefined;
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
  const names = [nameOf(create.declared), create.type?.name];
  for (const file of files) {
    if (!names.some((name) => name !== undefined && file.text.includes(name))) continue;
    visitAll(file, (node) => {
      if (ts.isCallExpression(node)) {
        const name = calleeName(node);
        if (name && literals.declarationOf(name) === create.declared) add(node.arguments[create.index]);
      } else if (ts.isVariableDeclaration(node) || ts.isSatisfiesExpression(node)) {
        const value = ts.isVariableDeclaration(node) ? node.initializer : node.expression;
        if (node.type && create.type && typeSymbol(node.type, literals) === create.type) add(value);
      }
    });
  }
  return objects;
}

function ofContract(
  { entry, create }: ContractServer,
  handlers: ts.ObjectLiteralExpression,
  literals: Literals,
  servers: Servers,
): Definition[] {
  const reason = create && servers.reasonOfContract(create.declared);
  return (Object.keys(nouns) as ContractList[]).flatMap((list) => {
    const functions = literals.object(literals.member(handlers, list));
    const names = functions ? [...new Set(literals.names(functions))] : [];
    return names.flatMap((name): Definition[] => {
      const found = entry(list, name);
      if (!functions || !found) return [];
      const handler = literals.functionMember(functions, name);
      const { task, replay } = found;
      return [
        {
          title: `${nouns[list]} ${JSON.stringify(name)}`,
          hasTask: task !== undefined,
          // Rule `task-required` checks the support in the contract.
          support: undefined,
          at: handler ?? functions,
          replayed: task?.onRestart === "replay" ? "always" : replay === true ? "after asks" : undefined,
          cannotWait: task || replay === true ? undefined : reason,
          handler,
        },
      ];
    });
  });
}

/** The interface or type that a type reference names, also in another file. */
function typeSymbol(type: ts.TypeNode, { checker }: Literals): ts.Symbol | undefined {
  if (!ts.isTypeReferenceNode(type)) return undefined;
  const symbol = checker.getSymbolAtLocation(type.typeName);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}
