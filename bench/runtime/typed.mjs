/**
 * Functions that return the source of a server with `count` tools of five fields, typed as the documentation
 * of each contender shows. No two tools have the same fields, so the compiler cannot reuse the work for one
 * tool for another. A row contains contenders that infer types from the same kind of schema; its floor is the
 * schema alone, with a function that uses its inferred type.
 */
export const typed = {
  "from zod": {
    floor: (count) => `
import { z } from "zod";
${each(count, (name) => `const schema${name} = z.object(${zodFields(name)});\nexport const run${name} = async (input: z.output<typeof schema${name}>) => { ${answer(name)} };\n`)}`,
    ours: (count) => `
import { z } from "zod";
${ours(count, (name) => `z.object(${zodFields(name)})`)}`,
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
  },

  "from valibot": {
    floor: (count) => `
import * as v from "valibot";
${each(count, (name) => `const schema${name} = v.object(${valibotFields(name)});\nexport const run${name} = async (input: v.InferOutput<typeof schema${name}>) => { ${answer(name)} };\n`)}`,
    ours: (count) => `
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
${ours(count, (name) => `toStandardJsonSchema(v.object(${valibotFields(name)}))`)}`,
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
  },

  "from JSON Schema": { ours: (count) => ours(count, jsonSchema) },

  written: {
    floor: (count) => `
interface Result { content: { type: "text"; text: string }[] }
${each(count, (name) => `interface ${name}Input { ${plainFields(name)} }\n`)}
export interface Handlers {${each(count, (name) => `${name}(input: ${name}Input): Promise<Result>;\n`)}}
export const handlers: Handlers = {${each(count, (name) => `async ${name}(input) { ${answer(name)} },\n`)}};`,
    ours: (count) => `
${each(count, (name) => `interface ${name}Input { ${plainFields(name)} }\n`)}
${ours(count, jsonSchema, (name) => `<${name}Input>`)}`,
  },
};

/** Returns a contract with `count` such tools. */
export function contractOf(count) {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `Tool${index}`,
    inputSchema: schemaOf(`Tool${index}`),
  }));
  return { name: "bench", version: "1.0.0", tools };
}

/** Returns a program that passes handlers to the contract. */
export function handlersOf(count) {
  return `
import { type Handlers, createBenchServer } from "./out/server.js";
const handlers: Handlers = { tools: {
${each(count, (name) => `${name}: async (input) => { ${answer(name)} },\n`)}
} };
export const server = createBenchServer(handlers, { revisions: [] });`;
}

function ours(count, schema, argument = () => "") {
  return `
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
export const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
${each(
  count,
  (name) =>
    `server.tool${argument(name)}("${name}", { inputSchema: ${schema(name)} }, async (input) => { ${answer(name)} });\n`,
)}`;
}

function plainFields(name) {
  return `title${name}: string; size${name}: number; deep${name}: boolean; tags${name}: string[]; note${name}?: string`;
}

function schemaOf(name) {
  const required = { [`title${name}`]: "string", [`size${name}`]: "number", [`deep${name}`]: "boolean" };
  const scalars = Object.entries({ ...required, [`note${name}`]: "string" }).map(([key, type]) => [
    key,
    { type },
  ]);
  const tags = { type: "array", items: { type: "string" } };
  return {
    type: "object",
    properties: { ...Object.fromEntries(scalars), [`tags${name}`]: tags },
    required: [...Object.keys(required), `tags${name}`],
  };
}

function jsonSchema(name) {
  return JSON.stringify(schemaOf(name));
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
