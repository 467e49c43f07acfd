import { type JsonObject, type JsonValue, isJsonObject, naturalCompare, pointer } from "@mcpgen/engine";
import type { EmittedFile } from "../../print/emitted-file.js";
import { docComment, propertyKey, escapedLines } from "../../print/text.js";
import { completable } from "../completable.js";
import type { ContractTool } from "../contract.js";
import { scopesLine } from "../scopes.js";
import { asListed, needsTasks, taskLine } from "../tasks.js";
import type { ContractInput } from "./names.js";
import { templateParts } from "./uri-template.js";
import { type Place, CodedError } from "../../diagnostics/coded-error.js";

/** Emits `server.ts`: the exact types of handlers, and the function that creates the server. */
export function emitServer(input: ContractInput): EmittedFile {
  const { document, names, origin, importExtension, render } = input;
  const members = [
    ...list("tools", toolMembers(input)),
    ...list("resources", resourceMembers(input)),
    ...list("resourceTemplates", templateMembers(input)),
    ...list("prompts", promptMembers(input)),
  ];
  const completions = completionMembers(input);
  const declared = input.document.contract.capabilities?.["completions"] !== undefined;
  const view = {
    ...{ origin, importExtension, createServer: names.createServer },
    // This import keeps the code for resources and prompts out of the bundle of a server that has only tools.
    defineServer: hasToolsAlone(input) ? "defineToolServer" : "defineServer",
    tasks: needsTasks(document.contract),
    members: members.join(""),
    completions: completions.length > 0 && {
      key: declared ? "completions" : "completions?",
      members: completions.join(""),
    },
  };
  return { content: render("contract-server.ts", view) };
}

function hasToolsAlone({ document: { contract } }: ContractInput): boolean {
  const others = ["resources", "resourceTemplates", "prompts", "completions"];
  return !others.some(
    (kind) => Object.hasOwn(contract, kind) || Object.hasOwn(contract.capabilities ?? {}, kind),
  );
}

/** The member of `Handlers` for a list; empty if the contract lacks the list. */
function list(name: string, members: readonly string[]): string[] {
  return members.length === 0 ? [] : [`  readonly ${name}: {\n${members.join("")}  };\n`];
}

function toolMembers({ document, names, tools }: ContractInput): string[] {
  return tools.map(({ tool, output }, index) => {
    const listed = document.contract.tools![index]!;
    const namespace = `types.${names.tools.get(tool)!.namespace}`;
    const answer = output ? `StructuredAnswer<${namespace}.Result>` : "ToolAnswer";
    return member(tool, listed, `args: ${namespace}.Arguments, context: HandlerContext`, answer);
  });
}

function resourceMembers({ document }: ContractInput): string[] {
  return (document.contract.resources ?? []).map(
    (resource) =>
      `${docComment(said(resource), "    ")}    readonly ${propertyKey(resource.uri)}: ResourceHandler;\n`,
  );
}

function templateMembers({ document, names }: ContractInput): string[] {
  return (document.contract.resourceTemplates ?? []).map((template) => {
    const { uriTemplate } = template;
    const variables = `types.${names.templates.get(uriTemplate)!.namespace}.Variables`;
    const parameters = `variables: ${variables}, context: HandlerContext, uri: string`;
    return member(uriTemplate, template, parameters, "ResourceAnswer");
  });
}

function promptMembers({ document, names }: ContractInput): string[] {
  return (document.contract.prompts ?? []).map((prompt) => {
    const { name } = prompt;
    const args = `types.${names.prompts.get(name)!.namespace}.Arguments`;
    return member(name, prompt, `args: ${args}, context: HandlerContext`, "PromptAnswer");
  });
}

/** A type for each prompt and template with arguments, whose members are its completers. */
function completionMembers({ document: { contract }, names }: ContractInput): string[] {
  const types = new Map<string, string[]>();
  const add = (reference: string, type: string): void =>
    void types.set(reference, [...(types.get(reference) ?? []), type]);
  const references = completable(contract);
  for (const { name } of contract.prompts ?? [])
    if (references.has(name)) add(name, `types.${names.prompts.get(name)!.namespace}.Arguments`);
  for (const { uriTemplate } of contract.resourceTemplates ?? [])
    if (references.has(uriTemplate))
      add(uriTemplate, `types.${names.templates.get(uriTemplate)!.namespace}.Variables`);
  return [...types].map(
    ([reference, all]) =>
      `    readonly ${propertyKey(reference)}: Completions<${all.map((type) => `keyof ${type}`).join(" | ")}>;\n`,
  );
}

/** The facts in a handler's documentation. */
type Said = Pick<ContractTool, "description" | "title" | "scopes" | "task">;

function said(listed: Said): (string | undefined)[] {
  return [listed.description ?? listed.title, taskLine(listed), scopesLine(listed)];
}

function member(key: string, listed: Said, parameters: string, answer: string): string {
  return (
    docComment(said(listed), "    ") +
    `    readonly ${propertyKey(key)}: (${parameters}) => ${answer} | Promise<${answer}>;\n`
  );
}

/** Emits `contract.ts`: the lists that the server serves, and facts about tools that it does not list. */
export function emitPayload({ document, origin, render }: ContractInput): EmittedFile {
  const { tools = [] } = document.contract;
  const tasks = tools.flatMap(({ name, task }) => (task ? [[name, { task }] as const] : []));
  const view = {
    origin,
    payload: jsonExpression(asListed(document.contract, false)),
    added: tasks.length > 0 && jsonExpression(Object.fromEntries(tasks)),
  };
  return { content: render("contract-payload.ts", view) };
}

/** The requests that an entry of the contract answers, and the headers that repeat its arguments. */
interface Route {
  readonly method: string;
  readonly name: string;
  readonly headers?: readonly ParamHeader[];
}

/** Emits `routing.ts`: data by which gateways route requests. */
export function emitRouting(input: ContractInput): EmittedFile {
  const routes = routesOf(input);
  const headers = new Set(routes.flatMap((route) => (route.headers ?? []).map((each) => each.header)));
  const { contract, place } = input.document;
  const templates = (contract.resourceTemplates ?? []).map(({ uriTemplate }, index) => ({
    uriTemplate,
    parts: templateParts(uriTemplate, place(`/resourceTemplates/${index}/uriTemplate`)),
  }));
  const data = { format: 1, headers: [...headers].sort(naturalCompare), routes, templates };
  const { origin, render } = input;
  return { content: render("contract-routing.ts", { origin, routing: jsonExpression(data) }) };
}

function routesOf({ document: { contract, place } }: ContractInput): Route[] {
  const { tools = [], resources = [], prompts = [] } = contract;
  return [
    ...tools.map(({ name, inputSchema }, index): Route => {
      const at = `${pointer("/tools", index)}/inputSchema`;
      const headers = paramHeaders(inputSchema, (below) => place(at + below));
      return { method: "tools/call", name, ...(headers.length > 0 && { headers }) };
    }),
    ...resources.map(({ uri }): Route => ({ method: "resources/read", name: uri })),
    ...prompts.map(({ name }): Route => ({ method: "prompts/get", name })),
  ];
}

/** A header that repeats an argument (2026-07-28, Streamable HTTP, custom headers). */
interface ParamHeader {
  readonly header: string;
  /** Path of the argument below `arguments`. */
  readonly path: readonly string[];
  readonly type: string;
}

const keyword = "x-mcp-header";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: ReadonlySet<JsonValue | undefined> = new Set(["string", "integer", "boolean"]);

/**
 * The headers that an `inputSchema` declares. Only schemas along `properties` describe a definite argument.
 *
 * @param place gives the place of a pointer below the schema
 * @throws CodedError MG6006 for a declaration that makes the tool invalid
 */
function paramHeaders(inputSchema: JsonObject, place: (pointer: string) => Place): ParamHeader[] {
  const found: ParamHeader[] = [];
  const seen = new Set<string>();
  for (const { header, at } of headersIn(inputSchema, "", [], place)) {
    const name = header.header.toLowerCase();
    if (seen.has(name)) throw refused(`the header ${header.header} is declared twice`, place(at));
    seen.add(name);
    found.push(header);
  }
  return found;
}

function* headersIn(
  schema: JsonObject,
  at: string,
  path: readonly string[],
  place: (pointer: string) => Place,
): Generator<{ readonly header: ParamHeader; readonly at: string }> {
  if (Object.hasOwn(schema, keyword))
    yield { header: declared(schema, at, path, place), at: pointer(at, keyword) };
  for (const [key, value] of Object.entries(schema)) {
    if (key === keyword || key === "properties" || data.has(key) || !declares(value)) continue;
    throw refused(`expected ${keyword} below properties only, got it below ${key}`, place(pointer(at, key)));
  }
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    const below = pointer(pointer(at, "properties"), name);
    if (isJsonObject(property)) yield* headersIn(property, below, [...path, name], place);
  }
}

/** Keywords whose values are data rather than schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

function declares(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(declares);
  if (!isJsonObject(value)) return false;
  return (
    Object.hasOwn(value, keyword) ||
    Object.entries(value).some(([key, inner]) => !data.has(key) && declares(inner))
  );
}

function declared(
  { [keyword]: name, type }: JsonObject,
  at: string,
  path: readonly string[],
  place: (pointer: string) => Place,
): ParamHeader {
  const where = place(pointer(at, keyword));
  if (typeof name !== "string" || !token.test(name))
    throw refused(`expected ${keyword} to be the name of a header, got ${JSON.stringify(name)}`, where);
  if (path.length === 0)
    throw refused(`expected ${keyword} on an argument, got it on the root schema`, where);
  if (!types.has(type))
    throw refused(
      `expected ${keyword} on a string, an integer or a boolean, got ${JSON.stringify(type)}`,
      where,
    );
  return { header: `Mcp-Param-${name}`, path, type: type as string };
}

function refused(message: string, place: Place): CodedError {
  return new CodedError("MG6006", message, {
    place,
    next: "Correct or remove it: clients ignore a tool with an invalid header.",
  });
}

/**
 * An expression for a JSON value: `JSON.parse` of its text, evaluated on import. An object literal would make
 * the compiler infer a type for each part. Text also keeps the key order, and `__proto__` as a key.
 */
function jsonExpression(value: unknown): string {
  const text = escapedLines(JSON.stringify(value, null, 2).replace(/\\|`|\$\{/g, (found) => `\\${found}`));
  return `/* @__PURE__ */ JSON.parse(\`${text}\`)`;
}
