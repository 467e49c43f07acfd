/**
 * Compares the runtime with other implementations and with the floors. Usage: npm run bench -- [--quick]
 * [--only=TEXT] The contenders of a row take turns on one machine in one run, so only the ratios between them
 * are meaningful.
 */
import { existsSync } from "node:fs";
import { fail, installContenders } from "./install.mjs";

if (process.platform === "win32")
  fail("bench: CPU time is asked for by a signal, which Windows does not know");
installContenders();

const { bundleOurs, oursInDevelopment } = await import("./production.mjs");
if (existsSync(oursInDevelopment)) await bundleOurs();
const { contenders, floor, floorValid, ours } = await import("./contenders.mjs");
const { allRows } = await import("./rows/all.mjs");
const { pinToOneCore } = await import("./pinning.mjs");
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length) ?? "";
const quick = process.argv.includes("--quick");
const effort = quick ? { share: 0.3, rounds: 5 } : { share: 1, rounds: 15 };

pinToOneCore();
const names = contenders().map(({ name }) => name);
if (!names.includes(ours)) console.log("(ours is missing: dist/examples/bench-server is not built)");
console.log(`${"".padEnd(44)}${names.map((name) => name.padStart(13)).join("")}    bar`);
for (const row of allRows) if (row.name.includes(only)) print(row, await row.measure(effort));

function print({ name, unit, bar }, values) {
  console.log(
    `${[name, unit].filter(Boolean).join(", ").padEnd(44)}${names.map((one) => figure(values.get(one))).join("")}    ${verdict(bar, values)}`,
  );
  for (const base of [floor, floorValid]) {
    if (!values.get(base)) continue;
    const ratios = names.map((one) => ratio(values.get(one), values.get(base)));
    console.log(`${`  times ${base}`.padEnd(44)}${ratios.join("")}`);
  }
}

function figure(value) {
  if (value === undefined) return "–".padStart(13);
  const digits = value < 1 ? 2 : value < 100 ? 1 : 0;
  return value.toFixed(digits).padStart(13);
}

function ratio(value, base) {
  return (value === undefined ? "" : (value / base).toFixed(2)).padStart(13);
}

/** `bar` is `[times, name of the floor]` or a number in the row's unit; a row without a bar is not judged. */
function verdict(bar, values) {
  if (bar === undefined) return "for information";
  const value = values.get(ours);
  const limit = Array.isArray(bar) ? bar[0] * values.get(bar[1]) : bar;
  const text = Array.isArray(bar) ? `≤ ${bar[0]} × ${bar[1]}` : `≤ ${bar}`;
  if (value === undefined) return text;
  return `${text}: ${value <= limit ? "met" : "MISSED"}`;
}
