// Measures the CPU time for comparing two released revisions inside this process: the first comparison, and
// comparisons once the process is warm. node scripts/run-ts.mjs bench/compiler/diff.ts
import { join } from "node:path";
import { diffModels } from "../../generator/diff/diff-models.js";
import { undocumented } from "../../generator/revision/schema-source.js";
import { loadRevision, storedRevision } from "../../generator/revision/revision-source.js";
import { readLock } from "../../generator/revision/lock.js";

const schemaDir = "schema";
const rounds = 15;
const released = [...readLock(schemaDir)].filter(([, { status }]) => status === "released");

async function compare(from: string, to: string): Promise<{ load: number; diff: number; findings: number }> {
  const start = spent();
  const [old, next] = [
    await loadRevision(storedRevision(schemaDir, from, "released", true), undocumented),
    await loadRevision(storedRevision(schemaDir, to, "released", true), undocumented),
  ];
  const loaded = spent();
  const { length } = diffModels(old.model, next.model);
  return { load: loaded - start, diff: spent() - loaded, findings: length };
}

/** The CPU time of this process so far, in milliseconds. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const pairs = released.flatMap(([from], index) =>
  released.slice(index + 1).map(([to]) => [from, to] as const),
);
console.log(`${join(schemaDir, "*")}, median of ${rounds}; the first pair is cold`);
for (const [from, to] of pairs) {
  const first = await compare(from, to);
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) warm.push((await compare(from, to)).diff);
  const times = `load ${first.load.toFixed(0)} ms, diff ${first.diff.toFixed(0)} ms, then ${median(warm).toFixed(0)} ms`;
  console.log(`${from} → ${to}: ${times}, ${first.findings} findings`);
}
