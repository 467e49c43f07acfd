// A server with one of everything, as the public conformance suite expects it. `--port N` or `--stdio`.
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { McpError, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { addAsking } from "./asking.js";
import { addContent } from "./content.js";
import { addPrompts } from "./prompts.js";
import { addResources } from "./resources.js";
import { addRounds } from "./rounds.js";
import { addSchemas } from "./schemas.js";
import { addStreams } from "./streams.js";

const server = createServer(
  { name: "everything-server", title: "Everything", version: "1.0.0" },
  {
    revisions: serverRevisions,
    instructions: "Offers one of everything that the protocol has; for tests.",
    capabilities: { logging: {} },
  },
);

for (const add of [addContent, addStreams, addAsking, addRounds, addSchemas, addResources, addPrompts])
  add(server);

if (process.argv.includes("--stdio")) serveStdio(server);
else {
  const at = process.argv.indexOf("--port");
  const port = at < 0 ? 3000 : Number(process.argv[at + 1]);
  try {
    const { url } = await serveHttp(server, { port, host: "localhost" });
    console.error(`listening on ${url}`);
  } catch (error) {
    // One line says what is wrong with the port.
    if (!(error instanceof McpError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
