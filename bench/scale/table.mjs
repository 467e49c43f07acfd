// Writes the table of docs/scale.md: `node bench/scale/table.mjs`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assumed, measured } from "./constants.mjs";
import { plan, simulate } from "./simulation.mjs";

const page = new URL("../../docs/scale.md", import.meta.url);
const [begin, end] = ["<!-- simulated: begin -->", "<!-- simulated: end -->"];

const whole = (value) => value.toLocaleString("en-US");

/** The rows of the page, as Markdown. @param requests of the simulation, for each row */
export function table(requests = 50_000) {
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
  const text = readFileSync(page, "utf8");
  const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
  writeFileSync(page, `${before}\n\n${table()}\n\n${after}`);
}
