import { checkOptions, jsonOr, type Rules } from "@mcpgen/base";
import type { StoreLimits, TaskRecord, TaskStore } from "@mcpgen/tasks";
import { type Row, type SqliteDatabase, shareFile, statementOf } from "./database.js";

export interface SqliteTaskStoreOptions {
  /**
   * Name of the table. A second table has this name with `_usage` appended. Default: `mcpgen_tasks_v1`, where 1 is the
   * version of the layout.
   */
  readonly table?: string;
}

const rules: Rules<SqliteTaskStoreOptions> = { table: "string" };

/**
 * The owner of the row with the sums of all owners, as SQL. No real owner has this name, because `exact` escapes quotation
 * marks.
 */
const everybody = `'"'`;

/**
 * Makes a store of tasks in a SQLite file. Several processes may use the file. Creates the tables if they are absent: the
 * file belongs to the application, so this needs no special permission.
 *
 * @param database an open connection; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function sqliteTaskStore(database: SqliteDatabase, options: SqliteTaskStoreOptions = {}): TaskStore {
  checkOptions(options, rules, "sqliteTaskStore: ");
  const { table = "mcpgen_tasks_v1" } = options;
  const tasks = quoted(table);
  const sums = quoted(`${table}_usage`);
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
    CREATE TABLE IF NOT EXISTS ${sums} (owner TEXT PRIMARY KEY NOT NULL, tasks INTEGER NOT NULL, bytes INTEGER NOT NULL);
    CREATE TRIGGER IF NOT EXISTS ${quoted(`${table}_added`)} AFTER INSERT ON ${tasks} BEGIN
      INSERT OR IGNORE INTO ${sums} VALUES (NEW.owner, 0, 0), (${everybody}, 0, 0);
      UPDATE ${sums} SET tasks = tasks + 1, bytes = bytes + NEW.size WHERE owner IN (NEW.owner, ${everybody});
    END;
    CREATE TRIGGER IF NOT EXISTS ${quoted(`${table}_changed`)} AFTER UPDATE OF size ON ${tasks} BEGIN
      UPDATE ${sums} SET bytes = bytes + NEW.size - OLD.size WHERE owner IN (NEW.owner, ${everybody});
    END;
    CREATE TRIGGER IF NOT EXISTS ${quoted(`${table}_removed`)} AFTER DELETE ON ${tasks} BEGIN
      UPDATE ${sums} SET tasks = tasks - 1, bytes = bytes - OLD.size WHERE owner IN (OLD.owner, ${everybody});
      DELETE FROM ${sums} WHERE owner = OLD.owner AND tasks = 0;
    END;
  `);
  /**
   * SQL condition: whether the limits leave room for more. Its values are bytes and totalBytes. @param owner as SQL, like
   * growth
   */
  const room = (owner: string, growth: string): string => `EXISTS (
    SELECT 1 FROM (
      SELECT
        ${growth} AS growth, ? AS bytes, ? AS total,
        coalesce((SELECT bytes FROM ${sums} WHERE owner = ${owner}), 0) AS own,
        coalesce((SELECT bytes FROM ${sums} WHERE owner = ${everybody}), 0) AS taken
    ) WHERE growth <= 0 OR (
      own + growth <= bytes AND taken + growth <= total AND (own = 0 OR own + taken + 2 * growth <= total)
    )
  )`;
  const sql = (text: string) => statementOf(database, text);
  const insert = sql(
    `INSERT INTO ${tasks} SELECT ?, ?, ?, ?, ?, ? WHERE ${room("?", "?")} ON CONFLICT (id) DO NOTHING`,
  );
  const select = sql(`SELECT record FROM ${tasks} WHERE id = ?`);
  const selectVersion = sql(`SELECT version FROM ${tasks} WHERE id = ?`);
  const update = sql(
    `UPDATE ${tasks} SET version = ?, due_at = ?, size = ?, record = ?
      WHERE id = ? AND version = ? AND ${room(`${tasks}.owner`, `? - ${tasks}.size`)}`,
  );
  const due = sql(`SELECT record FROM ${tasks} WHERE due_at <= ? ORDER BY due_at, id LIMIT ?`);
  const list = sql(`SELECT record FROM ${tasks} WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`);
  const usage = sql(`SELECT tasks, bytes FROM ${sums} WHERE owner = ?`);
  const remove = sql(`DELETE FROM ${tasks} WHERE id = ? AND version = ?`);
  return {
    create: async (task, limits) => {
      const { id, version, owner, dueAt, size = 0 } = task;
      const values = [exact(id), version, exact(owner), dueAt, size, JSON.stringify(task)] as const;
      // Values in the order of the SQL text: growth, limits, owner.
      if (insert.run(...values, size, ...valuesOf(limits), exact(owner)) > 0) return undefined;
      if (selectVersion.all(exact(id)).length === 0) return "full";
      throw new Error(`there is a task ${id} already`);
    },
    read: async (id) => recordsOf(select.all(exact(id)))[0],
    replace: async (task, old, limits) => {
      const { id, version, dueAt, size = 0 } = task;
      const values = [version, dueAt, size, JSON.stringify(task), exact(id), old] as const;
      if (update.run(...values, size, ...valuesOf(limits)) > 0) return true;
      return selectVersion.all(exact(id))[0]?.["version"] === old ? "full" : false;
    },
    due: async (now, limit) => recordsOf(due.all(now, limit)),
    list: async (owner, after, limit) => recordsOf(list.all(exact(owner), exact(after ?? ""), limit)),
    usage: async (owner) => {
      const { tasks = 0, bytes = 0 } = usage.all(exact(owner))[0] ?? {};
      return { tasks: Number(tasks), bytes: Number(bytes) };
    },
    remove: async (id, version) => remove.run(exact(id), version) === 1,
  };
}

/** Limits as values of a statement. */
function valuesOf({ bytes = Infinity, totalBytes = Infinity }: Partial<StoreLimits> = {}): [number, number] {
  return [Math.min(bytes, Number.MAX_SAFE_INTEGER), Math.min(totalBytes, Number.MAX_SAFE_INTEGER)];
}

/** Escapes a text as in JSON. SQLite or its drivers would cut off a text at NUL, and replace lone surrogates. */
function exact(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function recordsOf(rows: readonly Row[]): TaskRecord[] {
  return rows.map(({ record }) => jsonOr(record as string) as TaskRecord);
}
