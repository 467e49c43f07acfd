// Answers with JSON or events, depending on the request's Accept header.
import { getRequestListener } from "@hono/node-server";
import { InMemorySessionAdapter, StreamableHttpTransport } from "mcp-lite";
import { server } from "../definitions/mcp-lite.mjs";
import { listen, stateless } from "./mode.mjs";

const sessionAdapter = stateless ? undefined : new InMemorySessionAdapter({ maxEventBufferSize: 256 });
listen(getRequestListener(new StreamableHttpTransport({ sessionAdapter }).bind(server)));
