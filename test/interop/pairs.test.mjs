// Every client with every server, in every revision that both speak; one side is ours, unless MCPGEN_INTEROP_ALL=1
// is set, which shows what the others make of the fixtures.
import { after, before, describe, test } from "node:test";
import { behaviours } from "./behaviours.mjs";
import { clients, servers } from "./peers.mjs";

const all = process.env.MCPGEN_INTEROP_ALL === "1";
const timeout = 20_000;

for (const [clientName, client] of Object.entries(clients)) {
  for (const [serverName, server] of Object.entries(servers)) {
    if (!all && clientName !== "ours" && serverName !== "ours") continue;
    for (const revision of client.revisions.filter((one) => server.revisions.includes(one)))
      describe(`client ${clientName}, server ${serverName}, ${revision}`, () =>
        pair(client, { name: serverName, ...server }, revision));
  }
}

function pair(client, { name, ...server }, revision) {
  const lacks = new Set([...client.lacks, ...server.lacks]);
  let session;
  before(
    async () => {
      const { connect } = await import(client.module);
      session = await connect(server.file, revision);
    },
    { timeout },
  );
  after(() => session?.close());
  for (const { feature, since, until, run } of behaviours) {
    if (since > revision || until < revision) continue;
    if ([feature, `${feature}@${revision}`, `${feature}@${name}`].some((one) => lacks.has(one))) continue;
    test(feature, { timeout }, () => run(session, revision));
  }
}
