import "@mcpgen/runtime/stdio-guard";
import { revision as modern } from "@mcpgen/protocol/2026-07-28/server";
import { revision as legacy } from "@mcpgen/protocol/2025-11-25/server";
import { defineServer } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { definition } from "./contract.mjs";

const [contract, handlers, checks] = definition;
serveStdio(defineServer(contract, handlers, { revisions: [legacy, modern], checks }));
