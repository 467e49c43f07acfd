// bridge.mjs stdio|http|sse URL|FILE [ARGUMENT...]: a bridge to the server at URL, or to the one that FILE serves on stdio.
import "@mcpgen/runtime/stdio-guard";
import { createBridge } from "@mcpgen/bridge";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";

const [front, target, ...args] = process.argv.slice(2);
const source = URL.canParse(target) ? target : { command: process.execPath, args: [target, ...args] };
const bridge = await createBridge({ back: { source } }, { onEvent: () => true });
if (front === "stdio") serveStdio(bridge);
else await serveHttp(bridge, { port: 0, ...(front === "sse" && { path: "/sse", sse: true }) });
