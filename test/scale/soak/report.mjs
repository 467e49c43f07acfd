// The report of a run: Markdown, with plots beside it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { faults } from "./faults.mjs";
import { plots } from "./plots.mjs";

/** Writes `report.md` and the plots into a folder. */
export function writeReport(folder, result) {
  mkdirSync(folder, { recursive: true });
  const files = { ...plots(result.record), "report.md": report(result) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const number = (value) => value.toLocaleString("en-US");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

function report({ record, growth, settings, redis }) {
  const { minutes, seed, pause, every, cores, node } = settings;
  const calls = record.totals.reduce((sum, { calm, disturbed }) => sum + calm.count + disturbed.count, 0);
  const verdict =
    record.brokenCount === 0 ? "No rule was broken." : `Rules were broken ${record.brokenCount} times.`;
  return `# Report of a soak run

\`npm run soak -- --minutes ${minutes} --seed ${seed} --pause ${pause} --every ${every}\` wrote this page.

**${verdict}** ${number(calls)} calls, ${record.faults.length} faults, the longest call took ${Math.round(record.longest)} ms.
${record.brokenCount === 0 ? "" : `\n${record.broken.map((line) => `- ${line}`).join("\n")}\n`}
Four nodes with sealed sessions and the option \`cluster\` over Redis ${redis}, behind a proxy that gives each request to the next
node; ${cores} cores, Node ${node.slice(1)}. Nodes 1 and 2 are never killed.

## Rules

A run breaks a rule, and ends with exit code 1, if

- a call takes more than 5 s,
- a call fails without a fault that excuses it: a plain call fails while only Redis or readers are at fault,
- an answer is wrong, or a step comes twice or out of order,
- an effect comes twice,
- the resident set of node 1 or 2 grows by more than 1 MB/h after the warm-up. It decides in runs with 30 minutes after it.

## Latency

![Latency of calls](latency.svg)

Milliseconds. A call met a fault if it ran while the fault lasted, or within 5 s after it.

${table(["calls", "without a fault", "p50", "p99", "max", "with a fault", "p50", "p99", "max", "failed"], record.totals.map(latencyRow))}

## Errors

![Calls and errors](errors.svg)

${table(["fault", "times", "took, mean"], Object.keys(faults).map(faultRow(record)))}

${excusedTable(record)}

- Steps that were lost in calls that ended well, during kills and while Redis was away: ${record.lost}.
- Of the slow readers, ${slowReaders(record)}.

## Memory

![Resident set of nodes](rss.svg)
![Heap of nodes](heap.svg)
![Memory of Redis](redis.svg)

Growth after a warm-up of ${Math.round(growth.warmUp / 60_000)} minutes, by least squares over means of 20 groups of measurements,
with twice the standard error. ${growth.isJudged ? "" : "The run is too short for a verdict that decides."}

${table(["node", "resident set, MB/h", "heap after a collection, MB/h", "verdict"], growth.nodes.map(growthRow))}
`;
}

const figures = ({ count, p50, p99, max }) =>
  count === 0 ? [0, "–", "–", "–"] : [number(count), p50.toFixed(1), p99.toFixed(1), max.toFixed(0)];

const latencyRow = ({ kind, calm, disturbed }) => [
  kind,
  ...figures(calm),
  ...figures(disturbed),
  calm.failed + disturbed.failed,
];

const faultRow = (record) => (name) => {
  const met = record.faults.filter((fault) => fault.name === name);
  const took = met.reduce((sum, { at, until }) => sum + until - at, 0) / met.length;
  return [name, met.length, met.length ? `${Math.round(took)} ms` : "–"];
};

function excusedTable({ excused }) {
  return excused.length === 0 ? "No call failed." : table(["fault", "calls", "code", "failed"], excused);
}

function slowReaders({ faults: all }) {
  const met = all.filter(({ readers }) => readers);
  const sum = (member) => met.reduce((total, fault) => total + fault[member], 0);
  return `${sum("cut")} of ${sum("readers")} were cut`;
}

const slopeText = (found) => (found ? `${found.slope.toFixed(2)} ± ${found.error.toFixed(2)}` : "–");

const growthRow = ({ slot, rss, heap, verdict }) => [slot + 1, slopeText(rss), slopeText(heap), verdict];
