import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { serveCalls, server } from "./calls.mjs";

const client = new Client({ name: "bench", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, "--stdio"] }));
await serveCalls(
  (params) => client.callTool(params),
  () => client.close(),
);
