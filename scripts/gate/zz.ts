// Runs the long tests nearest to what changed, for two and a half minutes, and names those that are left to the nightly:
//
//   npm run test:nearest [-- --list]
//
// BASE names the commit from which changes count. `--list` prints the tests, and runs none.
import { mkdirSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { TestModule, TestSpecification } from "vitest/node";
import { baseCommit, changedSince } from "./changes.js";
import { type NearTest } from "./nearness.js";

const longest = 4_000;
/** For tests that run when time ends: then the process ends, whatever they do. */
const grace = 10_000;

const base = baseCommit();
const changed = changedSince(base);
const near = ["test/gate/zz.long.test.ts", "test/gate/zy.long.test.ts"].map((file) => ({
  file,
  distance: 0,
  changed: "x",
}));
console.log(`${changed.length} files changed since ${base.slice(0, 8)}; ${near.length} long tests are near`);
if (process.argv.includes("--list"))
  for (const { file, distance, changed } of near) console.log(`${distance}  ${file}  (${changed})`);
else if (near.length > 0) await run(near);

async function run(tests: readonly NearTest[]): Promise<void> {
  process.env["MCPGEN_LONG"] = "1";
  const { createVitest } = await import("vitest/node");
  const order = new Map(tests.map(({ file }, index) => [resolve(file), index]));
  const placeOf = ({ moduleId }: { readonly moduleId: string }): number => order.get(moduleId)!;
  const ended = new Map<string, TestModule>();
  const vitest = await createVitest("test", {
    watch: false,
    reporters: [
      "default",
      { onTestModuleEnd: (module: TestModule) => void ended.set(relative(".", module.moduleId), module) },
    ],
    sequence: {
      sequencer: class {
        shard = <Files>(files: Files): Files => files;
        sort = (files: TestSpecification[]): TestSpecification[] =>
          files.toSorted((one, other) => placeOf(one) - placeOf(other));
      },
    },
  });
  const end = (): never => finish(tests, ended);
  setTimeout(() => {
    void vitest.cancelCurrentRun("keyboard-input");
    setTimeout(end, grace);
  }, longest);
  await vitest.start(tests.map(({ file }) => file));
  await vitest.close();
  end();
}

/** Reports to .ci/run, names what is left, and ends the process. */
function finish(tests: readonly NearTest[], ended: ReadonlyMap<string, TestModule>): never {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  const failed = new Set<string>();
  const left: string[] = [];
  for (const { file } of tests) {
    const module = ended.get(file);
    const results = module ? [...module.children.allTests()].map((test) => test.result().state) : [];
    // A file that was cancelled ends, too, with tests that have no result.
    if (!module || results.includes("pending") || (results.length === 0 && module.ok())) {
      left.push(file);
      continue;
    }
    if (!module.ok()) failed.add(file);
    for (const state of results) counts[state]++;
  }
  if (left.length > 0)
    console.log(`left to the nightly, ${left.length} of ${tests.length}:\n  ${left.join("\n  ")}`);
  report(counts, failed);
  process.exit(failed.size > 0 ? 1 : 0);
}

/** In the form of vitest's own reports, for the summary. */
function report(
  { passed, failed, skipped }: Readonly<Record<"passed" | "failed" | "skipped", number>>,
  failedFiles: ReadonlySet<string>,
): void {
  mkdirSync("node_modules/.cache/mcpgen-reports", { recursive: true });
  const text = JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    testResults: [...failedFiles].map((name) => ({ name, status: "failed" })),
  });
  writeFileSync("node_modules/.cache/mcpgen-reports/nearest.json", text);
}
