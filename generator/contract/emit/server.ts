import type { EmittedFile } from "../../print/emitted-file.js";
import { docComment, propertyKey } from "../../print/text.js";
import { completable } from "../completable.js";
import type { ContractTool } from "../contract.js";
import { scopesLine } from "../scopes.js";
import { asListed, needsTasks, taskLine } from "../tasks.js";
import type { ContractInput } from "./input.js";
import { jsonExpression } from "./json-expression.js";

/** `server.ts`: what handlers take and give, exactly, and the server that is made of them. */
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
    // The code that serves resources and prompts is left out of the bundle of a server that only has tools.
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

/** Lists that the contract does not have are no part of the handlers. */
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

/** A type for each prompt and template that has arguments: their names are those of its completers. */
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

/** What the documentation of a handler says. */
type Said = {
  readonly description?: string;
  readonly title?: string;
  readonly scopes?: readonly string[];
  readonly task?: ContractTool["task"];
};

function said(listed: Said): (string | undefined)[] {
  return [listed.description ?? listed.title, taskLine(listed), scopesLine(listed)];
}

function member(key: string, listed: Said, parameters: string, answer: string): string {
  return (
    docComment(said(listed), "    ") +
    `    readonly ${propertyKey(key)}: (${parameters}) => ${answer} | Promise<${answer}>;\n`
  );
}

/** `contract.ts`: what the server lists, as the contract has it, and what it does not list of tools. */
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
