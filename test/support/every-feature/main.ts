// The server with every feature, in a separate process.
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { everyFeature } from "./server.js";

serveStdio(everyFeature(serverRevisions));
