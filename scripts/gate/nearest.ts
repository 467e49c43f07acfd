// Runs the long tests nearest to the changed files, for at most three minutes, and prints the tests that are left to
// the nightly run:
//
//   npm run test:nearest [-- --list] [-- --seconds N]
//
// BASE names the commit from which changes count. `--list` only prints the tests. `--seconds` sets the time, from the
// start of this program, after which tests are cancelled.
import { spawnSync } from "node:child_process";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { TestCase, TestModule, TestSpecification } from "vitest/node";
import { baseCommit, changedSince, filesOf } from "./changes.js";
import { type NearTest, nearestTests } from "./nearness.js";
import { writeReport } from "./report.mjs";

/** Milliseconds that running tests get when the time has ended; then the process ends. */
const grace = 10_000;

const { list, seconds } = parseArgs({
  options: { list: { type: "boolean" }, seconds: { type: "string", default: "110" } },
}).values;
const longest = Number(seconds) * 1000;
if (!(longest > 0)) throw new Error(`--seconds is ${seconds}: expected a number above 0`);

const base = baseCommit();
const changed = changedSince(base);
const near = nearestTests(changed, filesOf());
console.log(`${changed.length} files changed since ${base.slice(0, 8)}; ${near.length} long tests are near`);
if (list) for (const { file, distance, changed } of near) console.log(`${distance}  ${file}  (${changed})`);
else if (near.length > 0) await run(near);

/** A test file that ended, and whether the time had ended before it did. */
interface Ended {
  readonly module: TestModule;
  readonly late: boolean;
}

async function run(near: readonly NearTest[]): Promise<void> {
  process.env["MCPGEN_LONG"] = "1";
  const { createVitest } = await import("vitest/node");
  // Suites of other runners (*.long.test.mjs) start databases, so they are always left to the nightly run.
  const files = near.map(({ file }) => file).filter((file) => file.endsWith(".ts"));
  const order = new Map(files.map((file, index) => [resolve(file), index]));
  const placeOf = ({ moduleId }: { readonly moduleId: string }): number => order.get(moduleId)!;
  const ended = new Map<string, Ended>();
  const failedInTime = new Set<string>();
  let late = false;
  let errors = 0;
  const vitest = await createVitest("test", {
    watch: false,
    reporters: [
      "default",
      {
        onTestCaseResult: (test: TestCase) => {
          if (!late && test.result().state === "failed")
            failedInTime.add(relative(".", test.module.moduleId));
        },
        onTestModuleEnd: (module: TestModule) =>
          void ended.set(relative(".", module.moduleId), { module, late }),
        onTestRunEnd: (_, unhandled) => void (errors = late ? 0 : unhandled.length),
      },
    ],
    sequence: {
      sequencer: class {
        shard = <Files>(files: Files): Files => files;
        sort = (files: TestSpecification[]): TestSpecification[] =>
          files.toSorted((one, other) => placeOf(one) - placeOf(other));
      },
    },
  });
  const end = (): never => finish(near, { ended, failedInTime, errors });
  setTimeout(() => {
    late = true;
    void vitest.cancelCurrentRun("keyboard-input");
    setTimeout(end, grace);
  }, longest - performance.now());
  await vitest.start(files);
  await vitest.close();
  end();
}

/** What a run has shown. */
interface Shown {
  readonly ended: ReadonlyMap<string, Ended>;
  /** Files with a test that failed before the time had ended. */
  readonly failedInTime: ReadonlySet<string>;
  /** Number of errors outside of tests. */
  readonly errors: number;
}

/** Writes the report for .ci/run, prints the tests that are left, and ends the process. */
function finish(near: readonly NearTest[], { ended, failedInTime, errors }: Shown): never {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  const failed = new Set<string>();
  const left: string[] = [];
  for (const { file } of near) {
    const { module, late } = ended.get(file) ?? {};
    const results = module ? [...module.children.allTests()].map((test) => test.result().state) : [];
    // When a file is cancelled, its remaining tests are reported as skipped, and cancelling may make tests
    // fail. On a busy machine, a file may begin after that, and fail by its own limits.
    const isCut = !module || (late && (!module.ok() || results.some((state) => state !== "passed")));
    const isFailed = failedInTime.has(file) || (module && !isCut && !module.ok());
    for (const state of results) counts[state === "failed" && !isFailed ? "skipped" : state]++;
    if (isFailed) failed.add(file);
    else if (isCut) left.push(file);
  }
  if (left.length > 0)
    console.log(`left to the nightly, ${left.length} of ${near.length}:\n  ${left.join("\n  ")}`);
  writeReport({ ...counts, failedFiles: failed });
  // A busy worker does not notice that its parent ends, and would run for ever.
  spawnSync("pkill", ["-KILL", "-P", String(process.pid)]);
  process.exit(failed.size + errors > 0 ? 1 : 0);
}
