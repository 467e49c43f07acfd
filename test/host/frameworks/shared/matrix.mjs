import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { columns } from "./cells.mjs";
import { servers, transports } from "./server.mjs";

const here = new URL("../", import.meta.url);
const { workspaces } = readJson("package.json");

/** The frameworks, by the names of their folders. */
export const frameworks = workspaces;

/** The version of Node.js that all of them run on. */
export const node = createRequire(here).resolve("node-24/bin/node");

/** Frameworks send nothing to their vendors. */
const quiet = {
  DO_NOT_TRACK: "1",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
  MCP_USE_ANONYMIZED_TELEMETRY: "false",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  OTEL_SDK_DISABLED: "true",
};

/**
 * Tries a framework with every server over every transport, in a separate process.
 *
 * @returns `{ package, version, trials }`, where a trial is `{ server, transport, cells, revision }`
 * @throws Error if the process ends before its last trial
 */
export async function trialsOf(name) {
  const child = spawn(node, [fileURLToPath(new URL("trial.mjs", here)), name], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...quiet },
  });
  const trials = [];
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-2000);
  });
  child.on("message", (message) => trials.push(message));
  await new Promise((resolve) => child.once("close", resolve));
  if (trials.length < servers.length * transports.length)
    throw new Error(`${name}: the process ended after ${trials.length} trials: ${said}`);
  return { ...packageOf(name), trials };
}

function packageOf(name) {
  const { packages } = readJson("package-lock.json");
  const [, main] = /package: "(.*)"/.exec(readFileSync(new URL(`${name}/adapter.mjs`, here), "utf8"));
  const entry = packages[`${name}/node_modules/${main}`] ?? packages[`node_modules/${main}`];
  return { package: main, version: entry.version };
}

/** The parts of cells that fail with our server and not with one of the official SDKs'. */
export function lostTo(trials) {
  const cellOf = (server, transport, column) =>
    trials.find((each) => each.server === server && each.transport === transport).cells[column];
  return transports.flatMap((transport) =>
    columns.flatMap((column) => {
      const [ours, ...others] = servers.map((server) => cellOf(server, transport, column));
      const lost = Object.entries(ours.parts ?? {}).flatMap(([part, reason]) => {
        const better = others.findIndex(
          ({ works, parts = {} }) => works !== undefined && works !== false && !(part in parts),
        );
        return better < 0 ? [] : [{ transport, column, part, reason, than: servers[better + 1] }];
      });
      return ours.works === undefined ? [] : lost;
    }),
  );
}

const mark = ({ works }) => (works === undefined ? "–" : works === true ? "●" : works === false ? "○" : "◐");

/** What is kept of a framework: its revisions, its marks by column, both for each server one a transport, and each reason once. */
export function recordOf({ trials, ...named }) {
  const marks = {};
  const reasons = {};
  const trialOf = (server, transport) =>
    trials.find((each) => each.server === server && each.transport === transport);
  const revisions = servers.map((server) =>
    transports.map((transport) => trialOf(server, transport).revision ?? "–"),
  );
  for (const column of columns) {
    marks[column] = servers.map((server) =>
      transports.map((transport) => mark(trialOf(server, transport).cells[column])).join(""),
    );
    for (const { server, transport, cells } of trials)
      for (const [part, reason] of Object.entries(cells[column].parts ?? {}))
        ((reasons[column] ??= {})[`${part}: ${reason}`] ??= []).push(`${server} ${transport}`);
  }
  const everywhere = servers.length * transports.length;
  for (const byReason of Object.values(reasons))
    for (const [reason, where] of Object.entries(byReason))
      byReason[reason] = where.length === everywhere ? "everywhere" : where.join(", ");
  return { ...named, revisions, marks, reasons };
}

/** The results of all frameworks, as they are kept. */
export function resultsOf(records) {
  const sorted = frameworks.filter((name) => name in records).map((name) => [name, records[name]]);
  return { servers, transports, frameworks: Object.fromEntries(sorted) };
}

/** The table of all frameworks, as Markdown: ours / SDK v2 / SDK v1. */
export function tableOf(results) {
  const bearer = transports.indexOf("bearer");
  const rest = [...transports.keys()].filter((index) => index !== bearer);
  const rows = Object.values(results.frameworks).map(({ package: name, version, revisions, marks }) => [
    `${name} ${version}`,
    shown(revisions, rest),
    ...columns.map((column) => shown(marks[column], rest)),
    shown(marks.list, [bearer]),
  ]);
  const head = ["framework", "revision", ...columns, "bearer"];
  return [head, head.map(() => "-"), ...rows].map((row) => `|${row.join("|")}|`).join("\n");
}

/** One mark a server if its transports agree; else each transport that differs from the first is named. */
function shown(byServer, wanted) {
  const all = byServer.map((marks) => {
    const [first, ...others] = wanted.filter((index) => marks[index] !== "–");
    if (first === undefined) return "–";
    const differing = others.filter((index) => marks[index] !== marks[first]);
    return marks[first] + differing.map((index) => ` ${transports[index]} ${marks[index]}`).join("");
  });
  return new Set(all).size === 1 ? all[0] : all.join(" / ");
}

export function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, here), "utf8"));
}
