/**
 * For each contender, the source of a server with `count` tools of five fields, typed the way its documentation
 * shows. No two tools have the same fields, so that nothing the compiler did for one serves another.
 */
export const typed = {
  floor: (count) => `
interface Result { content: { type: "text"; text: string }[] }
${each(count, (name) => `interface ${name}Input { ${plainFields(name)} }\n`)}
export interface Handlers {${each(count, (name) => `${name}(input: ${name}Input): Promise<Result>;\n`)}}
export const handlers: Handlers = {${each(count, (name) => `async ${name}(input) { ${answer(name)} },\n`)}};`,

  ours: (count) => `
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
export const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
${each(count, (name) => `interface ${name}Input { ${plainFields(name)} }\n`)}
${each(
  count,
  (name) =>
    `server.tool<${name}Input>("${name}", { inputSchema: ${jsonSchema(name)} }, async (input) => { ${answer(name)} });\n`,
)}`,

  "sdk-v1": (count) => `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
export const server = new McpServer({ name: "bench", version: "1.0.0" });
${each(
  count,
  (name) =>
    `server.registerTool("${name}", { inputSchema: ${zodFields(name)} }, async (input) => { ${answer(name)} });\n`,
)}`,

  "sdk-v2": (count) => `
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
export const server = new McpServer({ name: "bench", version: "1.0.0" });
${each(
  count,
  (name) =>
    `server.registerTool("${name}", { inputSchema: z.object(${zodFields(name)}) }, async (input) => { ${answer(name)} });\n`,
)}`,

  "mcp-lite": (count) => `
import { McpServer } from "mcp-lite";
import { z } from "zod";
export const server = new McpServer({ name: "bench", version: "1.0.0" });
${each(
  count,
  (name) =>
    `server.tool("${name}", { inputSchema: z.object(${zodFields(name)}), handler: async (input) => { ${answer(name)} } });\n`,
)}`,

  tmcp: (count) => `
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { McpServer } from "tmcp";
import * as v from "valibot";
export const server = new McpServer(
  { name: "bench", version: "1.0.0", description: "" },
  { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: {} } },
);
${each(
  count,
  (name) =>
    `server.tool({ name: "${name}", description: "", schema: v.object(${valibotFields(name)}) }, async (input) => { ${answer(name)} });\n`,
)}`,
};

function plainFields(name) {
  return `title${name}: string; size${name}: number; deep${name}: boolean; tags${name}: string[]; note${name}?: string`;
}

function jsonSchema(name) {
  return `{ type: "object", properties: { title${name}: { type: "string" }, size${name}: { type: "number" }, deep${name}: { type: "boolean" },
  tags${name}: { type: "array", items: { type: "string" } }, note${name}: { type: "string" } }, required: ["title${name}", "size${name}", "deep${name}", "tags${name}"] }`;
}

function zodFields(name) {
  return `{ title${name}: z.string(), size${name}: z.number(), deep${name}: z.boolean(), tags${name}: z.array(z.string()), note${name}: z.string().optional() }`;
}

function valibotFields(name) {
  return `{ title${name}: v.string(), size${name}: v.number(), deep${name}: v.boolean(), tags${name}: v.array(v.string()), note${name}: v.optional(v.string()) }`;
}

function answer(name) {
  const text = `input.title${name} + input.size${name}.toFixed(1) + input.tags${name}.join() + (input.note${name} ?? "")`;
  return `return { content: [{ type: "text" as const, text: ${text} }] };`;
}

function each(count, print) {
  return Array.from({ length: count }, (_, index) => print(`Tool${index}`)).join("");
}
