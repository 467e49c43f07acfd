// The server with something of everything, in a process of its own.
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { everyFeature } from "./server.js";

serveStdio(everyFeature(serverRevisions));
