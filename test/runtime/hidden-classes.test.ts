import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.js";

/** Calls of each kind on each transport at each revision. */
const calls = 100;

/** Empty lines before the program, more than a file of Node has: they tell its lines from those of Node. */
const emptyLines = 100_000;

const program = builtProgram("test/runtime/hidden-classes-program.ts", {
  banner: { js: "\n".repeat(emptyLines) },
});

// In V8 11, which Node 20 has, `{ ...object, added }` makes a hidden class for each object: members are added to a copy of the
// class of `object` that nothing else finds. Each call then took half as long again over HTTP, and filled old space.
// `{ added, ...object }` and literals without spread share their class.
const isOld = Number(process.versions.v8.split(".")[0]) < 12;

test("calls share the hidden classes of their objects", () => {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "maps.log");
  const flags = ["--log-maps", `--logfile=${log}`, "--no-logfile-per-isolate"];
  const { status, stderr } = spawnSync(process.execPath, [...flags, program, `${calls}`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const source = readFileSync(program, "utf8").split("\n");
  const made = new Map<string, number>();
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [type, change, , , , , row, , reason] = line.split(",");
    if (type !== "map" || change !== "Transition" || reason !== "prototype" || !(Number(row) > emptyLines))
      continue;
    const place = source[Number(row) - 1]!.trim();
    made.set(place, (made.get(place) ?? 0) + 1);
  }
  // What is made once for each server shows that the log has what the test looks for.
  if (isOld) expect(made.size).toBeGreaterThan(0);
  expect([...made].filter(([, times]) => times >= calls / 2)).toEqual([]);
});
