import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";

/** A database with two tables, one of them with every kind of value. */
export function sampleDatabase(folder: string): string {
  const file = join(folder, "sample.db");
  const made = new sqlite.Database(file);
  made.exec(`CREATE TABLE city (name TEXT PRIMARY KEY, people INTEGER);
    INSERT INTO city VALUES ('Bergen', 291940), ('Lima', 10092000);
    CREATE TABLE kinds (a, b, c, d, e);
    INSERT INTO kinds VALUES (1.5, 'text', x'00ff', NULL, 9223372036854775807);`);
  made.close();
  return file;
}
