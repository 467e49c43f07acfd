// The model of `bench/scale` against what was measured: CPU time of a call at 1, 2 and 4 nodes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { closedLoop } from "../../bench/scale/closed-loop.mjs";
import { measured, measuredCalls, rig } from "../../bench/scale/constants.mjs";

const cost = { ...measured, ...rig };

test("the model gives the measured CPU time of a call at 1, 2 and 4 nodes, to 15 %", (t) => {
  for (const { nodes, inFlight, cpu } of measuredCalls) {
    const found = closedLoop({ nodes, inFlight, cores: rig.cores }, cost, 5000);
    const error = found.cpu / cpu - 1;
    t.diagnostic(
      `${nodes} nodes: ${found.cpu.toFixed(1)} µs for ${cpu}, ${(1 / found.turns).toFixed(1)} calls a wake-up`,
    );
    assert.ok(Math.abs(error) <= 0.15, `${nodes} nodes: ${(100 * error).toFixed(1)} %`);
  }
});

test("without wake-ups, the model misses what was measured at 4 nodes", () => {
  const { cpu } = closedLoop(
    { nodes: 4, inFlight: 16, cores: 2 },
    { ...cost, nodeCall: 95, nodeWake: 0 },
    5000,
  );
  assert.ok(cpu / measuredCalls[2].cpu < 0.85);
});
