// Answers requests with event streams alone.
import { getRequestListener } from "@hono/node-server";
import { HttpTransport } from "@tmcp/transport-http";
import { server } from "../definitions/tmcp.mjs";
import { listen } from "./mode.mjs";

const transport = new HttpTransport(server, { path: "/mcp" });
listen(getRequestListener((request) => transport.respond(request)));
