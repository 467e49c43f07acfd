import type { Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { EmittedFile } from "../../print/emitted-file.js";
import { docComment, stringLiteral } from "../../print/text.js";
import { scopesLine } from "../scopes.js";
import { checkedName } from "./checks.js";
import { completionLists, promptList, resourceList, templateList } from "./client-lists.js";
import type { ContractInput } from "./input.js";
import type { ContractName } from "./names.js";

/** `client.ts`: a method for each thing that the contract offers, over any client of the runtime. */
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

/** The types of the runtime that the client is made of, as they are imported and as they are exported again. */
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

/** Whether a tool can be called without arguments: the runtime sends an object without members. */
function takesNothing(schema: Schema): boolean {
  return schema.root === undefined || isValid(schema, schema.root, {});
}
