import type { EmittedFile } from "../../emit/emitter.js";
import { docComment, stringLiteral } from "../../emit/text.js";
import { checkedName } from "./checks.js";
import type { ContractInput } from "./input.js";
import type { ContractName } from "./names.js";

/** `client.ts`: a method for each tool and prompt, over any client of the runtime. */
export function emitClient(input: ContractInput): EmittedFile {
  const { names, tools, document, origin, importExtension, render } = input;
  const { server } = names;
  const content = render("contract-client.ts", {
    origin,
    importExtension,
    server,
    // `weatherClient`: no reserved word ends so.
    clientFunction: `${server.slice(0, 1).toLowerCase()}${server.slice(1)}Client`,
    checks: tools.some(({ output }) => output !== undefined),
    toolMethods: toolMethods(input).join(""),
    promptMethods: promptMethods(input).join(""),
    toolRows: tools
      .map(({ tool, output }) => toolRow(names.tools.get(tool)!, tool, output !== undefined))
      .join(""),
    promptRows: (document.contract.prompts ?? [])
      .map(({ name }) => `  [${stringLiteral(names.prompts.get(name)!.method)}, ${stringLiteral(name)}],\n`)
      .join(""),
  });
  return { content };
}

function toolRow({ method, namespace }: ContractName, name: string, checked: boolean): string {
  const check = checked ? `, checks.check${checkedName(namespace, "Result")}` : "";
  return `  [${stringLiteral(method)}, ${stringLiteral(name)}${check}],\n`;
}

function toolMethods({ document, names, tools }: ContractInput): string[] {
  return tools.map(({ tool, output }, index) => {
    const { description, title, inputSchema } = document.contract.tools![index]!;
    const { method, namespace } = names.tools.get(tool)!;
    const required = inputSchema["required"];
    const optional = Array.isArray(required) && required.length > 0 ? "" : "?";
    const outcome = output ? `StructuredOutcome<types.${namespace}.Result>` : "Outcome";
    return (
      docComment([description ?? title], "  ") +
      `  readonly ${method}: (args${optional}: types.${namespace}.Arguments, options?: RequestOptions) => Promise<${outcome}>;\n`
    );
  });
}

function promptMethods({ document, names }: ContractInput): string[] {
  return (document.contract.prompts ?? []).map(({ name, title, description, arguments: given = [] }) => {
    const { method, namespace } = names.prompts.get(name)!;
    const optional = given.some(({ required }) => required) ? "" : "?";
    return (
      docComment([description ?? title], "  ") +
      `  readonly ${method}: (args${optional}: types.${namespace}.Arguments, options?: RequestOptions) => Promise<GetPromptResult>;\n`
    );
  });
}
