// Every framework with our server and with the official SDKs'. MATRIX=write keeps the results and prints the table.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { format } from "prettier";
import { frameworks, lostTo, readJson, recordOf, resultsOf, tableOf, trialsOf } from "./shared/matrix.mjs";

const timeout = 1_800_000;
const file = new URL("../../../bench/hosts/frameworks.json", import.meta.url);
const isWritten = process.env.MATRIX === "write";
/** Faults of frameworks, where a cell of an official SDK's is better: `{ framework, column, transport, fault }`. */
const faults = readJson("faults.json");
const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).frameworks : {};
const records = {};
/** Over stdio, a framework falls back to an older revision if the server's start takes longer than it waits. */
const overHttp = (revisions) => revisions.map(([, ...http]) => http);

describe("frameworks", { concurrency: 3 }, () => {
  for (const name of frameworks)
    test(`${name}: nothing works with an official SDK alone`, { timeout }, async () => {
      const tried = await trialsOf(name);
      records[name] = recordOf(tried);
      const isNamed = ({ column, transport }) =>
        faults.some(
          (each) => each.framework === name && each.column === column && each.transport === transport,
        );
      assert.deepEqual(
        lostTo(tried.trials).filter((each) => !isNamed(each)),
        [],
      );
      const { marks, revisions } = records[name];
      const [ours, ...others] = overHttp(revisions);
      for (const [index, revision] of ours.entries())
        for (const theirs of others)
          assert.ok(theirs[index] === "–" || (revision !== "–" && revision >= theirs[index]), `${revisions}`);
      if (isWritten) return;
      assert.deepEqual(marks, kept[name]?.marks);
      assert.deepEqual(overHttp(revisions), overHttp(kept[name].revisions));
      for (const [index, [noted]] of revisions.entries())
        for (const revision of noted.split(" and "))
          assert.ok(revision <= kept[name].revisions[index][0], `${revision} over stdio`);
    });

  after(async () => {
    const results = resultsOf({ ...kept, ...records });
    console.log(tableOf(results));
    if (isWritten)
      writeFileSync(file, await format(JSON.stringify(results), { parser: "json", printWidth: 110 }));
  });
});
