import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

const own = ["seeds", "report", "node-report", "summary"].map((name) => `scripts/gate/${name}.mjs`);

/** A property of `node --test` that fails for the draw of seed 7 at a full share. */
const property = `
import { test } from "node:test";
import { cases, seed } from "../support/cases.mjs";
test("draws " + cases(1000), () => { if (seed === 7 && cases(1000) === 1000) throw new Error("a fault"); });
test.skip("is skipped", () => {});
`;

/** A repository with these rows. */
function repository(rows: unknown) {
  const texts = [...own, "test/support/cases.mjs"].map((file) => [file, readFileSync(file)]);
  const files = { "test/seeds.json": JSON.stringify(rows), "test/room/draws.test.mjs": property };
  const folder = temporaryFolder({ ...files, ...Object.fromEntries(texts) });
  const { MCPGEN_SEED: _, MCPGEN_SHARE: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
  return (command: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, ...variables },
    });
    return { status, output: stdout + stderr };
  };
}

const file = "test/room/draws.test.mjs";
const row = { seed: 7, share: 1, file, why: "a fault" };
const seeds = ["scripts/gate/seeds.mjs"];

test("a failed draw is printed as a row, which repeats the draw", () => {
  const run = repository([]);
  const command = ["--test", "--test-reporter=./scripts/gate/node-report.mjs", file];
  expect(run(command, { CI: "true", MCPGEN_SEED: "7", MCPGEN_SHARE: "1" }).status).toBe(1);
  expect(run(["scripts/gate/summary.mjs", "--failed"]).output).toBe(
    `${JSON.stringify({ ...row, why: "" })}\n0 passed, 1 failed, 1 skipped\n`,
  );
  expect(run(seeds)).toEqual({ status: 0, output: "0 seeds that failed once\n" });
  expect(repository([row])(seeds).status).toBe(1);
  expect(repository([{ ...row, test: "draws" }])(seeds).status).toBe(1);
  expect(repository([{ ...row, seed: 8 }])(seeds).status).toBe(0);
});

test.each([
  [{ ...row, seed: 8, test: "renamed" }, "no test ran of"],
  [{ ...row, file: "test/room/gone.test.mjs" }, "expected seed, share, file and why"],
  [{ ...row, file: "test/room" }, "expected seed, share, file and why"],
  [{ ...row, seed: "7" }, "expected seed, share, file and why"],
  [{ ...row, seed: -1 }, "expected seed, share, file and why"],
  [{ ...row, share: 2 }, "expected seed, share, file and why"],
  [{ ...row, why: "" }, "expected seed, share, file and why"],
])("the row %j fails because it does not repeat a draw", (wrong, message) => {
  const { status, output } = repository([wrong])(seeds);
  expect(status).toBe(1);
  expect(output).toContain(`test/seeds.json, row 1: ${message}`);
});

test.each([
  ["MCPGEN_SEED", ["", " 1", "-1", "1.5", "0x10", "1e3", "9007199254740993", "one"]],
  ["MCPGEN_SHARE", ["", "2", "-0.5", "1e-1", "half", "1/2", "0.5.5"]],
])("%s fails if it is not a number", (name, texts) => {
  const run = repository([]);
  for (const text of texts) {
    const { status, output } = run([file], { [name]: text });
    expect(status, text).toBe(1);
    expect(output).toContain(`${name} is ${JSON.stringify(text)}: expected`);
  }
});
