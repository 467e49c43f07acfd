import { serveStdio } from "@mcpgen/runtime/stdio";
import { askingServer } from "./asking-server.js";

const { server } = askingServer();
serveStdio(server);
