import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { modern } from "../contenders.mjs";
import { revision, serveCalls, server } from "./calls.mjs";

const mode = revision === modern ? { pin: modern } : "legacy";
const client = new Client({ name: "bench", version: "1.0.0" }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, "--stdio"] }));
await serveCalls(
  (params) => client.callTool(params),
  () => client.close(),
);
