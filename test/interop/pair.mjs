import { after, before, describe, test } from "node:test";
import { behaviours } from "./behaviours.mjs";
import { modern } from "./peers.mjs";
import { hang as timeout } from "../support/until.mjs";

/**
 * Tests all behaviours that a client and a server can have together in a revision. The names of the other tests contain
 * the reason why they are skipped.
 *
 * @param open resolves with `{ target, args, close }` of a server that was started for them
 * @param features what is tested, as `behaviours`; each gets that of `open`, too
 */
export function pair([clientName, client], [serverName, server], revision, open, features = behaviours) {
  // One after the other: they share a user, whose answers they change.
  describe(`client ${clientName}, server ${serverName}, ${revision}`, { concurrency: 1 }, () => {
    let session;
    let opened;
    before(
      async () => {
        const { connect } = await import(client.module);
        opened = await open(server);
        session = await connect(opened.target, revision, opened.args);
      },
      { timeout },
    );
    after(async () => {
      await session?.close();
      await opened?.close?.();
    });
    for (const { feature, since, until, run } of features) {
      if (since > revision || until < revision) continue;
      const lack =
        lackOf(client, "client", feature, revision, serverName) ??
        lackOf(server, "server", feature, revision, clientName);
      if (lack) test(`${feature} (${lack})`, { skip: true });
      else test(feature, { timeout }, () => run(session, revision, opened));
    }
  });
}

function lackOf({ lacks }, side, feature, revision, other) {
  const era = revision === modern ? "modern" : "legacy";
  const name = ["", `@${revision}`, `@${era}`, `@${other}`].find((where) => `${feature}${where}` in lacks);
  return name === undefined ? undefined : `the ${side}: ${lacks[`${feature}${name}`]}`;
}
