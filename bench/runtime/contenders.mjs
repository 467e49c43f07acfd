import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = new URL("./", import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, here));

/** By hand: what the others are measured against. */
export const floor = "floor";
export const floorValid = "floor-valid";
export const ours = "ours";

/** Protocol revisions that the rows speak: one of either era, which all contenders of that era know. */
export const legacy = "2025-06-18";
export const modern = "2026-07-28";

/** Whoever takes part, in the order of the columns: `{ name, server?, client?, revisions }`, files absolute. */
export function contenders() {
  const all = [
    byHand(floor),
    byHand(floorValid),
    {
      name: ours,
      server: path("../../dist/examples/bench-server/main.js"),
      client: path("clients/ours.mjs"),
    },
    { name: "mcp-lite", server: path("servers/mcp-lite.mjs"), revisions: [legacy] },
    { name: "tmcp", server: path("servers/tmcp.mjs") },
    {
      name: "sdk-v1",
      server: path("servers/sdk-v1.mjs"),
      client: path("clients/sdk-v1.mjs"),
      revisions: [legacy],
    },
    { name: "sdk-v2", server: path("servers/sdk-v2.mjs"), client: path("clients/sdk-v2.mjs") },
  ];
  return all
    .map((one) => ({ revisions: [legacy, modern], ...one }))
    .filter((one) => one.name !== ours || existsSync(one.server));
}

function byHand(name) {
  return { name, server: path(`servers/${name}.mjs`), client: path(`clients/${name}.mjs`) };
}
