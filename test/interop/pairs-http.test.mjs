// As pairs.test.mjs, over Streamable HTTP: each pair has a server process of its own.
import { describe } from "node:test";
import { pair } from "./pair.mjs";
import { clients, httpServers } from "./peers.mjs";
import { started } from "./started.mjs";

const all = process.env.MCPGEN_INTEROP_ALL === "1";
const isOurs = (name) => name.startsWith("ours");

describe("over HTTP", { concurrency: 2 }, () => {
  for (const client of Object.entries(clients))
    for (const server of Object.entries(httpServers)) {
      if (!all && !isOurs(client[0]) && !isOurs(server[0])) continue;
      for (const revision of client[1].revisions.filter((one) => server[1].revisions.includes(one)))
        pair(client, server, revision, open);
    }
});

async function open({ command, env, path }) {
  const { url, close } = await started(command, env, path);
  return { target: url, close };
}
