import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { members } from "../support/processes.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

/** A folder with a run of these lines, and a summary that says how it was called. */
function folderOf(lines: string): string {
  return temporaryFolder({
    ".ci/stages": readFileSync(".ci/stages"),
    ".ci/run": `set -euo pipefail\nsource "$(dirname "$0")/stages"\n${lines}\n`,
    "scripts/gate/summary.mjs": `console.log(["summary", ...process.argv.slice(2)].join(" "));`,
  });
}

function ran(lines: string) {
  const { status, stdout, stderr } = spawnSync("bash", [join(folderOf(lines), ".ci/run")], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trim().split("\n"), output: stdout + stderr };
}

test("the times of all stages and the summary come last", () => {
  const { status, lines } = ran(`stage one true\nstage "two words" beside "echo a" "sleep 0.1; echo b"`);
  expect(status).toBe(0);
  expect(lines.slice(-4)).toEqual([
    expect.stringMatching(/^ +\d+ s {2}one$/),
    expect.stringMatching(/^ +\d+ s {2}two words$/),
    expect.stringMatching(/^ +\d+ s {2}in all$/),
    "summary",
  ]);
  expect(lines.join(" ")).toContain("== two words a b ==");
});

test.each([
  ["a command", "stage one false", "one"],
  ["the first command of a function", "f() { false; echo later; }\nstage one f", "one"],
  ["one of commands beside each other", `stage one beside "false; echo later" "echo b"`, "one"],
  ["one with a pipe", `stage one beside "true" "false | cat; echo later"`, "one"],
  ["a command that is not there", "stage one no-such-command", "one"],
  ["an unset variable", 'stage one echo "$nothing"', "a command between the stages"],
  ["a command between the stages", "false", "a command between the stages"],
])("%s ends the run on failure, and the run names the stage", (_, line, where) => {
  const { status, lines, output } = ran(`stage first true\n${line}\nstage last echo later`);
  expect(status).toBeGreaterThan(0);
  expect(output).not.toContain("later");
  expect(lines.slice(-2)).toEqual([`failed in: ${where}`, "summary --failed"]);
  if (where === "one") expect(output).toMatch(/\d s {2}one\n +\d+ s {2}in all/);
});

test("failing suites do not stop other suites, but fail the run", () => {
  const { status, lines } = ran(`suite one false\nsuite two echo ran\nsuite three false`);
  expect(status).toBe(1);
  expect(lines).toContain("ran");
  expect(lines.slice(-3)).toEqual(["failed in: one", "failed in: three", "summary --failed"]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends a run and its parallel commands, and counts as a failure",
  async (signal) => {
    const folder = folderOf(`stage one beside "echo \\$\\$ >group; sleep 1000 & sleep 1000" "true"`);
    const child = spawn("bash", [join(folder, ".ci/run")], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    const group = await until("the group writes its id", () => {
      try {
        return Number(readFileSync(join(folder, "group"), "utf8"));
      } catch {
        return 0;
      }
    });
    await until("both sleep", () => members(group).length === 3);
    child.kill(signal);
    await once(child, "close");
    expect(child.exitCode).not.toBe(0);
    expect(output).toContain("failed in: one\nsummary --failed\n");
    await until("all have ended", () => members(group).length === 0);
  },
);
