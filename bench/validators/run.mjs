/**
 * Compares the speed and size of the emitted validators with hand-written ones and with the fastest exact
 * libraries. Usage: node bench/validators/run.mjs [--quick] [--only=TEXT] [--generated=FOLDER] [revision…],
 * after npm run build and npm ci --prefix bench.
 */
import { bundle, schemaOf, withModule } from "./emitted.mjs";
import { casesFor } from "./cases.mjs";
import { geometricMean, measure, wrongVerdicts } from "./measure.mjs";
import { loadPeers } from "./peers.mjs";
import { reportSize } from "./size.mjs";
import { isCallToolRequest, isCallToolResult, isListToolsResult } from "./twins.mjs";

const twins = {
  CallToolRequest: isCallToolRequest,
  CallToolResult: isCallToolResult,
  ListToolsResult: isListToolsResult,
};
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length) ?? "";
const quick = process.argv.includes("--quick");
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const revisions = wanted.length > 0 ? wanted : ["2025-11-25", "2026-07-28"];
const effort = quick ? { rounds: 5, milliseconds: 5 } : { rounds: 15, milliseconds: 20 };

const peers = await loadPeers();
for (const revision of revisions) {
  console.log(`\n${revision}`);
  await reportSize(revision);
  await withModule(await bundle(revision), async (url) => reportSpeed(revision, await import(url)));
}

function reportSpeed(revision, validators) {
  const document = schemaOf(revision);
  const compile = peers.map(([name, prepare]) => [name, prepare(document)]);
  const names = ["ours", "by hand", ...peers.map(([name]) => name)];
  const ratios = new Map(names.map((name) => [name, []]));
  console.log(
    `\n  ${"ns a verdict (ratio to ours)".padEnd(42)}${names.map((name) => name.padStart(18)).join("")}`,
  );
  for (const one of casesFor(revision)) {
    if (!one.name.includes(only)) continue;
    const contenders = contendersFor(one, revision, validators, compile);
    const wrong = new Map(contenders.map(([name, validate]) => [name, wrongVerdicts(validate, one)]));
    if (wrong.get("ours") > 0)
      throw new Error(`${one.name}: ${wrong.get("ours")} verdicts of ours are not as expected`);
    const spent = measure(contenders, one.values, effort);
    const cells = names.map((name) => cell(spent, name, wrong));
    for (const [name, value] of spent) ratios.get(name).push(value / spent.get("ours"));
    console.log(`  ${`${one.name}, ${one.expected ? "valid" : "invalid"}`.padEnd(42)}${cells.join("")}`);
  }
  for (const [name, list] of ratios) {
    if (name === "ours" || list.length === 0) continue;
    console.log(
      `  ${name}: ${geometricMean(list).toFixed(2)} times ours (geometric mean of ${list.length} cases)`,
    );
  }
}

function contendersFor(one, revision, validators, compile) {
  const twin = revision === "2025-11-25" ? twins[one.definition] : undefined;
  return [
    ["ours", validators[`is${one.definition}`]],
    ...(twin ? [["by hand", twin]] : []),
    ...compile.map(([name, of]) => [name, of(one.definition)]),
  ];
}

function cell(spent, name, wrong) {
  const value = spent.get(name);
  if (value === undefined) return "".padStart(18);
  const mark = wrong.get(name) > 0 ? "!" : "";
  return `${value.toFixed(1)} (${(value / spent.get("ours")).toFixed(2)})${mark}`.padStart(18);
}
