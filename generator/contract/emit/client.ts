import type { Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { variablesIn } from "@mcpgen/engine/uri-template";
import type { EmittedFile } from "../../print/emitted-file.js";
import { docComment, stringLiteral } from "../../print/text.js";
import { scopesLine } from "../scopes.js";
import { checkedName } from "./checks.js";
import type { ContractInput, ContractName } from "./names.js";
import { templateExpressions } from "./uri-template.js";

/** Emits `client.ts`: a method for each entry of the contract, on top of any client of the runtime. */
export function emitClient(input: ContractInput): EmittedFile {
  const { names, tools, origin, importExtension, render } = input;
  const [prompts, resources, templates] = [promptList(input), resourceList(input), templateList(input)];
  const completions = completionLists(input);
  const content = render("contract-client.ts", {
    origin,
    importExtension,
    clientType: names.clientType,
    clientFunction: names.clientFunction,
    toolsType: names.listType("tools"),
    completionsType: names.listType("completions"),
    checks: tools.some(({ output }) => output !== undefined),
    toolMethods: toolMethods(input).join(""),
    toolRows: tools
      .map(({ tool, output }) => toolRow(names.tools.get(tool)!, tool, output !== undefined))
      .join(""),
    lists: [prompts, resources, templates].filter((list) => list !== undefined),
    completions: completions.length > 0 && completions,
    ...runtimeTypes(prompts, resources ?? templates, completions[0]),
  });
  return { content };
}

/** The runtime types that the client uses, as imports and as re-exports. */
function runtimeTypes(prompts: unknown, read: unknown, completions: unknown): object {
  const types = [
    "CallToolResult",
    ...(completions ? ["Complete", "CompleteResult"] : []),
    ...(prompts ? ["Open"] : []),
    ...(read ? ["ReadResourceResult"] : []),
    "RequestOptions",
    "StructuredOutcome",
    "ToolFailure as Failed",
    "ToolOutcome as Outcome",
  ];
  return { runtimeTypes: types, exportedTypes: types.map((type) => type.replace(/^.* as /, "")) };
}

function toolRow({ method, namespace }: ContractName, name: string, checked: boolean): string {
  const check = checked ? `, checks.check${checkedName(namespace, "Result")}` : "";
  return `  [${stringLiteral(method)}, ${stringLiteral(name)}${check}],\n`;
}

function toolMethods({ document, names, tools }: ContractInput): string[] {
  return tools.map(({ tool, input, output }, index) => {
    const listed = document.contract.tools![index]!;
    const { description, title } = listed;
    const { method, namespace } = names.tools.get(tool)!;
    const optional = takesNothing(input) ? "?" : "";
    const outcome = output ? `StructuredOutcome<types.${namespace}.Result>` : "Outcome";
    return (
      docComment([description ?? title, scopesLine(listed)], "  ") +
      `  readonly ${method}: (args${optional}: types.${namespace}.Arguments, options?: RequestOptions) => Promise<${outcome}>;\n`
    );
  });
}

/** Whether a tool can be called without arguments; the runtime then sends an empty object. */
function takesNothing(schema: Schema): boolean {
  return schema.root === undefined || isValid(schema, schema.root, {});
}

/**
 * A list of the contract in the generated client: an interface with a method for each entry, and the data
 * that the methods need.
 */
interface ClientList {
  /** The client's property, e.g. `resourceTemplates`. */
  readonly name: string;
  /** The name of its interface, e.g. `WeatherResourceTemplates`. */
  readonly type: string;
  readonly methods: string;
  readonly rows: string;
}

/** A method for each prompt that renders it. */
function promptList({ document, names }: ContractInput): ClientList | undefined {
  const prompts = document.contract.prompts ?? [];
  const methods = prompts.map((prompt) => {
    const { name, title, description, arguments: given = [] } = prompt;
    const { method, namespace } = names.prompts.get(name)!;
    const optional = given.some(({ required }) => required) ? "" : "?";
    const parameters = `args${optional}: types.${namespace}.Arguments, options?: RequestOptions`;
    const said = [description ?? title, scopesLine(prompt)];
    return member(method, said, `(${parameters}) => Promise<Open<"GetPromptResult">>`);
  });
  const rows = prompts.map(({ name }) => row(names.prompts.get(name)!.method, stringLiteral(name)));
  return listOf("prompts", names.listType("prompts"), methods, rows);
}

/** A method for each resource that reads it. */
function resourceList({ document, names }: ContractInput): ClientList | undefined {
  const resources = document.contract.resources ?? [];
  const methods = resources.map((resource) =>
    member(
      names.resources.get(resource.uri)!,
      [resource.description ?? resource.title, `\`${resource.uri}\``, scopesLine(resource)],
      "(options?: RequestOptions) => Promise<ReadResourceResult>",
    ),
  );
  const rows = resources.map(({ uri }) => row(names.resources.get(uri)!, stringLiteral(uri)));
  return listOf("resources", names.listType("resources"), methods, rows);
}

/** A method for each resource template that expands the template and reads the resource. */
function templateList({ document, names }: ContractInput): ClientList | undefined {
  const templates = document.contract.resourceTemplates ?? [];
  const methods = templates.map((template) => {
    const { uriTemplate, title, description } = template;
    const { method, namespace } = names.templates.get(uriTemplate)!;
    const parameters = `variables: types.${namespace}.Variables, options?: RequestOptions`;
    return member(
      method,
      [description ?? title, `\`${uriTemplate}\``, scopesLine(template)],
      `(${parameters}) => Promise<ReadResourceResult>`,
    );
  });
  const rows = templates.map(({ uriTemplate }) =>
    row(names.templates.get(uriTemplate)!.method, stringLiteral(uriTemplate)),
  );
  return listOf("resourceTemplates", names.listType("resourceTemplates"), methods, rows);
}

/** Completions for prompt arguments and template variables, if the server declares the capability. */
function completionLists({ document, names }: ContractInput): ClientList[] {
  const { capabilities, prompts = [], resourceTemplates = [] } = document.contract;
  if (capabilities?.["completions"] === undefined) return [];
  const able = prompts.filter(({ arguments: given = [] }) => given.length > 0);
  const variable = resourceTemplates.filter(
    ({ uriTemplate }, index) =>
      variablesIn(templateExpressions(uriTemplate, document.place(`/resourceTemplates/${index}/uriTemplate`)))
        .length > 0,
  );
  const lists = [
    completionList(
      "prompts",
      able.map(({ name }) => ({ ...names.prompts.get(name)!, part: "Arguments", reference: name })),
    ),
    completionList(
      "resourceTemplates",
      variable.map(({ uriTemplate }) => ({
        ...names.templates.get(uriTemplate)!,
        part: "Variables",
        reference: uriTemplate,
      })),
    ),
  ];
  return lists.filter((list) => list !== undefined);
}

interface Completable {
  readonly method: string;
  readonly namespace: string;
  readonly part: string;
  /** The name or URI that the server uses. */
  readonly reference: string;
}

function completionList(name: string, entries: readonly Completable[]): ClientList | undefined {
  const methods = entries.map(({ method, namespace, part }) =>
    member(method, [], `Complete<keyof types.${namespace}.${part}>`, "    "),
  );
  const rows = entries.map(({ method, reference }) => row(method, stringLiteral(reference)));
  return listOf(name, "Completions", methods, rows);
}

function listOf(
  name: string,
  type: string,
  methods: readonly string[],
  rows: readonly string[],
): ClientList | undefined {
  return methods.length === 0 ? undefined : { name, type, methods: methods.join(""), rows: rows.join("") };
}

function member(method: string, said: readonly (string | undefined)[], type: string, indent = "  "): string {
  return `${docComment(said, indent)}${indent}readonly ${method}: ${type};\n`;
}

function row(method: string, value: string): string {
  return `  [${stringLiteral(method)}, ${value}],\n`;
}
