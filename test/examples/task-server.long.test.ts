import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { Reader, readerEnvironment, stepsOf } from "../support/walkthrough.js";
import { builtCli, builtProgram } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const cli = builtCli();
const program = builtProgram("examples/task-server/main.ts");

/** Commands that need no server over HTTP, on a port that the page names. */
function steps() {
  const page = readFileSync("examples/task-server/README.md", "utf8");
  expect(page).toContain("dist/examples/task-server/main.js");
  return stepsOf(page.replaceAll("dist/examples/task-server/main.js", program)).filter(
    (step) => step.kind === "run" && step.script.includes("stdio:"),
  );
}

test("examples/task-server/README.md shows what its commands print", async () => {
  const npx = `shift\nexec node "${cli}" "$@"`;
  const reader = new Reader(temporaryFolder(), readerEnvironment(temporaryFolder(), { npx }), onTestFinished);
  const all = steps();
  expect(all.length).toBeGreaterThan(5);
  for (const step of all) await reader.take(step);
});
