import { type Schema, type SchemaNode, descendants } from "@mcpgen/engine";
import type { SchemaInput } from "../../targets/typescript/emitter.js";
import type { EmittedFile } from "../../print/emitted-file.js";
import { memberKey, stringLiteral, capitalised, namesOfTypes } from "../../print/text.js";
import { emitValidators } from "../../targets/typescript/validators/emit.js";
import type { ContractInput } from "./names.js";
import { mergeSchemas } from "./merge.js";

/** The folder of the validators that checks use. */
const folder = "checks";

/**
 * The name of a tool's check: `checkGetWeatherArguments`. The type it checks has the same name without
 * `check`.
 */
export function checkedName(namespace: string, part: "Arguments" | "Result"): string {
  return namespace + part;
}

/** Emits `checks.ts` and its validators. Clients only check results. */
export function emitChecks(input: ContractInput): Map<string, EmittedFile> {
  const schemas = judgedSchemas(input);
  const { origin, importExtension, render } = input;
  const judged: SchemaInput = {
    ...{ origin, importExtension, render },
    folder: `${folder}/schemas`,
    schema: mergeSchemas(schemas, input.formats),
    formats: "annotation",
    judgesOnly: true,
  };
  return new Map<string, EmittedFile>([
    ["checks.ts", { content: checksText(input) }],
    ...(schemas.size === 0 ? [] : [...emitValidators(judged)]),
  ]);
}

function judgedSchemas(input: ContractInput): Map<string, Schema> {
  return new Map(judgedParts(input).map(({ validator, schema }) => [validator, schema]));
}

/** A schema of a tool for which a check is emitted. */
interface JudgedPart {
  readonly name: string;
  /** The name under which its validator is emitted; validators have ASCII names. */
  readonly validator: string;
  readonly tool: string;
  readonly part: "inputSchema" | "outputSchema";
  readonly schema: Schema;
}

function judgedParts({ names, tools, role }: ContractInput): JudgedPart[] {
  const parts = tools.flatMap(({ tool, input, output }): Omit<JudgedPart, "validator">[] => {
    const { namespace } = names.tools.get(tool)!;
    const [argumentsName, resultName] = (["Arguments", "Result"] as const).map((part) =>
      checkedName(namespace, part),
    ) as [string, string];
    return [
      ...(role === "client"
        ? []
        : [{ name: argumentsName, tool, part: "inputSchema", schema: input } as const]),
      ...(output ? [{ name: resultName, tool, part: "outputSchema", schema: output } as const] : []),
    ];
  });
  const identifiers = namesOfTypes(parts.map(({ name }) => name));
  return parts.map((part) => ({ ...part, validator: capitalised(identifiers.get(part.name)!) }));
}

function checksText(input: ContractInput): string {
  const { names, tools, role, origin, importExtension, render } = input;
  const rows = tools.map(({ tool, input: schema, output }) => {
    const { namespace } = names.tools.get(tool)!;
    const result = output ? `, output: check${checkedName(namespace, "Result")}` : "";
    const check = `check${checkedName(namespace, "Arguments")}`;
    const around = (name: string, inner: string): string =>
      `/* @__PURE__ */ ${name}(${inner}, /* @__PURE__ */ schemaOf(${stringLiteral(tool)}, "inputSchema"))`;
    const filled = hasDefaults(schema) ? around("withDefaults", check) : check;
    const judge = hasOptional(schema) ? around("withoutNulls", filled) : filled;
    return `  ${memberKey(tool)}: { input: ${judge}${result} },`;
  });
  const serves = role !== "client";
  const fills = serves && tools.some(({ input: schema }) => hasDefaults(schema));
  const takesNulls = serves && tools.some(({ input: schema }) => hasOptional(schema));
  const view = { origin, importExtension, judged: judgedParts(input), serves, fills, takesNulls, rows };
  return render("contract-checks.ts", view);
}

/** Whether a schema has defaults that the server fills in. */
function hasDefaults(schema: Schema): boolean {
  return nodesOf(schema).some((node) => node.default !== undefined);
}

/** Whether a schema declares optional members, for which null counts as absent. */
function hasOptional(schema: Schema): boolean {
  return nodesOf(schema).some(({ properties, required = [] }) =>
    [...(properties?.keys() ?? [])].some((name) => !required.includes(name)),
  );
}

function nodesOf(schema: Schema): SchemaNode[] {
  const roots = [...schema.definitions.values()].map(({ node }) => node);
  return [...(schema.root ? [schema.root] : []), ...roots].flatMap((root) => [...descendants(root)]);
}
