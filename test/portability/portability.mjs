// Runs the behaviour suite on every runtime, inside it and over sockets, and judges each run by the names of its
// cases: those in portability-cases.json that the run has all for must be there and succeed, and no others be there.
//
//   node test/portability/portability.mjs [--update] [a part of the names of runs]
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { everything, needsOf } from "./suite/cases.mjs";
import { stdioNames } from "./suite/stdio.mjs";
import { Running, commandOf } from "./processes.mjs";
import { runtimes, servers, workerPaths } from "./runtimes.mjs";
import { lateName, reserve } from "./late.mjs";
import { startWorker } from "./worker.mjs";

const listFile = fileURLToPath(new URL("portability-cases.json", import.meta.url));
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const folder = await mkdtemp(join(tmpdir(), "mcpgen-portability-"));
const update = process.argv.includes("--update");
const listed = update
  ? { fetch: needsOf, stdio: needing(stdioNames), late: needing([lateName]) }
  : JSON.parse(await readFile(listFile, "utf8"));
if (update) await writeFile(listFile, `${JSON.stringify(listed, null, 2)}\n`);

let bad = 0;
try {
  for (const [name, runtime] of Object.entries(runtimes)) {
    await judged(`${name}, inside`, expected(everything), () => reportOf(runtime, "inside.mjs"));
    await judged(`${name}, a server that is not there yet`, Object.keys(listed.late), () => late(runtime));
    const server = commandOf(runtime, "stdio-server.mjs");
    await judged(`${name}, stdio`, Object.keys(listed.stdio), () =>
      reportOf(runtime, "stdio-client.mjs", ...server),
    );
  }
  for (const { name, runtime, program, has } of servers)
    await overSockets(name, runtimes[runtime], program, has);
  for (const [name, runtime] of Object.entries(runtimes)) await ownFetch(name, runtime);
  await worker();
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = bad > 0 ? 1 : 0;

/** A server of one runtime, and the suite in a process of Node. */
async function overSockets(name, runtime, program, has) {
  const run = async () => {
    const server = new Running(commandOf(runtime, program), folder);
    try {
      return await reportOf(runtimes["Node 22"], "outside.mjs", await server.line(), ...has);
    } finally {
      await server.stop();
    }
  };
  await judged(`${name}, over sockets`, expected(has), run);
}

/** The suite, and with it our client, on top of a runtime's own `fetch`. */
async function ownFetch(name, runtime) {
  const { has, program } = servers[0];
  const run = async () => {
    const server = new Running(commandOf(runtimes["Node 20"], program), folder);
    try {
      return await reportOf(runtime, "outside.mjs", await server.line(), ...has);
    } finally {
      await server.stop();
    }
  };
  await judged(`${name}, its own fetch`, expected(has), run);
}

async function worker() {
  // To start it takes longer than most runs, and needs a package that the other runs do not need.
  const names = ["workerd, inside", ...workerPaths.map(({ name }) => `${name}, over sockets`)];
  if (!names.some(isWanted)) return;
  const started = await startWorker(folder);
  const { origin } = started;
  try {
    await judged("workerd, inside", expected(everything), async () =>
      (await fetch(`${origin}/report`)).json(),
    );
    for (const { name, path, has } of workerPaths) {
      const run = () => reportOf(runtimes["Node 22"], "outside.mjs", origin + path, ...has);
      await judged(`${name}, over sockets`, expected(has), run);
    }
  } finally {
    await started.stop();
  }
}

async function late(runtime) {
  const { url, listen, close } = await reserve();
  const client = new Running(commandOf(runtime, "late.mjs", url), folder);
  try {
    await client.line();
    await listen();
    return JSON.parse(await client.line());
  } finally {
    await client.stop();
    await close();
  }
}

/** The report that a program prints. */
async function reportOf(runtime, program, ...args) {
  const running = new Running(commandOf(runtime, program, ...args), folder);
  try {
    return JSON.parse(await running.line());
  } finally {
    await running.stop();
  }
}

/** Cases that need nothing of the platform. */
function needing(names) {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

/** Names of the cases that are run where there is all of `has`. */
function expected(has) {
  const fits = (needs) => needs === "" || needs.split(" ").every((need) => has.includes(need));
  return Object.keys(listed.fetch).filter((name) => fits(listed.fetch[name]));
}

function isWanted(name) {
  return words.every((word) => name.includes(word));
}

async function judged(name, names, run) {
  if (!isWanted(name)) return;
  const began = performance.now();
  const report = await run().catch((error) => ({ [`the run itself: ${error.message}`]: "failed" }));
  const problems = [];
  for (const each of names) if (!(each in report)) problems.push(`${each}: is listed and was not run`);
  for (const [each, error] of Object.entries(report)) {
    if (!names.includes(each)) problems.push(`${each}: is not listed (--update lists it)`);
    if (error !== null) problems.push(`${each}: ${error.split("\n").slice(0, 4).join("\n    ")}`);
  }
  bad += problems.length;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`portability, ${name}: ${names.length} cases in ${seconds} s, ${problems.length} problems`);
  for (const problem of problems) console.log(`  ${problem}`);
}
