import { serveHttp } from "@mcpgen/runtime/http";
import { onTestFinished } from "vitest";
import type { HostProgram, HostServer } from "../../generator/host/program.js";
import { builtProgram } from "../support/built-program.js";
import { serverWith } from "../support/served.js";

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
