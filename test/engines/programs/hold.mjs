// A store is opened while another connection writes to a file without a write-ahead log: node hold.mjs FILE. Prints its journal mode.
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker, isMainThread, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { sqliteTaskStore } from "@mcpgen/sqlite";

if (isMainThread) {
  const [path] = process.argv.slice(2);
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE notes (text TEXT); BEGIN IMMEDIATE; INSERT INTO notes VALUES ('a')");
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: path });
  await once(worker, "online");
  // Longer than it takes to open the store without waiting.
  await sleep(500);
  database.exec("COMMIT");
} else {
  const database = new DatabaseSync(workerData, { timeout: 60_000 });
  sqliteTaskStore(database);
  console.log(database.prepare("PRAGMA journal_mode").get().journal_mode);
}
