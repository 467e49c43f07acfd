import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { type HostName, hostNames } from "../../../generator/lint/host-rows.js";
import { type Case, called, cases } from "../../support/host-cases.js";
import { hostFolder, installed } from "../../support/hosts/install.js";
import {
  type KnownCulprits,
  type Observed,
  type Part,
  type Ruled,
  observe,
  parts,
} from "../../support/hosts/observe.js";
import { cli } from "../../support/hosts/report.js";
import {
  type Row,
  type CaseEffect,
  besideRow,
  caseEffects,
  differencesOf,
  inParts,
  rowOf,
  steady,
  wordsOf,
} from "../../support/hosts/row.js";
import { type Run, buildProbe } from "../../support/hosts/run.js";

// Runs real hosts with the probe, computes their rows, and compares them with generator/host/hosts.json:
// npm run hosts -- [--host NAME…] [--part PART…] [--write | --latest]

interface Schema {
  readonly additionalProperties: { readonly properties: object };
}

const rowsFile = "generator/host/hosts.json";
const evidence = "bench/hosts";

/** The members of a row, in their order. */
const members = Object.keys(
  (JSON.parse(readFileSync("generator/host/hosts.schema.json", "utf8")) as Schema).additionalProperties
    .properties,
);
const { values } = parseArgs({
  options: {
    host: { type: "string", multiple: true },
    part: { type: "string", multiple: true },
    write: { type: "boolean", default: false },
    latest: { type: "boolean", default: false },
  },
});
const chosen = among("--host", values.host ?? hostNames, hostNames);
/** Reports are repeated where it is asked for: it takes minutes. */
const usual = parts.filter((part) => part !== "repeated");
const wanted = new Set(among("--part", values.part ?? usual, parts));
const known = JSON.parse(readFileSync(rowsFile, "utf8")) as Record<HostName, Record<string, unknown>>;

await buildProbe();

if (!existsSync(cli) && (wanted.has("touched") || wanted.has("repeated"))) {
  console.error("hosts: the parts touched and repeated need the built command line: npm run build");
  process.exit(2);
}

/** Parts that read the system calls of the host. */
const tracedParts: readonly Part[] = ["proxy", "touched"];
const hasTracer = spawnSync("strace", ["--version"]).status === 0;

const latest = values.latest ? mkdtempSync(join(tmpdir(), "mcpgen-hosts-")) : undefined;
try {
  process.exitCode = (await main(latest ?? hostFolder)) ? 0 : 1;
} finally {
  if (latest !== undefined) rmSync(latest, { recursive: true, force: true });
}

/** Looks at each host. Returns whether every row is so. */
async function main(folder: string): Promise<boolean> {
  for (const part of tracedParts)
    if (!hasTracer && wanted.delete(part)) {
      console.log(`strace is not installed: skipped ${part}`);
      // There, a part that is skipped stays unseen.
      if (process.env["CI"] !== undefined) return false;
    }
  const start = turnstile(2);
  let kept = Promise.resolve();
  const rows = await Promise.all(
    chosen.map(async (name) => {
      const version = values.latest ? "latest" : undefined;
      const host = await start(() => installed(name, folder, version)).catch(reasonOf);
      if (typeof host === "string") return { name, problem: `cannot be installed: ${host}` };
      const begun = performance.now();
      const observed = await observe(host, wanted, start, culpritsOf(name)).catch((error: unknown) =>
        String(error),
      );
      if (typeof observed === "string") return { name, problem: observed };
      const seconds = Math.round((performance.now() - begun) / 1000);
      const row = { version: host.version, ...rowOf(observed) };
      const compare = values.latest ? besideRow : differencesOf;
      const found = [...compare(known[name], row, wanted), ...faultsOf(observed)];
      if (values.write) await (kept = kept.then(() => keep(name, row, observed)));
      return { name, observed, row, found, seconds };
    }),
  );
  const differences = rows.map((each) => {
    if (!each.row) {
      console.log(`${each.name}: ${each.problem}`);
      return 1;
    }
    const { name, row, found, observed, seconds } = each;
    const isSame = found.length === 0 ? "as its row says" : "not as its row says";
    const what = values.latest ? `beside ${String(known[name]["version"])}` : isSame;
    console.log(`${name} ${row.version}: ${what}, ${seconds} s`);
    for (const line of found) console.log(`  ${line}`);
    for (const line of notesOf(observed)) console.log(`  note: ${line}`);
    return found.length;
  });
  // These two show what is different; nothing is wrong with it.
  if (values.write || values.latest)
    return rows.every(({ row, observed }) => row !== undefined && faultsOf(observed).length === 0);
  return differences.every((count) => count === 0);
}

/** The first lines of npm's words, as one. */
function reasonOf({ message }: Error): string {
  const lines = message.split("\n").filter((line) => line.startsWith("npm error"));
  return (lines.length === 0 ? message : lines.slice(0, 3).join(" ⏎ ")).slice(0, 500);
}

/** What must not be, whatever a row says. */
function faultsOf({ touched, repeated = [] }: Observed): string[] {
  const traces = Object.entries(touched ?? {}).flatMap(([what, each]: [string, readonly string[]]) =>
    each.map((line) => `touched ${what}: ${line}`),
  );
  return [...traces, ...repeated.map((line) => `differs from run to run: ${line}`)];
}

function among<Name extends string>(option: string, given: readonly string[], all: readonly Name[]): Name[] {
  const wrong = given.find((each) => !all.includes(each as Name));
  if (wrong === undefined) return given as Name[];
  console.error(`hosts: ${option}: ${JSON.stringify(wrong)} is not one of ${all.join(", ")}`);
  process.exit(2);
}

/** Lets so many pieces of work run at a time; one may let go early, when it only waits. */
function turnstile(most: number): <T>(work: (letGo: () => void) => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    let isHeld = true;
    const letGo = (): void => {
      if (!isHeld) return;
      isHeld = false;
      const next = waiting.shift();
      if (next) next();
      else running--;
    };
    try {
      return await work(letGo);
    } finally {
      letGo();
    }
  };
}

/** Tools that no rule reports, and that the host changes all the same; results that differ between transports. */
function notesOf({ rules, culprits = [], stdio, http }: Observed): string[] {
  const effects = rules ? caseEffects(rules, culprits, cases) : [];
  const unexplained = effects.filter(
    ({ rule, effect, mended }) => rule === undefined && effect !== undefined && !mended,
  );
  const differing = (stdio?.calls ?? []).filter(({ tool, result }) => {
    const other = http?.calls.find((call) => call.tool === tool);
    return other && steady(wordsOf(other.result)) !== steady(wordsOf(result));
  });
  return [
    ...unexplained.map(({ what, effect }) => `${effect} ${what}, which no rule reports`),
    ...differing.map(({ tool }) => `the result of ${tool} reads differently over HTTP`),
  ];
}

/** Where the observations of a host are kept. */
function evidenceOf(name: HostName): string {
  return join(evidence, `${name}.json`);
}

interface Evidence {
  readonly cases?: readonly CaseEffect[];
  readonly olderCases?: readonly CaseEffect[];
  readonly runs: object;
}

function earlierEvidence(name: HostName): Evidence | undefined {
  const file = evidenceOf(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Evidence) : undefined;
}

/** The cases that took all tools from the model when the host was observed last. */
function culpritsOf(name: HostName): KnownCulprits {
  const { cases: newest = [], olderCases: older = [] } = earlierEvidence(name) ?? {};
  const culprits = (seen: readonly CaseEffect[]): readonly Case[] =>
    cases.filter(({ what }) => seen.some((each) => each.what === what && each.effect === "drops-all"));
  return { newest: culprits(newest), older: culprits(older) };
}

/** Writes the row, and what it was computed from. */
async function keep(name: HostName, row: Row & { version: string }, observed: Observed): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const before = known[name];
  const merged = Object.entries(row).map(([member, value]: [string, unknown]) => [
    member,
    inParts.has(member) ? { ...(before[member] as object), ...(value as object) } : value,
  ]);
  const file = evidenceOf(name);
  // Absent, where both are the same now.
  const earlierRules = row.rules && { olderRules: undefined };
  const all: Record<string, unknown> = {
    ...{ ...before, ...earlierRules, ...Object.fromEntries(merged) },
    ...{ date, evidence: file },
  };
  known[name] = Object.fromEntries(members.filter((each) => each in all).map((each) => [each, all[each]]));
  mkdirSync(evidence, { recursive: true });
  await write(rowsFile, known);
  const { rules, culprits = [], older } = observed;
  const parts = { ...observed, ...(older && { older: older.rules }) };
  const runs = Object.fromEntries(
    Object.entries(parts)
      .filter(([part]) => part !== "culprits" && part !== "repeated")
      .map(([part, run]) => [
        part,
        "files" in run ? run : "calls" in run ? factsOf(run as Run) : mapped(run as Record<string, Run>),
      ]),
  );
  const changed = (ruled: Ruled): object =>
    caseEffects(ruled.rules, ruled.culprits, cases).filter(({ effect }) => effect !== undefined);
  const earlier = earlierEvidence(name);
  const kept = {
    cases: rules ? changed({ rules, culprits }) : earlier?.cases,
    olderCases: rules ? older && changed(older) : earlier?.olderCases,
    runs: { ...earlier?.runs, ...runs },
  };
  await write(file, { version: row.version, date, ...kept });
}

function mapped(runs: Record<string, Run>): Record<string, object> {
  return Object.fromEntries(Object.entries(runs).map(([way, run]) => [way, factsOf(run)]));
}

/** A run without its times; a result that says no more than that the tool was called is counted. */
function factsOf({ calls, seen, exitCode, outside, direct, others, tools }: Run): object {
  const [first] = seen;
  const shown = calls.map(({ tool, result, isError }) => ({
    tool,
    ...(result === undefined ? { lost: true } : { shown: steady(wordsOf(result)).slice(0, 160) }),
    ...(isError && { isError }),
  }));
  const isPlain = (each: (typeof shown)[number]): boolean =>
    "shown" in each && each.shown.length < 120 && each.shown.includes(called(each.tool));
  return {
    ...(first && { client: first.client, revision: first.revision }),
    exitCode,
    ownTools: others,
    notOffered: tools.filter(({ offered }) => !offered).map(({ name }) => name),
    asked: outside,
    ...(direct && { direct }),
    called: shown.filter((each) => isPlain(each)).length,
    calls: shown.filter((each) => !isPlain(each)),
  };
}

async function write(file: string, value: object): Promise<void> {
  writeFileSync(file, await format(JSON.stringify(value), { parser: "json", printWidth: 110 }));
}
