import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { sampleTask, storeRules } from "../../support/store-rules/task-store-rules.mjs";
import { sqliteTaskStore } from "@mcpgen/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";

// test/engines judges the store with node:sqlite, and from several processes.

function opened(path?: string): sqlite.Database {
  const database = new sqlite.Database(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

test.each(storeRules.map((rule) => [rule.name, rule] as const))("SQLite: %s", async (_, { check }) => {
  const database = opened();
  await check(sqliteTaskStore(database), sqliteTaskStore(database, { table: 'odd "name";' }));
});

test("a file keeps its tasks, and its table is made once", async () => {
  const path = join(temporaryFolder(), "tasks.db");
  const first = opened(path);
  await sqliteTaskStore(first).create(sampleTask("a"));
  first.close();
  const second = sqliteTaskStore(opened(path));
  expect(await second.read("a")).toEqual(sampleTask("a"));
});

test("the busy timeout of the connection stays", () => {
  const timeoutOf = (database: sqlite.Database) => database.get("PRAGMA busy_timeout");
  const [one, other] = [opened(), opened()];
  other.exec("PRAGMA busy_timeout = 70");
  for (const database of [one, other]) sqliteTaskStore(database);
  expect([timeoutOf(one), timeoutOf(other)]).toEqual([{ timeout: 5000 }, { timeout: 70 }]);
});

test("a store works on after an error of the database", async () => {
  const database = opened();
  const store = sqliteTaskStore(database);
  database.exec("PRAGMA query_only = 1");
  await expect(store.create(sampleTask("a"))).rejects.toThrow("readonly");
  database.exec("PRAGMA query_only = 0");
  await store.create(sampleTask("a"));
  expect(await store.read("a")).toEqual(sampleTask("a"));
});
