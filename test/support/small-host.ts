import type readline from "node:readline";
import { serveHttp } from "@mcpgen/runtime/http";
import { onTestFinished } from "vitest";
import type { HostProgram, HostServer } from "../../generator/host/program.js";
import { builtProgram } from "./built-program.js";
import { serverWith } from "./served.js";

const file = builtProgram("test/host/programs/host.ts");

/** A small host that is started with some modes. */
export function hostWith(...more: string[]): HostProgram {
  return {
    name: "small",
    package: "small",
    program: "small",
    node: 20,
    rules: { "argument-name-characters": "drops" },
    quiet: { http: { worked: 70_000 } },
    start: (_, server, model) => ({
      files: { "settings.json": JSON.stringify({ model, server }) },
      env: { OWN: "1" },
      args: [file, ...more],
    }),
  };
}

const schemaOf = (argument: string) => ({
  type: "object" as const,
  properties: { [argument]: { type: "string" } },
  additionalProperties: false,
});
export const [inputSchema, dollar] = [schemaOf("city"), schemaOf("$top")];
export const listed = [
  { name: "weather", description: "The weather of a city.", inputSchema },
  { name: "no.letters", description: "Has a name that the host drops.", inputSchema: dollar },
];

/** Serves the listed tools until the end of the test. */
export async function served(): Promise<HostServer> {
  const server = serverWith();
  for (const { name, ...definition } of listed)
    server.tool(name, definition, ({ city }) => {
      if (city === "Atlantis") throw new Error("no such city");
      return `sunny in ${String(city)}`;
    });
  const { url, close } = await serveHttp(server, { port: 0 });
  onTestFinished(close);
  return { url, headers: {} };
}

/** Answers each request with what it is given for the method. */
function answering({ createInterface }: typeof readline, results: Record<string, object>): void {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { id?: number; method: string };
    const known = results[method];
    const answer = known ? { result: known } : { error: { code: -32601, message: "unknown" } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
}

/** The arguments with which Node.js runs a server that sends the tools as they are. */
export function sending(tools: readonly object[]): string[] {
  const about = { protocolVersion: "2025-06-18", serverInfo: { name: "s", version: "1" } };
  const initialize = { ...about, capabilities: { tools: {} } };
  const results = { initialize, "tools/list": { tools }, "tools/call": { content: [] } };
  return ["-e", `(${String(answering)})(require("node:readline"), ${JSON.stringify(results)})`];
}

const valid = { type: "object", properties: { city: { type: "string" } } };

/** A tool of each kind that mcpgen does not take for one, by what is wrong. */
export const invalidTools: readonly (readonly [string, object])[] = [
  ["no schema", {}],
  ["a schema that is a text", { inputSchema: "object" }],
  ["a type that is not object", { inputSchema: { type: "string" } }],
  ["properties that are a list", { inputSchema: { type: "object", properties: [] } }],
  ["required names that are numbers", { inputSchema: { ...valid, required: [1] } }],
  ["a description that is a number", { inputSchema: valid, description: 5 }],
  ["a result that is a list", { inputSchema: valid, outputSchema: { type: "array" } }],
  ["annotations that are a text", { inputSchema: valid, annotations: "x" }],
].map(([what, more]) => [what as string, { name: "odd", ...(more as object) }]);
