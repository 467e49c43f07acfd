import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { makeServer } from "./definitions/sdk-v2.mjs";

serveStdio(makeServer);
