import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Trace, readTrace, traced } from "../support/hosts/trace.js";

const lacks = spawnSync("strace", ["--version"]).status === 0 ? "" : " (skipped: strace is not installed)";
const secret = "a-secret";
const nothing: Trace = { files: [], addresses: [], processes: [], variables: [] };

/** Runs a script of bash in an allowed folder, beside another one. */
function traceOf(script: string): { readonly trace: Trace; readonly outside: string } {
  const folder = temporaryFolder();
  const [inside, outside] = ["inside", "outside"].map((name) => join(folder, name)) as [string, string];
  for (const each of [inside, outside]) {
    mkdirSync(each);
    for (const name of ["kept", "moved"]) writeFileSync(join(each, name), "text");
  }
  const file = join(folder, "trace");
  const [program, ...args] = traced(file, ["bash", "--norc", "-c", script, outside]);
  spawnSync(program!, args, {
    cwd: inside,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], SECRET: secret },
  });
  return { trace: readTrace(file, { directory: inside, allowed: [inside], secret }), outside };
}

const changes = [
  ["open", "echo text > FOLDER/new"],
  ["open", "echo text >> FOLDER/kept"],
  ["mkdir", "mkdir FOLDER/new"],
  ["rename", "mv FOLDER/moved FOLDER/new"],
  ["unlink", "rm FOLDER/kept"],
  ["rmdir", "mkdir FOLDER/new; rmdir FOLDER/new"],
  ["link", "ln FOLDER/kept FOLDER/new"],
  ["symlink", "ln -s target FOLDER/new"],
  ["fchmod", "chmod 600 FOLDER/kept"],
  ["ftruncate", "truncate -s 1 FOLDER/kept"],
  ["utimensat", "touch FOLDER/kept"],
  ["unlink", "(cd FOLDER; exec rm kept)"],
  ["unlink", "rm -f FOLDER/none"],
] as const;

describe.skipIf(lacks !== "")(`a trace${lacks}`, () => {
  test.each(changes)("has %s by %s, but not in an allowed folder", (call, script) => {
    const { trace, outside } = traceOf(`unset SECRET; ${script.replaceAll("FOLDER", '"$0"')}`);
    expect(trace.files).toContainEqual(expect.stringMatching(new RegExp(`^${call}\\w* ${outside}/`)));
    expect({ ...trace, files: [] }).toEqual(nothing);
    expect(traceOf(`unset SECRET; ${script.replaceAll("FOLDER", ".")}`).trace).toEqual(nothing);
  });

  test("has no call that only reads", () => {
    expect(traceOf('unset SECRET; exec cat "$0/kept" /dev/null').trace).toEqual(nothing);
  });

  test("has addresses of other machines", () => {
    const { trace } = traceOf(
      ": > /dev/udp/192.0.2.1/9; : > /dev/tcp/127.0.0.1/1; : > /dev/udp/127.0.0.1/53",
    );
    expect(trace).toEqual({ ...nothing, addresses: ["127.0.0.1:53", "192.0.2.1:9"] });
  });

  test("has signals to processes of others", () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    onTestFinished(() => void other.kill("SIGKILL"));
    expect(
      traceOf(`kill -CONT ${other.pid}; kill -0 ${other.pid}; (sleep 9 & kill $!)`).trace.processes,
    ).toEqual([`kill(${other.pid}, SIGCONT)`]);
  });

  test("has programs that got a variable", () => {
    expect(traceOf("env true; unset SECRET; env true").trace.variables).toEqual([
      expect.stringMatching(/\/env$/),
      expect.stringMatching(/\/true$/),
    ]);
  });
});
