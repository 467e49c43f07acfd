import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Installation, readerFolder } from "./installation.js";

/** Folders that commands run in copies of. */
export interface Projects {
  /** A project as `init` makes it, with the files that commands name. */
  readonly project: string;
  /** A folder with only these files, for commands that create a project or its contract. */
  readonly bare: string;
}

export function projectsIn(installation: Installation, env: NodeJS.ProcessEnv): Projects {
  const { root, modules } = installation;
  const [project, bare] = [
    join(root, "project"),
    readerFolder(installation, "bare", { private: true, type: "module" }),
  ];
  const mcpgen = (cwd: string, ...words: string[]): void => {
    execFileSync(join(modules, ".bin/mcpgen"), words, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  };
  mcpgen(root, "init", "server", "project");
  symlinkSync(modules, join(project, "node_modules"));
  mcpgen(project, "generate");
  for (const [name, text] of Object.entries(filesFor(installation)))
    for (const folder of [project, bare]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  return { project, bare };
}

/** The files that commands of documents name. */
function filesFor({ modules }: Installation): { readonly [name: string]: string } {
  const released = readFileSync(join(modules, "mcpgen/schema/2026-07-28/schema.json"), "utf8");
  const protocol = JSON.parse(released) as { readonly $defs: object };
  const search = {
    type: "object",
    properties: { method: { const: "search/query" }, params: { type: "object" } },
    required: ["method"],
  };
  return {
    "server.js": `import { tasks as extension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { createServer } from "@mcpgen/runtime/all";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { tasks } from "@mcpgen/tasks";
const server = createServer({ name: "calculator", version: "1.0.0" }, { extensions: [tasks(extension)] });
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number, city: { type: "string" } } };
server.tool("add", { description: "Adds two numbers.", inputSchema, task: { support: "optional" } }, ({ a = 0, b = 0 }) => String(a + b));
server.resource("note://one", { name: "one" }, () => "first");
server.prompt("greeting", { description: "A greeting." }, () => "Hello");
await serveStdio(server);
`,
    "remote.js": `import { createServer } from "@mcpgen/runtime/all";
import { serveHttp } from "@mcpgen/runtime/http";
const server = createServer({ name: "remote", version: "1.0.0" });
const inputSchema = { type: "object", properties: { city: { type: "string" } } };
server.tool("get_weather", { description: "The weather in a city.", inputSchema }, () => "rain");
server.tool("get_report", { description: "A report." }, () => "all is well");
console.log((await serveHttp(server, { port: 0 })).url);
`,
    "session.jsonl": `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`,
    "schema.json": JSON.stringify({
      $defs: { SearchQueryRequest: search, SearchQueryResult: { type: "object" } },
    }),
    "new/schema.json": JSON.stringify({
      ...protocol,
      $defs: { ...protocol.$defs, Unheard: { type: "object" } },
    }),
    "src/host.ts":
      'import type { Tool } from "@mcpgen/protocol/2025-11-25/types";\nexport const nameOf = ({ name }: Tool): string => name;\n',
  };
}
