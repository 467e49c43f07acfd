import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ours as bundles, oursInDevelopment } from "./production.mjs";

const here = new URL("./", import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, here));

/** The hand-written programs that all contenders are compared with. */
export const floor = "floor";
export const floorValid = "floor-valid";
export const ours = "ours";

/** mcpgen without bundling, and with the checks that run in development. */
export const development = oursInDevelopment;

/**
 * mcpgen with its fetch adapter. On Node it runs behind the same conversion from `node:http` as the other
 * implementations.
 */
export const oursByFetch = path("servers/http/ours-fetch.mjs");

/** The protocol revisions of the rows: one for each era, which all contenders of that era support. */
export const legacy = "2025-06-18";
export const modern = "2026-07-28";

/**
 * Returns the compared implementations in the order of the columns: `{ name, server?, client?, http?,
 * revisions }`, with absolute paths of files. `http` is `{ server, responses?, acceptsJson? }`: `responses`
 * is the only form of response, if it has just one; `acceptsJson` is the `Accept` header that makes it
 * respond with JSON, if it needs one.
 */
export function contenders() {
  const all = [
    { ...byHand(floor), http: { server: path("servers/http/floor.mjs") } },
    { ...byHand(floorValid), http: { server: path("servers/http/floor-valid.mjs") } },
    {
      name: ours,
      server: bundles.server,
      client: bundles.client,
      http: { server: bundles.http },
    },
    {
      name: "mcp-lite",
      server: path("servers/mcp-lite.mjs"),
      http: { server: path("servers/http/mcp-lite.mjs"), acceptsJson: "application/json" },
      revisions: [legacy],
    },
    {
      name: "tmcp",
      server: path("servers/tmcp.mjs"),
      http: { server: path("servers/http/tmcp.mjs"), responses: "sse" },
    },
    {
      name: "sdk-v1",
      server: path("servers/sdk-v1.mjs"),
      client: path("clients/sdk-v1.mjs"),
      http: { server: path("servers/http/sdk-v1.mjs") },
      revisions: [legacy],
    },
    {
      name: "sdk-v2",
      server: path("servers/sdk-v2.mjs"),
      client: path("clients/sdk-v2.mjs"),
      http: { server: path("servers/http/sdk-v2.mjs") },
    },
  ];
  return all
    .map((one) => ({ revisions: [legacy, modern], ...one }))
    .filter((one) => one.name !== ours || existsSync(oursInDevelopment));
}

function byHand(name) {
  return { name, server: path(`servers/${name}.mjs`), client: path(`clients/${name}.mjs`) };
}
