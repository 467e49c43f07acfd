import "@mcpgen/runtime/stdio-guard";
import { revision as modern } from "@mcpgen/protocol/2026-07-28/server";
import { revision as legacy } from "@mcpgen/protocol/2025-11-25/server";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { createBenchServer } from "contract-of-bench";
import { handlers } from "./handlers.mjs";

serveStdio(createBenchServer(handlers, { revisions: [legacy, modern] }));
