import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { defineServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { definition } from "./contract.mjs";

const [contract, handlers, checks] = definition;
const server = defineServer(contract, handlers, { revisions: serverRevisions, checks });
if (process.argv.includes("--http")) await serveHttp(server);
else serveStdio(server);
