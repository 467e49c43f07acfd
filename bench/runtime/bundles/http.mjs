import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { createBenchServer } from "contract-of-bench";
import { handlers } from "./handlers.mjs";

const server = createBenchServer(handlers, { revisions: serverRevisions });
if (process.argv.includes("--http")) await serveHttp(server);
else serveStdio(server);
