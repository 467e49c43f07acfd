import { fileURLToPath } from "node:url";

/** Revisions with a handshake. */
export const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const modern = "2026-07-28";

const file = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Who serves: `{ file, revisions, lacks }`. `lacks` names what the implementation cannot do: with everybody in
 * every revision or, as `feature@revision` or `feature@server`, there.
 */
export const servers = {
  ours: { file: file("servers/ours.mjs"), revisions: [...legacy, modern], lacks: [] },
  "sdk-v1": { file: file("servers/sdk-v1.mjs"), revisions: legacy, lacks: [] },
  "sdk-v2": { file: file("servers/sdk-v2.mjs"), revisions: [...legacy, modern], lacks: [] },
  // It has no cancellation; its URL mode waits for a notification that only its HTTP transport can bring.
  tmcp: {
    file: file("servers/tmcp.mjs"),
    revisions: [...legacy.slice(0, 3), modern],
    lacks: ["cancellation", "url", `roots@${modern}`],
  },
};

/** Who connects: `{ module, revisions, lacks }`; the module exports `connect(file, revision)`. */
export const clients = {
  ours: { module: "./clients/ours.mjs", revisions: [...legacy, modern], lacks: [] },
  "sdk-v1": { module: "./clients/sdk-v1.mjs", revisions: legacy, lacks: ["progress@tmcp"] },
  "sdk-v2": { module: "./clients/sdk-v2.mjs", revisions: [...legacy, modern], lacks: ["progress@tmcp"] },
};
