// TypeScript accepts the connections of each driver as arguments of the stores.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

test("the types of the drivers fit", () => {
  const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
  const tsc = pathOf("../../node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", pathOf(".")], { encoding: "utf8" });
  assert.equal(stdout, "");
});
