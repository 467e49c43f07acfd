import { docComment, stringLiteral } from "../../print/text.js";
import { scopesLine } from "../scopes.js";
import type { ContractInput } from "./input.js";
import { templateExpressions, variableNames } from "./uri-template.js";

/** A list of the contract as the client has it: an interface with a method for each entry, and what the methods need. */
interface ClientList {
  /** The member of the client: `resourceTemplates`. */
  readonly name: string;
  /** The name of its interface: `WeatherResourceTemplates`. */
  readonly type: string;
  readonly methods: string;
  readonly rows: string;
}

/** A method for each prompt, by which it is rendered. */
export function promptList({ document, names }: ContractInput): ClientList | undefined {
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

/** A method for each resource, by which it is read. */
export function resourceList({ document, names }: ContractInput): ClientList | undefined {
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

/** A method for each resource template, which expands the template and reads the resource. */
export function templateList({ document, names }: ContractInput): ClientList | undefined {
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

/** Suggestions for arguments of prompts and variables of templates, of servers that declare to have any. */
export function completionLists({ document, names }: ContractInput): ClientList[] {
  const { capabilities, prompts = [], resourceTemplates = [] } = document.contract;
  if (capabilities?.["completions"] === undefined) return [];
  const able = prompts.filter(({ arguments: given = [] }) => given.length > 0);
  const variable = resourceTemplates.filter(
    ({ uriTemplate }, index) =>
      variableNames(
        templateExpressions(uriTemplate, document.place(`/resourceTemplates/${index}/uriTemplate`)),
      ).length > 0,
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
  /** The name or URI by which the server knows it. */
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
