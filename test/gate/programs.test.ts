import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The programs that .ci/programs installs, by package. */
const needed = [...readFileSync(".ci/programs", "utf8").matchAll(/^([a-z0-9-]+) ([a-z0-9_ -]+)$/gm)].map(
  ([, name, programs]) => [name!, programs!.split(" ")] as const,
);
const everything = Object.fromEntries(needed.flatMap(([, programs]) => programs.map((name) => [name, ""])));

/** Runs .ci/programs on a machine that has these programs alone, beside the usual ones of a shell. */
function installed(programs: Readonly<Record<string, string>>): {
  readonly code: number | null;
  readonly output: string;
} {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "env", "mktemp", "rm", "tail", "timeout", "cat", "chmod", "cp"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    symlinkSync(found, join(bin, name));
  }
  for (const [name, text] of Object.entries({ sleep: "", ...programs })) {
    writeFileSync(join(bin, name), `#!${join(bin, "bash")}\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { status, stdout, stderr } = spawnSync(join(bin, "bash"), [resolve(".ci/programs")], {
    env: { PATH: bin, FOLDER: folder },
    encoding: "utf8",
  });
  return { code: status, output: stdout + stderr };
}

const { chromium: _, ...withoutChromium } = everything;
const root = "echo 0";
/** An apt-get that installs Chromium if it is asked for that alone. */
const installs = `if [ "$*" = "-o DPkg::Lock::Timeout=240 -qq install -y --no-install-recommends chromium" ]; then cp "$FOLDER/bin/haproxy" "$FOLDER/bin/chromium"; fi`;

test("each package of the list has a program", () => {
  expect(needed.map(([name]) => name)).toContain("redis-server");
});

test("a machine with all programs installs nothing", () => {
  expect(installed({ ...everything, "apt-get": "echo called; exit 1" })).toEqual({ code: 0, output: "" });
});

test("a missing program is installed", () => {
  expect(installed({ ...withoutChromium, id: root, "apt-get": installs })).toEqual({ code: 0, output: "" });
  const sudo = { id: "echo 1000", sudo: 'shift; exec "$@"', true: "" };
  expect(installed({ ...withoutChromium, ...sudo, "apt-get": installs })).toEqual({ code: 0, output: "" });
});

test("the installation waits while another run locks the package lists", () => {
  const busy = `case "$*" in *update) [ -e "$FOLDER/asked" ] || { : >"$FOLDER/asked"; exit 100; };; esac\n${installs}`;
  expect(installed({ ...withoutChromium, id: root, "apt-get": busy })).toEqual({ code: 0, output: "" });
});

test.each([
  ["and apt-get failed", { id: root, "apt-get": "echo 'E: no network' >&2; exit 100" }, "E: no network\n"],
  ["and there is no apt-get", {}, ""],
  [
    "which takes root, or sudo without a password",
    { id: "echo 1000", sudo: "exit 1", "apt-get": installs },
    "",
  ],
  ["and apt-get did not bring them", { id: root, "apt-get": "" }, ""],
])("%s: the run fails, and names the packages", (reason, programs, before) => {
  expect(installed({ ...withoutChromium, ...(programs as Record<string, string>) })).toEqual({
    code: 1,
    output: `${before}CI needs programs that are not installed, ${reason}. Install these packages: chromium\n`,
  });
});
