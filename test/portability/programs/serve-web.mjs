// The server of the suite on platforms that serve by `fetch` themselves: Bun, Deno. Prints its URL.
import { createHttpHandler } from "@mcpgen/runtime/http";
import { fixture } from "../suite/fixture.mjs";

const { fetch } = createHttpHandler(fixture(), {
  keepAliveMs: 200,
});
const { Bun, Deno } = globalThis;
const listening = { hostname: "127.0.0.1", port: 0 };
if (Bun) console.log(`http://127.0.0.1:${Bun.serve({ ...listening, fetch, idleTimeout: 255 }).port}/mcp`);
else Deno.serve({ ...listening, onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`) }, fetch);
