import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { defineServer } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { definition } from "./contract.mjs";

const [contract, handlers, checks] = definition;
serveStdio(defineServer(contract, handlers, { revisions: serverRevisions, checks }));
