import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Runs .ci/program for Chromium on a machine that has these programs alone, beside the usual ones of a shell. */
function installed(programs: Readonly<Record<string, string>>): {
  readonly code: number | null;
  readonly output: string;
} {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "env", "mktemp", "rm", "tail", "timeout", "cat", "chmod"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    symlinkSync(found, join(bin, name));
  }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!${join(bin, "bash")}\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const command = [resolve(".ci/program"), "chromium", "the tests in a browser", "chrome", "chromium"];
  const { status, stdout, stderr } = spawnSync(join(bin, "bash"), command, {
    env: { PATH: bin, FOLDER: folder },
    encoding: "utf8",
  });
  return { code: status, output: stdout + stderr };
}

const root = "echo 0";
const installs = `echo "$*" >>"$FOLDER/calls"; if [ "$2" = install ]; then echo '' >"$FOLDER/bin/chromium"; chmod +x "$FOLDER/bin/chromium"; fi`;

test("a machine with Chromium installs nothing", () => {
  for (const name of ["chromium", "chrome"])
    expect(installed({ [name]: "", "apt-get": "echo called; exit 1" })).toEqual({ code: 0, output: "" });
});

test("one without gets it", () => {
  expect(installed({ id: root, "apt-get": installs })).toEqual({ code: 0, output: "" });
  expect(installed({ id: "echo 1000", sudo: 'shift; exec "$@"', true: "", "apt-get": installs })).toEqual({
    code: 0,
    output: "",
  });
});

test.each([
  ["apt-get failed", { id: root, "apt-get": "echo 'E: no network' >&2; exit 100" }, "E: no network\n"],
  ["there is no apt-get", {}, ""],
  [
    "that needs root, or sudo without a password",
    { id: "echo 1000", sudo: "exit 1", "apt-get": installs },
    "",
  ],
  ["apt-get installed no program of this name", { id: root, "apt-get": "" }, ""],
])("%s: the run goes on, and says what is skipped", (reason, programs, before) => {
  expect(installed(programs as Record<string, string>)).toEqual({
    code: 0,
    output: `${before}chromium is not installed (${reason}): the tests in a browser are skipped.\n`,
  });
});

test.each(["chromium", "redis-server", "postgresql"])(".ci/run installs %s before the tests", (name) => {
  const run = readFileSync(".ci/run", "utf8");
  const at = run.indexOf(`bash .ci/program ${name} `);
  expect(at).toBeGreaterThan(run.indexOf("npm ci"));
  expect(at).toBeLessThan(run.indexOf("npm test"));
});
