import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { createBenchServer } from "contract-of-bench";
import { handlers } from "./handlers.mjs";

serveStdio(createBenchServer(handlers, { revisions: serverRevisions }));
