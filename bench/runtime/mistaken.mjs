/**
 * For each contender, a correct server, and edits of it that each make one mistake. An edit is a text that
 * occurs once in the program, and its replacement. Users were seen to make these mistakes.
 */
const form = `{ type: "object", properties: { seat: { type: "string" } }, required: ["seat"] }`;

const ours = `
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { z } from "zod";
const server = createServer({ name: "weather", version: "1.0.0" }, { revisions: serverRevisions });
server.tool("forecast", { description: "x", inputSchema: z.object({ city: z.string(), days: z.number().optional() }), outputSchema: z.object({ celsius: z.number(), sky: z.string() }) }, (args) => {
  const celsius = args.days ?? 1;
  return { structuredContent: { celsius, sky: args.city } };
});
server.tool("book", {}, async (_, { ask }) => {
  const answer = await ask.elicit("seat", { message: "?", requestedSchema: ${form} });
  return answer.action === "accept" ? answer.content.seat : "nowhere";
});
server.resourceTemplate("weather://{city}/{day}", { complete: { day: () => ["monday"] } }, (variables) => [variables.city, variables.day].join());
server.prompt("pack", { arguments: z.object({ city: z.string(), luggage: z.string().optional() }), complete: { luggage: () => ["bag"] } }, (values) => \`Pack \${values.luggage ?? ""} for \${values.city}.\`);
`;

const sdkV2 = `
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";
const server = new McpServer({ name: "weather", version: "1.0.0" });
server.registerTool("forecast", { description: "x", inputSchema: z.object({ city: z.string(), days: z.number().optional() }), outputSchema: z.object({ celsius: z.number(), sky: z.string() }) }, async (args) => {
  const celsius = args.days ?? 1;
  return { content: [], structuredContent: { celsius, sky: args.city } };
});
server.registerTool("book", {}, async (ctx) => {
  const answer = await ctx.mcpReq.elicitInput({ message: "?", requestedSchema: ${form} });
  return { content: [{ type: "text", text: answer.action === "accept" ? String(answer.content?.["seat"]) : "nowhere" }] };
});
server.registerResource("day", new ResourceTemplate("weather://{city}/{day}", { list: undefined, complete: { day: () => ["monday"] } }), {}, async (uri, variables) => ({ contents: [{ uri: uri.href, text: [variables["city"], variables["day"]].join() }] }));
server.registerPrompt("pack", { argsSchema: z.object({ city: z.string(), luggage: z.string().optional() }) }, (values) => ({ messages: [{ role: "user", content: { type: "text", text: \`Pack \${values.luggage ?? ""} for \${values.city}.\` } }] }));
`;

const tmcp = `
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { McpServer } from "tmcp";
import * as v from "valibot";
const server = new McpServer({ name: "weather", version: "1.0.0", description: "" }, { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} } });
server.tool({ name: "forecast", description: "x", schema: v.object({ city: v.string(), days: v.optional(v.number()) }), outputSchema: v.object({ celsius: v.number(), sky: v.string() }) }, (args) => {
  const celsius = args.days ?? 1;
  return { content: [], structuredContent: { celsius, sky: args.city } };
});
server.tool({ name: "book", description: "" }, async () => {
  const answer = await server.elicitation("?", v.object({ seat: v.string() }));
  return { content: [{ type: "text" as const, text: answer.action === "accept" ? answer.content!.seat : "nowhere" }] };
});
server.template({ name: "day", description: "", uri: "weather://{city}/{day}", complete: { day: () => ({ completion: { values: ["monday"] } }) } }, (uri, variables) => ({ contents: [{ uri, text: [variables.city, variables.day].join() }] }));
server.prompt({ name: "pack", description: "", schema: v.object({ city: v.string(), luggage: v.optional(v.string()) }), complete: { luggage: () => ({ completion: { values: ["bag"] } }) } }, (values) => ({ messages: [{ role: "user", content: { type: "text", text: \`Pack \${values.luggage ?? ""} for \${values.city}.\` } }] }));
`;

export const mistaken = {
  ours: { program: ours, edits: editsOf({ nothing: ["return { structured", "void { structured"] }) },
  tmcp: {
    program: tmcp,
    edits: editsOf({
      seat: ["!.seat", "!.saet"],
      schema: ["{ city: v.string(), days", "{ town: v.string(), days"],
    }),
  },
  "sdk-v2": {
    program: sdkV2,
    edits: editsOf({
      seat: [`?.["seat"]`, `?.["saet"]`],
      variable: [`variables["day"]`, `variables["dya"]`],
      // In this SDK, completers of prompt arguments belong to their schemas; completers of template variables
      // do not.
      completer: ["complete: { day:", "complete: { dya:"],
    }),
  },
};

function editsOf({
  nothing = ["return { content: [], structured", "void { content: [], structured"],
  seat = ["content.seat", "content.saet"],
  variable = ["variables.day", "variables.dya"],
  completer = ["{ luggage: () =>", "{ lugage: () =>"],
  schema = ["{ city: z.string(), days", "{ town: z.string(), days"],
} = {}) {
  return [
    ["sky: args.city", "sky: args.town"],
    ["{ celsius, sky", `{ celsius: "9", sky`],
    ["{ celsius, sky: args.city }", "{ celsius }"],
    ["values.city", "values.ctiy"],
    variable,
    seat,
    completer,
    nothing,
    schema,
    [`description: "x"`, `descripton: "x"`],
    ["sky: args.city }", "sky: args.city, wind: 3 }"],
  ];
}
