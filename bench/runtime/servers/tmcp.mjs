import { StdioTransport } from "@tmcp/transport-stdio";
import { server } from "./definitions/tmcp.mjs";

new StdioTransport(server).listen();
