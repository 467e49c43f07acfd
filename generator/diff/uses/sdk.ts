import type { SchemaNode } from "@mcpgen/engine";
import { ts } from "ts-morph";
import { type ProtocolModel, type Role, opposite } from "../../model/model.js";
import type { Finding } from "../finding.js";
import { type Claim, type TargetIndex, memberKey } from "./targets.js";

/** The compared models and findings, for code that uses an official SDK. */
export interface Compared {
  readonly models: readonly ProtocolModel[];
  readonly findings: readonly Pick<Finding, "level" | "rule">[];
}

/**
 * The targets behind names of the official SDKs: types, their schemas (`CallToolRequestSchema`), guards
 * (`isInitializeRequest`), members of types, and functions of clients and servers.
 */
export class SdkNames {
  readonly #targets: TargetIndex;
  readonly #compared: Compared;
  /** Methods by the definition of their message. */
  readonly #methods = new Map<string, string>();
  readonly #senders = new Map<string, Set<Role>>();
  /** Names by which code can refer to the targets, besides the targets' own. */
  readonly words = new Set<string>();

  constructor(targets: TargetIndex, compared: Compared) {
    this.#targets = targets;
    this.#compared = compared;
    for (const { name, message, senders } of compared.models.flatMap(({ methods }) => methods)) {
      this.#methods.set(message, name);
      this.#senders.set(name, new Set([...(this.#senders.get(name) ?? []), ...senders]));
    }
    for (const name of [...targets.definitions.keys(), ...this.#methods.keys()]) {
      if (this.ofExport(name).length > 0)
        for (const word of [name, `${name}Schema`, `is${name}`]) this.words.add(word);
    }
    for (const [name, { methods }] of sdkFunctions)
      if (methods.some((method) => targets.methods.has(method))) this.words.add(name);
  }

  /** The targets of an SDK's export. */
  ofExport(name: string): Claim[] {
    const definition = /^(?:is)?([A-Z]\w*?)(?:Schema)?$/.exec(name)?.[1] ?? name;
    const method = this.#methods.get(definition);
    return [...(this.#targets.definitions.get(definition) ?? []), ...this.#ofMethod(method)];
  }

  /** The targets of a client's or server's function, limited to the side that calls it. */
  ofFunction(name: string): Claim[] {
    const { methods = [], side } = sdkFunctions.get(name) ?? {};
    return methods.flatMap((method) => this.#ofMethod(method)).filter((claim) => this.#concerns(claim, side));
  }

  #ofMethod(method: string | undefined): Claim[] {
    const claims = method === undefined ? undefined : this.#targets.methods.get(method);
    return (claims ?? []).filter(({ wireOnly }) => !wireOnly);
  }

  /** The targets of a declaration in an SDK's types. */
  ofDeclaration(declaration: ts.Node): Claim[] {
    const name = ts.getNameOfDeclaration(declaration as ts.Declaration)?.getText();
    if (name === undefined) return [];
    if (ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration))
      return this.ofFunction(name);
    const [holder, keys] = wayTo(declaration);
    if (holder === undefined) return [];
    if (keys.length === 0) return this.ofExport(holder);
    const definition = holder.replace(/Schema$/, "");
    const places = new Set(this.#compared.models.flatMap((model) => placesOf(model, definition, keys)));
    return [...places].flatMap((place) => this.#targets.members.get(place) ?? []);
  }

  /**
   * Keeps the claims for the role of a piece of code, if an SDK call shows the role. A handler answers
   * messages of the other side.
   */
  onItsSide(node: ts.Node, claims: readonly Claim[]): Claim[] {
    const side = this.#sideOf(node);
    return claims.filter((claim) => this.#concerns(claim, side));
  }

  #concerns({ finding }: Claim, side: Role | undefined): boolean {
    if (side === undefined) return true;
    const { level, rule } = this.#compared.findings[finding]!;
    // An added or removed method affects both its sender and its receiver.
    if (/^(?:request|notification|method)-/.test(rule)) return true;
    return level[side] !== "safe" || level[opposite(side)] === "safe";
  }

  #sideOf(node: ts.Node): Role | undefined {
    if (isOfMessage(node) && ts.isStringLiteralLike(node)) return only(this.#senders.get(node.text));
    // A proxy acts as a client inside a server's handler, so the innermost call decides.
    const own = calledFunction(node)?.side;
    if (own) return own;
    for (let inner = node; inner.parent; inner = inner.parent) {
      const { parent } = inner;
      if (!ts.isCallExpression(parent) || !parent.arguments.includes(inner as ts.Expression)) continue;
      const callee = ts.isPropertyAccessExpression(parent.expression) ? parent.expression.name.text : "";
      const way = sdkDispatchers.get(callee);
      const method = way && this.#methodIn(parent.arguments[0]!);
      const sender = only(this.#senders.get(method ?? ""));
      if (sender) return way === "sent" ? sender : opposite(sender);
    }
    return undefined;
  }

  /** The method in the first argument of a dispatcher: a literal, a message, or a schema. */
  #methodIn(argument: ts.Expression): string | undefined {
    if (ts.isStringLiteralLike(argument)) return argument.text;
    if (ts.isIdentifier(argument)) return this.#methods.get(argument.text.replace(/Schema$/, ""));
    if (!ts.isObjectLiteralExpression(argument)) return undefined;
    const method = argument.properties.find((property) => property.name?.getText() === "method");
    return method && ts.isPropertyAssignment(method) && ts.isStringLiteralLike(method.initializer)
      ? method.initializer.text
      : undefined;
  }
}

/** Whether a literal is the `method` of a complete message. */
export function isOfMessage({ parent }: ts.Node): boolean {
  return isNamedMethod(parent) && parent.parent.properties.some(({ name }) => name?.getText() === "jsonrpc");
}

function calledFunction(node: ts.Node): SdkFunction | undefined {
  const { parent } = node;
  return ts.isIdentifier(node) && ts.isPropertyAccessExpression(parent) && parent.name === node
    ? sdkFunctions.get(node.text)
    : undefined;
}

function isNamedMethod(node: ts.Node): node is ts.PropertyAssignment {
  return ts.isPropertyAssignment(node) && node.name.getText() === "method";
}

function only<T>(values: ReadonlySet<T> | undefined): T | undefined {
  return values?.size === 1 ? [...values][0] : undefined;
}

/** The exported type or schema that contains a declaration, and the member names on the way to it. */
function wayTo(declaration: ts.Node): [holder: string | undefined, keys: string[]] {
  const keys: string[] = [];
  for (let node: ts.Node | undefined = declaration; node; node = node.parent) {
    if (ts.isPropertySignature(node) || ts.isPropertyAssignment(node))
      keys.unshift("text" in node.name ? node.name.text : node.name.getText());
    else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      return [node.name.text, keys];
    else if (ts.isFunctionDeclaration(node)) return [node.name?.text, keys];
    else if (ts.isVariableDeclaration(node)) return [node.name.getText(), keys];
    else if (ts.isClassLike(node)) return [undefined, keys];
  }
  return [undefined, keys];
}

/**
 * The members of definitions that a path from a definition leads to, through references, items and unions.
 */
function placesOf({ schema }: ProtocolModel, definition: string, keys: readonly string[]): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (
    node: SchemaNode | undefined,
    left: readonly string[],
    holder: string,
    path: string,
  ): void => {
    if (!node) return;
    if (left.length === 0) return void found.add(memberKey(holder, path));
    const key = `${node.pointer} ${left.length}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (node.ref !== undefined) visit(schema.definitions.get(node.ref)?.node, left, node.ref, "");
    for (const part of [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])])
      visit(part, left, holder, path);
    visit(node.items, left, holder, path);
    const [next, ...rest] = left as [string, ...string[]];
    visit(node.properties?.get(next), rest, holder, path === "" ? next : `${path}.${next}`);
  };
  visit(schema.definitions.get(definition)?.node, keys, definition, "");
  return [...found];
}

/** What a function of an official SDK's client or server does. */
interface SdkFunction {
  /** Methods of the protocol that it sends or, if it registers a handler, answers. */
  readonly methods: readonly string[];
  /** The side that calls it; absent if both can. */
  readonly side?: Role;
}

const of = (side: Role | undefined, ...methods: string[]): SdkFunction => ({
  methods,
  ...(side && { side }),
});

/** Functions of `Client`, `Server` and `McpServer`, versions 1 and 2, by name. */
const sdkFunctions: ReadonlyMap<string, SdkFunction> = new Map([
  ["ping", of(undefined, "ping")],
  ["callTool", of("client", "tools/call")],
  ["callToolStream", of("client", "tools/call")],
  ["listTools", of("client", "tools/list")],
  ["getPrompt", of("client", "prompts/get")],
  ["listPrompts", of("client", "prompts/list")],
  ["readResource", of("client", "resources/read")],
  ["listResources", of("client", "resources/list")],
  ["listResourceTemplates", of("client", "resources/templates/list")],
  ["subscribeResource", of("client", "resources/subscribe")],
  ["unsubscribeResource", of("client", "resources/unsubscribe")],
  ["complete", of("client", "completion/complete")],
  ["setLoggingLevel", of("client", "logging/setLevel")],
  ["sendRootsListChanged", of("client", "notifications/roots/list_changed")],
  ["createMessage", of("server", "sampling/createMessage")],
  ["elicitInput", of("server", "elicitation/create")],
  ["listRoots", of("server", "roots/list")],
  ["sendLoggingMessage", of("server", "notifications/message")],
  ["sendResourceUpdated", of("server", "notifications/resources/updated")],
  ["sendResourceListChanged", of("server", "notifications/resources/list_changed")],
  ["sendToolListChanged", of("server", "notifications/tools/list_changed")],
  ["sendPromptListChanged", of("server", "notifications/prompts/list_changed")],
  ["tool", of("server", "tools/call", "tools/list")],
  ["registerTool", of("server", "tools/call", "tools/list")],
  ["prompt", of("server", "prompts/get", "prompts/list")],
  ["registerPrompt", of("server", "prompts/get", "prompts/list")],
  ["resource", of("server", "resources/read", "resources/list")],
  ["registerResource", of("server", "resources/read", "resources/list")],
]);

/** Functions whose first argument is a method or its schema, and whether they handle or send its messages. */
export const sdkDispatchers: ReadonlyMap<string, "received" | "sent"> = new Map([
  ["setRequestHandler", "received"],
  ["setNotificationHandler", "received"],
  ["request", "sent"],
  ["notification", "sent"],
]);
