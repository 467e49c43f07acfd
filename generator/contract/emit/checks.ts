import type { Schema } from "@mcpgen/engine";
import { emitCheck, emitIssues } from "../../emit/check/emit.js";
import type { EmittedFile, SchemaInput } from "../../emit/emitter.js";
import { memberKey } from "../../emit/text.js";
import { emitValidators } from "../../emit/validators/emit.js";
import type { ContractInput } from "./input.js";
import { mergeSchemas } from "./merge.js";

/** The folder of what checks are made of. */
const folder = "checks";

/** The name of a tool's check: `checkGetWeatherArguments`; what it judges is called the same without `check`. */
export function checkedName(namespace: string, part: "Arguments" | "Result"): string {
  return namespace + part;
}

/** `checks.ts`, and the validators it is made of. Clients check results alone. */
export function emitChecks(input: ContractInput): Map<string, EmittedFile> {
  const schemas = judgedSchemas(input);
  const { origin, importExtension, render } = input;
  const surroundings = { origin, importExtension, render };
  const judged: SchemaInput = {
    ...surroundings,
    folder: `${folder}/schemas`,
    schema: mergeSchemas(schemas),
    formats: "annotation",
    judgesOnly: true,
    shapes: "text",
  };
  return new Map<string, EmittedFile>([
    ["checks.ts", { content: checksText(input, [...schemas.keys()]) }],
    ...(schemas.size === 0
      ? []
      : [
          ...emitValidators(judged),
          ...emitCheck(judged),
          ...emitIssues({ ...surroundings, folder, models: [] }),
        ]),
  ]);
}

function judgedSchemas({ names, tools, role }: ContractInput): Map<string, Schema> {
  const schemas = new Map<string, Schema>();
  for (const { tool, input, output } of tools) {
    const { namespace } = names.tools.get(tool)!;
    if (role !== "client") schemas.set(checkedName(namespace, "Arguments"), input);
    if (output) schemas.set(checkedName(namespace, "Result"), output);
  }
  return schemas;
}

function checksText(
  { names, tools, role, origin, importExtension, render }: ContractInput,
  judged: string[],
): string {
  const rows = tools.map(({ tool, output }) => {
    const { namespace } = names.tools.get(tool)!;
    const result = output ? `, output: check${checkedName(namespace, "Result")}` : "";
    return `  ${memberKey(tool)}: { input: check${checkedName(namespace, "Arguments")}${result} },`;
  });
  const serves = role !== "client";
  return render("contract-checks.ts", { origin, importExtension, judged, serves, rows });
}
