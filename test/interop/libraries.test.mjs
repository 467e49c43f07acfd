import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { test } from "node:test";

// zod 4.0, 4.1 and 3.25, and valibot without its package for JSON Schema: what is refused is refused by the compiler.

const root = resolve(import.meta.dirname, "../..");

test("versions of libraries that write no JSON Schema are refused at compile time, and only where one is sent", () => {
  const words = [join(root, "node_modules/typescript/bin/tsc"), "-p", join(import.meta.dirname, "libraries")];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});
