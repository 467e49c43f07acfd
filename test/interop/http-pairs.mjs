import { describe } from "node:test";
import { pair } from "./pair.mjs";
import { started } from "./started.mjs";

/** As pairs.test.mjs has them, over Streamable HTTP: each pair has a separate server process. */
export function httpPairs(clients, servers) {
  describe("over HTTP", { concurrency: 2 }, () => {
    for (const client of Object.entries(clients))
      for (const server of Object.entries(servers))
        if (!client[1].servers || client[1].servers.includes(server[0]))
          for (const revision of client[1].revisions.filter((one) => server[1].revisions.includes(one)))
            pair(client, server, revision, open);
  });
}

async function open({ command, env, path }) {
  const { url, close } = await started(command, env, path);
  return { target: url, close };
}
