import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";

const program = builtProgram("test/runtime/stdio/programs/tested.ts");

test("a test that imports the guard reports to node --test", async () => {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", program], { env });
  expect(stdout).toMatch(/^# pass 2$/m);
});
