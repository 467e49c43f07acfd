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

/** The behaviours that a server without sessions does not have for legacy clients. */
const sessionless = {
  "cancellation@legacy": "the cancellation is a separate request, without access to others",
  "elicitation@legacy": answersAlone,
  "url@legacy": answersAlone,
  "sampling@legacy": answersAlone,
  "roots@legacy": answersAlone,
  "subscriptions@legacy": hearsNothing,
  "logging@legacy": "the level wanted is kept nowhere",
};

/** Servers of ours over HTTP: `{ command, env, path, revisions, lacks }`. */
export const oursOverHttp = {
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
};

/** Who serves over HTTP: `{ command, env, path, revisions, lacks }`. */
export const httpServers = {
  ...oursOverHttp,
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

const proxyFile = file("node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs");
const asksNobody = "it asks no client for anything";
const keepsInstructions = "it keeps instructions to itself";
const proxyLacks = { elicitation: asksNobody, url: asksNobody, sampling: asksNobody, roots: asksNobody };
const bothEras = [legacy.at(-1), modern];

/**
 * mcp-proxy before a server of ours: `{ command, revisions, lacks }` where it serves over HTTP what that serves on
 * stdio; the other way round, with `file` and `era` in place of `command`.
 */
export const proxies = {
  "mcp-proxy before ours on stdio, legacy between them": {
    command: proxyCommand("legacy"),
    revisions: bothEras,
    lacks: { ...proxyLacks, "logging@modern": "it drops logs of the legacy era" },
  },
  "mcp-proxy before ours on stdio, modern between them": {
    command: proxyCommand("modern"),
    revisions: bothEras,
    lacks: { ...proxyLacks, logging: "it asks its server for no logs" },
  },
  "mcp-proxy before ours over HTTP, legacy between them": {
    file: file("servers/mcp-proxy.mjs"),
    era: "legacy",
    revisions: [legacy.at(-1)],
    lacks: { ...proxyLacks, opening: keepsInstructions },
  },
  "mcp-proxy before ours over HTTP, modern between them": {
    file: file("servers/mcp-proxy.mjs"),
    era: "modern",
    revisions: [legacy.at(-1)],
    lacks: { ...proxyLacks, opening: keepsInstructions, logging: "it asks its server for no logs" },
  },
};

/** @param era what it speaks with its server */
function proxyCommand(era) {
  const options = ["--host", "127.0.0.1", "--port", "0", "--server", "stream", "--upstreamProtocol", era];
  return [proxyFile, ...options, "--", process.execPath, ours.file];
}

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

const none = "it offers nothing for this";
const once = "it connects for one request at a time";

/** Implementations of HTTP alone, as `clients`; `servers` names the servers that they are tried with, if not all. */
export const httpClients = {
  "@ai-sdk/mcp": {
    module: "./clients/ai-sdk.mjs",
    revisions: bothEras,
    lacks: {
      ping: "it has no way to send one",
      logging: none,
      progress: none,
      "cancellation@legacy": "it goes without a word",
      url: "it takes forms alone",
      sampling: none,
      roots: none,
      subscriptions: none,
    },
  },
  "inspector --cli": {
    module: "./clients/inspector.mjs",
    // Each request of its is a process, and takes a second.
    servers: ["ours by node:http", "ours by fetch, no sessions"],
    revisions: bothEras,
    lacks: {
      opening: "it does not tell what was agreed",
      ping: "it has no way to send one",
      "calls at once": "each is a process",
      "a large message": "it does not fit on a command line",
      completion: none,
      logging: once,
      progress: once,
      cancellation: once,
      elicitation: none,
      url: none,
      sampling: none,
      roots: none,
      subscriptions: once,
    },
  },
};
