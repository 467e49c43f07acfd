import { fileURLToPath } from "node:url";

/** Revisions with a handshake. */
export const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const modern = "2026-07-28";

const file = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const noCancellation = "it cannot be cancelled";
const answersAlone = "answers to one request of the server's need a session";
const hearsNothing = "without a session nothing but answers comes";

/**
 * Who serves on stdio: `{ file, revisions, lacks }`. `lacks` says what the implementation cannot do, and why: with
 * everybody in every revision or, as `feature@revision`, `feature@legacy` or `feature@server`, there.
 */
export const servers = {
  ours: { file: file("servers/ours.mjs"), revisions: [...legacy, modern], lacks: {} },
  "sdk-v1": { file: file("servers/sdk-v1.mjs"), revisions: legacy, lacks: {} },
  "sdk-v2": { file: file("servers/sdk-v2.mjs"), revisions: [...legacy, modern], lacks: {} },
  tmcp: {
    file: file("servers/tmcp.mjs"),
    revisions: [...legacy.slice(0, 3), modern],
    lacks: {
      cancellation: noCancellation,
      url: "it waits for a notification that only its HTTP transport can bring",
      [`roots@${modern}`]: "it asks for them at no time",
    },
  },
};

/** Streamable HTTP came with the second revision. */
const overHttp = legacy.slice(1);
const { ours, tmcp } = servers;
const v1 = servers["sdk-v1"];
const v2 = servers["sdk-v2"];

/** What a server that keeps no session can do for nobody of the legacy era. */
const sessionless = {
  "cancellation@legacy": "what cancels is a request of its own, and knows of no other",
  "elicitation@legacy": answersAlone,
  "url@legacy": answersAlone,
  "sampling@legacy": answersAlone,
  "roots@legacy": answersAlone,
  "subscriptions@legacy": hearsNothing,
  "logging@legacy": "the level wanted is kept nowhere",
};

/** Who serves over HTTP: `{ command, env, path, revisions, lacks }`. */
export const httpServers = {
  "ours by node:http": { command: [ours.file, "node"], revisions: [...overHttp, modern], lacks: {} },
  "ours by fetch": { command: [ours.file, "fetch"], revisions: [...overHttp, modern], lacks: {} },
  "ours by node:http, no sessions": {
    command: [ours.file, "node", "stateless"],
    revisions: [...overHttp, modern],
    lacks: sessionless,
  },
  "ours by fetch, no sessions": {
    command: [ours.file, "fetch", "stateless"],
    revisions: [...overHttp, modern],
    lacks: sessionless,
  },
  "sdk-v1 with sessions": { command: [v1.file, "sessions"], revisions: overHttp, lacks: {} },
  "sdk-v1, no sessions, JSON": {
    command: [v1.file, "stateless"],
    revisions: overHttp,
    lacks: { ...sessionless, progress: "JSON holds nothing but the answer" },
  },
  "sdk-v2 with sessions": { command: [v2.file, "sessions"], revisions: overHttp, lacks: {} },
  "sdk-v2 by its handler": {
    command: [v2.file, "handler"],
    revisions: [...overHttp, modern],
    lacks: sessionless,
  },
  tmcp: { command: [tmcp.file, "http"], revisions: [...overHttp.slice(0, 2), modern], lacks: tmcp.lacks },
};

/** Who connects: `{ module, revisions, lacks }`; the module exports `connect(target, revision)`. */
export const clients = {
  ours: { module: "./clients/ours.mjs", revisions: [...legacy, modern], lacks: {} },
  "sdk-v1": {
    module: "./clients/sdk-v1.mjs",
    revisions: legacy,
    lacks: { "progress@tmcp": "it forgets reports that come with the answer" },
  },
  "sdk-v2": {
    module: "./clients/sdk-v2.mjs",
    revisions: [...legacy, modern],
    lacks: { "progress@tmcp": "it forgets reports that come with the answer" },
  },
};
