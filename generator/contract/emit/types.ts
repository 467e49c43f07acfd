import { isOptional, variablesIn } from "@mcpgen/engine/uri-template";
import type { EmittedFile } from "../../print/emitted-file.js";
import { docComment, propertyKey } from "../../print/text.js";
import type { ContractInput } from "./names.js";
import { type TypeRoot, typeCompiler } from "./tool-types.js";
import { templateExpressions } from "./uri-template.js";

/**
 * Emits `types.ts`: a namespace for each tool, prompt and resource template, with the types of arguments and
 * results.
 */
export async function emitTypes(input: ContractInput): Promise<EmittedFile> {
  const namespaces = [
    ...(await toolNamespaces(input)),
    ...promptNamespaces(input),
    ...templateNamespaces(input),
  ];
  return { content: input.render("contract-types.ts", { origin: input.origin, namespaces }) };
}

async function toolNamespaces({ document, names, tools }: ContractInput): Promise<string[]> {
  if (tools.length === 0) return [];
  const declarationsOf = await typeCompiler();
  const blocks: string[] = [];
  for (const [index, { tool, input, output, unread }] of tools.entries()) {
    const roots: TypeRoot[] = [{ name: "Arguments", schema: input }];
    if (output) roots.push({ name: "Result", schema: output });
    const { description, title } = document.contract.tools![index]!;
    const name = names.tools.get(tool)!.namespace;
    const notes = unread
      .filter(({ left }) => left === "schema")
      .map(({ part, inside, message }) => `Not typed: its ${part}${inside} cannot be read (${message}).`);
    blocks.push(namespace(name, [description ?? title, ...notes], await declarationsOf(roots)));
  }
  return blocks;
}

function promptNamespaces({ document, names }: ContractInput): string[] {
  return (document.contract.prompts ?? []).map(({ name, title, description, arguments: given = [] }) => {
    const members = given.map(
      (argument) =>
        docComment([argument.description ?? argument.title], "  ") +
        `  ${propertyKey(argument.name)}${argument.required ? "" : "?"}: string;\n`,
    );
    return namespace(
      names.prompts.get(name)!.namespace,
      [description ?? title],
      interfaceOf("Arguments", members),
    );
  });
}

function templateNamespaces({ document, names }: ContractInput): string[] {
  return (document.contract.resourceTemplates ?? []).map(({ uriTemplate, title, description }, index) => {
    const place = document.place(`/resourceTemplates/${index}/uriTemplate`);
    const expressions = templateExpressions(uriTemplate, place).filter((each) => typeof each !== "string");
    const variables = expressions.flatMap((each) =>
      each.variables.map((variable) => ({
        name: variable.name,
        required: !isOptional({ ...variable, operator: each.operator }),
        isList: variable.exploded === true,
      })),
    );
    // A variable that occurs several times is optional only if every occurrence is.
    const required = new Set(variables.filter((each) => each.required).map(({ name }) => name));
    const single = new Set(variables.filter(({ isList }) => !isList).map(({ name }) => name));
    const members = variablesIn(expressions).map(
      (name) =>
        `  readonly ${propertyKey(name)}${required.has(name) ? "" : "?"}: ${single.has(name) ? "string" : "readonly string[]"};\n`,
    );
    return namespace(
      names.templates.get(uriTemplate)!.namespace,
      [description ?? title],
      interfaceOf("Variables", members),
    );
  });
}

/** A type literal rather than an interface, so that it is assignable to types with an index signature. */
function interfaceOf(name: string, members: readonly string[]): string {
  return `export type ${name} = {\n${members.join("")}};`;
}

function namespace(name: string, said: readonly (string | undefined)[], body: string): string {
  const lines = body.split("\n").map((line) => (line === "" ? "" : `  ${line}`));
  return `${docComment(said)}export declare namespace ${name} {\n${lines.join("\n")}\n}`;
}
