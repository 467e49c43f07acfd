// Runs the public conformance suite against the example server and client, and judges it by check ids: each
// that is listed in conformance-checks.json must be there and succeed, none may fail or warn, none may be
// unlisted. Green scenarios alone say little: some pass when nothing was checked.
//
//   node test/portability/conformance.mjs [--update] [server|client|authorization|bridge] [2025-11-25|2026-07-28]
//
// With `bridge`, the suite reaches the example server through a bridge, at each pair of revisions. Its checks are those of the server,
// but for the ones that `lost` lists with a reason.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { proxied, runAuthorization } from "./authorization.mjs";
import { checksBelow, runSuite, serverPattern, suite } from "./checks.mjs";
import { recorder, replay } from "./replay.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
// The tested programs may not evaluate text as code, as in workers and on pages with a strict policy.
const noCode = "--disallow-code-generation-from-strings";
const listFile = join(here, "conformance-checks.json");

/** Scenarios that are in no revision's set. */
const unscored = ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"];

/** Scenarios of the skills extension: no revision's set has them, either. */
const ofSkills = {
  server: ["enumeration", "manifest", "directory"].map((part) => `sep-2640-skills-${part}`),
  client: ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"].map(
    (part) => `sep-2640-client-${part}`,
  ),
};

/** Scenarios of the tasks extension, which stands over 2026-07-28 alone. */
const ofTasks = [
  ...["capability-negotiation", "dispatch-and-envelope", "lifecycle", "mrtr-composition", "mrtr-input"],
  ...[
    "request-headers",
    "request-state-removal",
    "required-task-error",
    "status-notifications",
    "wire-fields",
  ],
].map((part) => `tasks-${part}`);

/** What a bridge cannot pass on, by the revisions of the suite and of the server, with the reason. */
const lost = {
  "2025-11-25 2026-07-28": {
    "a server of 2026-07-28 does not close a stream for a client that polls": [
      "server-sse-disconnect-resume",
      "server-sse-priming-event",
      "server-sse-retry-field",
    ],
  },
  "2026-07-28 2025-11-25": {
    "the server reports a missing capability in the result of its tool": [
      "sep-2575-server-rejects-undeclared-capability",
      "sep-2575-missing-capability-http-400",
    ],
    "questions of the server have no keys": [
      "sep-2322-ignore-unexpected-params",
      "sep-2322-elicitation-incomplete",
      "sep-2322-elicitation-complete",
    ],
  },
};

const words = process.argv.slice(2);
const update = words.includes("--update");
const allSides = ["server", "client", "authorization"];
const sides = [...allSides, "bridge"].filter((side) =>
  words.some((word) => [...allSides, "bridge"].includes(word)) ? words.includes(side) : side !== "bridge",
);
const revisions = ["2025-11-25", "2026-07-28"].filter(
  (id) => !words.some((word) => /^\d/.test(word)) || words.includes(id),
);

const out = await mkdtemp(join(tmpdir(), "mcpgen-conformance-"));
let bad = 0;
try {
  const listed = JSON.parse(await readFile(listFile, "utf8").catch(() => "{}"));
  for (const side of sides) {
    if (side === "bridge") {
      for (const revision of revisions)
        for (const back of ["2025-11-25", "2026-07-28"]) bad += await bridged(revision, back, listed);
      continue;
    }
    // An authorization server is the same at each revision.
    for (const revision of side === "authorization" ? [undefined] : revisions) {
      const name = revision === undefined ? side : `${side} ${revision}`;
      const found = await { server: (id) => server(id), client, authorization }[side](
        revision,
        listed[name] ?? {},
      );
      if (update)
        listed[name] = Object.fromEntries(
          Object.entries(found).map(([scenario, checks]) => [scenario, Object.keys(checks).sort()]),
        );
      else bad += judge(name, found, listed[name] ?? {});
    }
  }
  if (update) await writeFile(listFile, `${JSON.stringify(listed, null, 2)}\n`);
} finally {
  await rm(out, { recursive: true, force: true });
}
process.exitCode = bad > 0 ? 1 : 0;

/** Runs the scenarios of a server through a bridge. Returns the number of problems. */
async function bridged(revision, back, listed) {
  const name = `server ${revision}`;
  const hasTasks = revision === back;
  const all = await server(revision, { program: join(here, "programs/bridge.mjs"), back, hasTasks });
  const reasons = lost[`${revision} ${back}`] ?? {};
  const missing = Object.values(reasons).flat();
  for (const [reason, ids] of Object.entries(reasons)) console.log(`lost (${reason}): ${ids.join(", ")}`);
  // The tasks of one era are not those of the other one.
  const [found, wanted] = [all, listed[name]].map((scenarios) =>
    Object.fromEntries(
      Object.entries(scenarios).filter(([scenario]) => hasTasks || !ofTasks.includes(scenario)),
    ),
  );
  for (const checks of Object.values(found)) for (const id of missing) delete checks[id];
  for (const [scenario, ids] of Object.entries(wanted))
    wanted[scenario] = ids.filter((id) => !missing.includes(id));
  return judge(`${name} through a bridge to ${back}`, found, wanted);
}

/**
 * Runs the server's set, and the scenarios of skills and of tasks against servers that have some.
 *
 * @param bridge a program to pass through, its revision, and whether tasks pass
 */
async function server(revision, bridge) {
  const folder = join(out, `server-${revision}-${bridge?.back ?? "direct"}`);
  const reached = (example, args, use) =>
    listening(example, args, (url) =>
      bridge ? reachedBy(bridge.program, [url, bridge.back], use) : use(url),
    );
  await reached("everything-server", [], (url) =>
    runSuite(["server", "--url", url, "--requirements", revision], folder),
  );
  await reached("skills", [join(root, "examples/skills/catalog")], async (url) => {
    for (const name of ofSkills.server) {
      const alone = ["--scenario", name, "--spec-version", revision, "--force"];
      await runSuite(["server", "--url", url, ...alone], folder);
    }
  });
  const found = await checksBelow(folder, serverPattern);
  if (revision !== "2026-07-28" || bridge?.hasTasks === false) return found;
  // The set also contains these scenarios, but one server cannot be both fixtures.
  const apart = `${folder}-tasks`;
  await reached("task-server", [], async (url) => {
    const recorded = await recorder(url);
    for (const name of ofTasks) await runSuite(["server", "--url", recorded.url, "--scenario", name], apart);
    recorded.close();
    if (!bridge) bad += await replayed(recorded.exchanges);
  });
  return { ...found, ...(await checksBelow(apart, serverPattern)) };
}

/** Makes the calls of the suite again over stdio. Returns how many answers differ. */
async function replayed(exchanges) {
  const program = join(root, "dist/examples/task-server/main.js");
  const { made, differences } = await replay(process.execPath, [noCode, program, "--stdio"], exchanges);
  const problems = made === 0 ? ["no call was recorded"] : differences.map((each) => JSON.stringify(each));
  console.log(`conformance, tasks over stdio: ${made} calls, ${problems.length} problems`);
  for (const problem of problems) console.log(`  ${problem}`);
  return problems.length;
}

/** Starts an example that listens on a port of its choice, and stops it after `use`. */
function listening(example, args, use) {
  return reachedBy(join(root, `dist/examples/${example}/main.js`), [...args, "--port", "0"], use);
}

/** Starts a program that says where it listens, and stops it after `use`. */
async function reachedBy(program, args, use) {
  const child = spawn(process.execPath, [noCode, program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    const url = await new Promise((resolve, reject) => {
      let text = "";
      child.stderr.on("data", (chunk) => {
        text += chunk;
        const found = /listening on (\S+)/.exec(text);
        if (found) resolve(found[1]);
      });
      child.on("exit", () => reject(new Error(`${program} did not start: ${text}`)));
    });
    await use(url);
  } finally {
    child.kill();
  }
}

async function client(revision, listed) {
  const folder = join(out, `client-${revision}`);
  const pattern = /^(.*)-\d{4}-\d\d-\d\dT.*$/;
  const command = `"${process.execPath}" ${noCode} "${join(root, "dist/examples/everything-client/main.js")}"`;
  await runSuite(["client", "--command", command, "--requirements", revision], folder);
  const found = await checksBelow(folder, pattern);
  // The suite starts all clients at once, with 30 seconds for each, so a failure only counts if it repeats alone.
  const again = Object.keys(found).filter((name) => isIncomplete(found[name], listed[name]));
  const others = [...unscored, ...ofSkills.client];
  for (const name of [...others, ...again.map((each) => each.replace(/^auth-/, "auth/"))]) {
    const alone = join(out, `client-${revision}-alone`, name);
    // The servers of the unscored scenarios speak the revision that the scenario names.
    const version = unscored.includes(name) ? [] : ["--spec-version", revision, "--force"];
    await runSuite(["client", "--command", command, "--scenario", name, ...version], alone);
    Object.assign(found, await checksBelow(alone, pattern));
  }
  return found;
}

function isIncomplete(checks, ids = []) {
  const seen = Object.values(checks).flat();
  return seen.some(({ status }) => status !== "SUCCESS") || ids.some((id) => !checks[id]);
}

async function authorization() {
  const folder = join(out, "authorization");
  await runAuthorization(suite, [noCode, proxied(root)], folder);
  return checksBelow(folder, /^authorization-server-(.*)-\d{4}-\d\d-\d\dT.*$/);
}

function judge(name, found, listed) {
  const problems = [];
  for (const [scenario, checks] of Object.entries(found))
    for (const [id, results] of Object.entries(checks)) {
      const failed = results.find(({ status }) => status !== "SUCCESS");
      if (failed) problems.push(`${scenario}: ${id}: ${failed.status} ${failed.errorMessage ?? ""}`);
      if (!listed[scenario]?.includes(id))
        problems.push(`${scenario}: ${id} is not listed (--update adds it)`);
    }
  for (const [scenario, ids] of Object.entries(listed))
    for (const id of ids)
      if (!found[scenario]?.[id]) problems.push(`${scenario}: ${id} is listed and was not seen`);
  const total = Object.values(found).flatMap(Object.keys).length;
  console.log(
    `conformance, ${name}: ${total} checks in ${Object.keys(found).length} scenarios, ${problems.length} problems`,
  );
  for (const problem of problems) console.log(`  ${problem}`);
  return problems.length;
}
