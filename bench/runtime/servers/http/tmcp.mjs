// tmcp answers requests only with event streams.
import { getRequestListener } from "@hono/node-server";
import { HttpTransport } from "@tmcp/transport-http";
import { server } from "../definitions/tmcp.mjs";
import { listen } from "./mode.mjs";

const transport = new HttpTransport(server, { path: "/mcp" });
listen(getRequestListener((request) => transport.respond(request)));
