// The rules of stores that processes share, in each database, with each driver.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterStoreRules } from "../support/store-rules/cluster-store-rules.mjs";
import { clusterDriverNames, openClusterStore } from "./cluster-stores.mjs";
import { engines } from "./engines.mjs";

for (const [driver, engine] of clusterDriverNames) {
  const { missing, start } = engines[engine];
  test(`a store of processes over ${driver} obeys the rules`, { skip: missing }, async (t) => {
    const { address, stop } = await start();
    t.after(stop);
    assert.ok(clusterStoreRules.length >= 60);
    for (const [index, { name, check }] of clusterStoreRules.entries())
      await t.test(name, async () => {
        const names = [`one ${index}`, `one ${index}`, `odd "other" ${index}`];
        const opened = [];
        try {
          for (const each of names) opened.push(await openClusterStore(driver, address, each));
          const [store, peer, other] = opened.map((each) => each.store);
          await check({ store, peer, other });
        } finally {
          await Promise.all(opened.map(({ close }) => close()));
        }
      });
  });
}
