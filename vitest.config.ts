import { availableParallelism } from "node:os";
import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { isThorough } from "./test/support/cases.mjs";
import { hang } from "./test/support/until.mjs";

/** Our own packages are taken from source: tests need no build, and see what is being worked on. */
const conditions = ["mcpgen-source", "node", "import", "default"];

/** Slow tests are known by their name; MCPGEN_LONG=1 runs them, too. */
const isLong = process.env["MCPGEN_LONG"] === "1";

/** For the summary of .ci/run. */
const isReported = process.env["CI"] !== undefined || process.env["MCPGEN_REPORT"] !== undefined;

/** Tests of what runs in users' programs. */
const running = "test/{apps,base,runtime,testing,checklist}/**/*.test.ts";

/** Where these tests run no code is made of text, as in workers and on pages with a strict policy; nor in what they start. */
const noCode = "--disallow-code-generation-from-strings";

const others = [
  "**/node_modules/**",
  "test/interop/**",
  "test/published/**",
  "test/portability/**",
  "test/engines/**",
  "test/scale/**",
  ...(isLong ? [] : ["test/**/*.long.test.ts"]),
];

/** With the numbers of their issues, files that draw cases or wait take longest: they begin, and no core waits for one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean =>
      /support\/(?:cases\.mjs|thorough-test\.js)"/.test(readFileSync(moduleId, "utf8"));
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "running",
          include: [running],
          exclude: others,
          env: { NODE_OPTIONS: noCode },
          execArgv: [noCode],
        },
      },
      {
        extends: true,
        test: {
          name: "making",
          include: ["test/**/*.test.ts"],
          exclude: [...others, running],
        },
      },
    ],
    server: { deps: { inline: [/@mcpgen\//] } },
    setupFiles: [
      "test/support/seed.ts",
      "test/support/real-time.ts",
      "test/support/loaded.ts",
      "test/support/auth/search-output.ts",
    ],
    // Files share the modules a worker has loaded: reading them anew for each would cost a third of the time.
    isolate: false,
    // A run of CI begins with a clean clone and starts vitest again and again: what one start has transformed, the next one reads.
    // Elsewhere, a module would keep the paths that its imports had before an entry of a package moved.
    experimental: { fsModuleCache: process.env["CI"] !== undefined },
    ...(isThorough && { sequence: { sequencer: LongestFirst } }),
    // One worker a core: the default leaves one core idle, which is half of a small machine. With all numbers, some files wait for minutes.
    maxWorkers: availableParallelism() + (isThorough ? 1 : 0),
    // These bounds end what hangs; waiting for one thing ends before the test. A busy machine takes ten times as long as a quiet one.
    testTimeout: isLong ? 10 * hang : 1.5 * hang,
    hookTimeout: isLong ? 10 * hang : 1.5 * hang,
    expect: { poll: { timeout: hang, interval: 5 } },
    reporters: ["default", ...(isReported ? ["./scripts/gate/vitest-report.mjs"] : [])],
  },
});
