import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { makeServer } from "./definitions/sdk-v1.mjs";

await makeServer().connect(new StdioServerTransport());
