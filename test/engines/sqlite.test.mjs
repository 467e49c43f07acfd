// What only the store in SQLite does.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { engines } from "./engines.mjs";

const { missing, node, start } = engines.sqlite;
const program = fileURLToPath(new URL("programs/hold.mjs", import.meta.url));

test("a store waits for a writer before it turns the write-ahead log on", { skip: missing }, async (t) => {
  const { address, stop } = await start();
  t.after(stop);
  const { stdout } = await promisify(execFile)(node, [program, address]);
  assert.equal(stdout.trim(), "wal");
});
