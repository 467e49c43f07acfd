// Every client with every server, in every revision that both speak; one side is ours, unless MCPGEN_INTEROP_ALL=1
// is set, which shows what the others make of the fixtures.
import { pair } from "./pair.mjs";
import { clients, servers } from "./peers.mjs";

const all = process.env.MCPGEN_INTEROP_ALL === "1";

for (const client of Object.entries(clients))
  for (const server of Object.entries(servers)) {
    if (!all && client[0] !== "ours" && server[0] !== "ours") continue;
    for (const revision of client[1].revisions.filter((one) => server[1].revisions.includes(one)))
      pair(client, server, revision, ({ file }) => ({ target: file }));
  }
