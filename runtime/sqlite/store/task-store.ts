import { type Rules, checkOptions } from "@mcpgen/runtime/extending";
import type { TaskRecord, TaskStore } from "@mcpgen/tasks";
import { type Row, type SqliteDatabase, shareFile, statementOf } from "./database.js";

export interface SqliteTaskStoreOptions {
  /** Name of the table. Default: `mcpgen_tasks_v1`, where 1 is the number of its layout. */
  readonly table?: string;
}

const rules: Rules<SqliteTaskStoreOptions> = { table: "string" };

/**
 * A store of tasks in a SQLite file. Several processes may use the file at once. The table is made here, if it is absent:
 * the file belongs to the application, and needs no other right.
 *
 * @param database an open connection; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function sqliteTaskStore(database: SqliteDatabase, options: SqliteTaskStoreOptions = {}): TaskStore {
  checkOptions(options, rules, "sqliteTaskStore: ");
  const { table = "mcpgen_tasks_v1" } = options;
  const tasks = quoted(table);
  shareFile(database);
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${tasks} (
      id TEXT PRIMARY KEY NOT NULL,
      version INTEGER NOT NULL,
      owner TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      size INTEGER NOT NULL,
      record TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS ${quoted(`${table}_due`)} ON ${tasks} (due_at, id);
    CREATE INDEX IF NOT EXISTS ${quoted(`${table}_owner`)} ON ${tasks} (owner, id);
  `);
  const sql = (text: string) => statementOf(database, text);
  const insert = sql(`INSERT INTO ${tasks} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const select = sql(`SELECT record FROM ${tasks} WHERE id = ?`);
  const update = sql(
    `UPDATE ${tasks} SET version = ?, due_at = ?, size = ?, record = ? WHERE id = ? AND version = ?`,
  );
  const due = sql(`SELECT record FROM ${tasks} WHERE due_at <= ? ORDER BY due_at, id LIMIT ?`);
  const list = sql(`SELECT record FROM ${tasks} WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`);
  const usage = sql(`SELECT count(*) AS tasks, total(size) AS bytes FROM ${tasks} WHERE owner = ?`);
  const remove = sql(`DELETE FROM ${tasks} WHERE id = ? AND version = ?`);
  return {
    create: async (task) => {
      const { id, version, owner, dueAt, size = 0 } = task;
      if (insert.run(exact(id), version, exact(owner), dueAt, size, JSON.stringify(task)) === 0)
        throw new Error(`there is a task ${id} already`);
    },
    read: async (id) => recordsOf(select.all(exact(id)))[0],
    replace: async (task, old) => {
      const { id, version, dueAt, size = 0 } = task;
      return update.run(version, dueAt, size, JSON.stringify(task), exact(id), old) === 1;
    },
    due: async (now, limit) => recordsOf(due.all(now, limit)),
    list: async (owner, after, limit) => recordsOf(list.all(exact(owner), exact(after ?? ""), limit)),
    usage: async (owner) => {
      const { tasks, bytes } = usage.all(exact(owner))[0]!;
      return { tasks: Number(tasks), bytes: Number(bytes) };
    },
    remove: async (id, version) => remove.run(exact(id), version) === 1,
  };
}

/** Text without the characters that SQLite, or its drivers, would cut off or replace: NUL, and halves of pairs. */
function exact(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function recordsOf(rows: readonly Row[]): TaskRecord[] {
  return rows.map(({ record }) => JSON.parse(record as string) as TaskRecord);
}
