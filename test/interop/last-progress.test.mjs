// The progress and the log that a server of ours sends right before an answer reach official clients.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, legacy, modern, servers } from "./peers.mjs";

/** Calls that must report progress. No call does if the server writes progress and answer together. */
const expected = 10;

/** On a busy machine, a client may receive both writes together, which its reader treats as one. */
const attempts = 200;

for (const name of ["sdk-v1", "sdk-v2"])
  for (const revision of [legacy.at(-1), modern].filter((each) => clients[name].revisions.includes(each)))
    test(`${name}, ${revision}: ${expected} calls deliver their last progress`, async () => {
      const { connect } = await import(clients[name].module);
      const session = await connect(servers.ours.file, revision);
      let seen = 0;
      for (let attempt = 0; seen < expected && attempt < attempts; attempt++) {
        let progress = false;
        await session.call("report", {}, { onProgress: () => (progress = true) });
        if (progress) seen++;
      }
      await session.close();
      assert.equal(seen, expected);
    });
