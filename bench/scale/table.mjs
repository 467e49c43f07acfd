// Writes the tables in bench/scale/journal.md that follow from the constants: `node bench/scale/table.mjs`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assumed, measured, measuredCalls } from "./constants.mjs";
import { predicted } from "./prediction.mjs";
import { plan, simulate } from "./simulation.mjs";

const page = new URL("journal.md", import.meta.url);

const whole = (value) => value.toLocaleString("en-US");

/** The tables of the page as Markdown, by their marks. */
export const tables = () => ({ simulated: simulatedTable(), predicted: predictedTable() });

/** Returns the table with the measured and the predicted cost of a call. */
function predictedTable() {
  const rows = measuredCalls
    .filter(({ name }) => name !== "floor")
    .map((row) => {
      const found = predicted(row, measured);
      const error = 100 * (found / row.cpu - 1);
      const cells = [
        row.name,
        row.nodes,
        row.inFlight,
        row.cpu.toFixed(0),
        found.toFixed(0),
        error.toFixed(0),
      ];
      return `| ${cells.join(" | ")} % |`;
    });
  return [
    "| sessions in | nodes | calls in flight | measured, µs | model, µs | difference |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** @param requests the number of simulated requests for each row */
function simulatedTable(requests = 50_000) {
  const rows = [10_000, 100_000, 1_000_000, 10_000_000].map((sessions) => {
    const fleet = plan(sessions, measured, assumed);
    const { call, ask, node, shard } = simulate(fleet, measured, assumed, requests);
    const cells = [
      whole(sessions),
      whole(fleet.requests),
      fleet.nodes,
      fleet.shards,
      `${(fleet.gigabytes * 1000).toFixed(0)} MB`,
      `${call.p50.toFixed(2)} / ${call.p99.toFixed(2)}`,
      `${ask.p50.toFixed(2)} / ${ask.p99.toFixed(2)}`,
      `${(100 * node).toFixed(0)} %`,
      `${(100 * shard).toFixed(0)} %`,
      `$${fleet.perMillion.toFixed(4)}`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| sessions | requests/s | nodes | shards | Redis memory | call p50 / p99 ms | answer p50 / p99 ms | busiest node | busiest shard | cost of 1 M requests |",
    "|---|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let text = readFileSync(page, "utf8");
  for (const [name, table] of Object.entries(tables())) {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [before, after] = [
      text.slice(0, text.indexOf(begin) + begin.length),
      text.slice(text.indexOf(end)),
    ];
    text = `${before}\n\n${table}\n\n${after}`;
  }
  writeFileSync(page, text);
}
