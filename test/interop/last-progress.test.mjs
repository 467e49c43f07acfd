// The progress and the log that a server of ours sends right before an answer reach official clients.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, legacy, modern, servers } from "./peers.mjs";

const calls = 20;

for (const name of ["sdk-v1", "sdk-v2"])
  for (const revision of [legacy.at(-1), modern].filter((each) => clients[name].revisions.includes(each)))
    test(`${name}, ${revision}: of ${calls} calls each brings its last progress`, async () => {
      const { connect } = await import(clients[name].module);
      const session = await connect(servers.ours.file, revision);
      let seen = 0;
      for (let call = 0; call < calls; call++) {
        let reported = false;
        await session.call("report", {}, { onProgress: () => (reported = true) });
        if (reported) seen++;
      }
      await session.close();
      assert.equal(seen, calls);
    });
