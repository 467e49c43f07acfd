// Runs an example with a protected server and a scripted model, without a key: node start.ts langchain
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createServer } from "@mcpgen/runtime/all";
import { serveHttp } from "@mcpgen/runtime/http";
import { fakeModel } from "mcpgen/hosts";

const server = createServer({ name: "weather", version: "1.0.0" });
const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
server.tool("weather", { description: "The weather.", inputSchema }, ({ city }) => `sunny in ${city}`);

const token = crypto.randomUUID();
const http = await serveHttp(server, {
  port: 0,
  authenticate: ({ header }) =>
    header("authorization") === `Bearer ${token}`
      ? { auth: "ada", principal: "ada" }
      : { status: 401, headers: { "www-authenticate": "Bearer" } },
});
const model = await fakeModel({
  script: [{ tool: "weather", arguments: { city: "Rome" } }],
  // Frameworks put names in front of a tool's.
  find: (tool, offered) => offered.find(({ name }) => name.endsWith(tool)),
});
const env = { ...process.env, MCP_URL: http.url, MCP_TOKEN: token, MODEL_URL: model.url };
const example = fileURLToPath(new URL(`${process.argv[2]}.ts`, import.meta.url));
spawn(process.execPath, [example], { env, stdio: "inherit" }).on("close", async (code) => {
  console.log("The model got:", JSON.stringify(model.turns.flatMap(({ results }) => results)));
  await Promise.all([http.close(), model.close()]);
  process.exitCode = code ?? 1;
});
