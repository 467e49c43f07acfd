// Our client with mcp-proxy before a server of ours: from HTTP to stdio, and back.
import { describe } from "node:test";
import { pair } from "./pair.mjs";
import { clients, proxies, servers } from "./peers.mjs";
import { started } from "./started.mjs";

describe("proxies", { concurrency: 2 }, () => {
  for (const server of Object.entries(proxies))
    for (const revision of server[1].revisions)
      pair(["ours", clients.ours], server, revision, server[1].command ? toStdio : toHttp);
});

async function toStdio({ command }) {
  const { url, close } = await started(command);
  return { target: url, close };
}

async function toHttp({ file, era }) {
  const { url, close } = await started([servers.ours.file, "node"]);
  return { target: file, args: [url.href, era], close };
}
