// The progress and the log that a server of ours sends right before an answer reach official clients.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, legacy, modern, servers } from "./peers.mjs";

const calls = 20;

/** A machine with much other work may hand a client both writes at once, which its reader takes for one. */
const attempts = 4;

for (const name of ["sdk-v1", "sdk-v2"])
  for (const revision of [legacy.at(-1), modern].filter((each) => clients[name].revisions.includes(each)))
    test(`${name}, ${revision}: of ${calls} calls each brings its last progress`, async () => {
      const { connect } = await import(clients[name].module);
      const session = await connect(servers.ours.file, revision);
      let most = 0;
      for (let attempt = 0; most < calls && attempt < attempts; attempt++)
        most = Math.max(most, await reported(session));
      await session.close();
      assert.equal(most, calls);
    });

/** How many of the calls brought a progress notification. */
async function reported(session) {
  let seen = 0;
  for (let call = 0; call < calls; call++) {
    let progress = false;
    await session.call("report", {}, { onProgress: () => (progress = true) });
    if (progress) seen++;
  }
  return seen;
}
