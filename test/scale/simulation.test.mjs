// Compares the model of `bench/scale` with measurements. Its inputs are the cost of a call at one node, and the
// slowdown of node:http if nodes share the cores. The rows of two and four nodes are predictions. One row misses the
// bar of 15 % (bench/scale/journal.md).
import assert from "node:assert/strict";
import { test } from "node:test";
import { measured, measuredCalls } from "../../bench/scale/constants.mjs";
import { predicted } from "../../bench/scale/prediction.mjs";

const rows = measuredCalls.filter(({ name }) => name !== "floor");

test("the model predicts the CPU time of a call at 1, 2 and 4 nodes to 15 %, except for one row", (t) => {
  const missed = [];
  for (const row of rows) {
    const found = predicted(row, measured);
    const error = found / row.cpu - 1;
    const name = `${row.name}, ${row.nodes} nodes, ${row.inFlight} in flight`;
    t.diagnostic(`${name}: ${found.toFixed(1)} µs for ${row.cpu}, ${(100 * error).toFixed(1)} %`);
    if (Math.abs(error) > 0.15) missed.push(name);
  }
  assert.deepEqual(missed, ["memory, 4 nodes, 16 in flight"]);
});

test("without the costs of crowded cores, the model misses the measurements at 4 nodes", () => {
  const uncrowded = { ...measured, crowd: () => 1 };
  const errors = rows
    .filter(({ nodes }) => nodes === 4)
    .map((row) => predicted(row, uncrowded) / row.cpu - 1);
  assert.ok(Math.min(...errors) < -0.3);
});
