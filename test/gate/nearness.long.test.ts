import { expect, test } from "vitest";
import { filesOf } from "../../scripts/gate/changes.js";
import { nearestTests } from "../../scripts/gate/nearness.js";

const files = filesOf();

test("a changed test is nearest, then tests whose imports lead to a changed file", () => {
  const own = "test/engine/read/read-document.long.test.ts";
  const found = nearestTests([own, "engine/patterns/linear-matcher.ts"], files);
  expect(found[0]).toEqual({ file: own, distance: 0, changed: own });
  expect(found.length).toBeGreaterThan(20);
  expect(found.map(({ distance }) => distance)).toEqual(
    found.map(({ distance }) => distance).toSorted((a, b) => a - b),
  );
  expect(new Set(found.map(({ file }) => file)).size).toBe(found.length);
});

test("packages that tests import, programs that they start and files that they read lead to them", () => {
  const filesNear = (file: string): string[] => nearestTests([file], files).map(({ file }) => file);
  expect(filesNear("runtime/tasks/state/advance.ts")).toContain("test/tasks/server/scale.long.test.ts");
  expect(filesNear("generator/command/main.ts")).toContain("test/command/process.long.test.ts");
  expect(filesNear("templates/types.ts.hbs")).toContain("test/targets/typescript/types/layout.long.test.ts");
  expect(filesNear("docs/http.md")).toContain("test/docs/code.long.test.ts");
  expect(filesNear("examples/sqlite/main.ts")).toContain("test/examples/servers.long.test.ts");
  // A program that a test builds from its path, a module that programs import, a module that a script imports, a file that is gone.
  expect(filesNear("test/runtime/http/programs/mortal.ts")).toContain(
    "test/runtime/http/killed.long.test.ts",
  );
  expect(filesNear("test/engines/programs/tasks.mjs")).toContain("test/engines/crash.long.test.mjs");
  expect(filesNear("test/support/until.mjs")).toContain("test/scale/idle-sessions.long.test.mjs");
  expect(filesNear("docs/gone.md")).toContain("test/docs/code.long.test.ts");
  expect(filesNear("test/docs/gone.long.test.ts")).toEqual([]);
  expect(filesNear("generated/2025-11-25/types.ts")).not.toEqual([]);
  expect(filesNear("LICENSE")).toEqual([]);
});
