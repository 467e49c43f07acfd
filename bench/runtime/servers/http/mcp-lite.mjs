// JSON or events, as the request's Accept says.
import { getRequestListener } from "@hono/node-server";
import { InMemorySessionAdapter, StreamableHttpTransport } from "mcp-lite";
import { server } from "../definitions/mcp-lite.mjs";
import { listen, stateless } from "./mode.mjs";

const sessionAdapter = stateless ? undefined : new InMemorySessionAdapter({ maxEventBufferSize: 256 });
listen(getRequestListener(new StreamableHttpTransport({ sessionAdapter }).bind(server)));
