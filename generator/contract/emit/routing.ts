import { naturalCompare, pointer } from "@mcpgen/engine";
import type { EmittedFile } from "../../print/emitted-file.js";
import { jsonExpression } from "./json-expression.js";
import type { ContractInput } from "./input.js";
import { type ParamHeader, paramHeaders } from "./param-headers.js";
import { templateParts } from "./uri-template.js";

/** Requests that one thing of a contract answers, and the headers that repeat its arguments. */
interface Route {
  readonly method: string;
  readonly name: string;
  readonly headers?: readonly ParamHeader[];
}

/** `routing.ts`: what gateways route by, as data. */
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
