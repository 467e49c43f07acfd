import type { TaskRecord, TaskStore } from "@mcpgen/tasks";
import { type PostgresClient, type Row, rowsOf } from "./client.js";
import { type PostgresTaskStoreOptions, tableOf } from "./table.js";

/**
 * A store of tasks in PostgreSQL, in the table that `createTaskTable` made.
 *
 * @param client a connection or a pool; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function postgresTaskStore(client: PostgresClient, options: PostgresTaskStoreOptions = {}): TaskStore {
  const tasks = tableOf("postgresTaskStore", options);
  return {
    create: async (task) => {
      const { id, version, owner, dueAt, size = 0 } = task;
      const text = `INSERT INTO ${tasks} VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING RETURNING 1`;
      const values = [exact(id), version, exact(owner), dueAt, size, JSON.stringify(task)];
      if ((await rowsOf(client, text, ...values)).length === 0)
        throw new Error(`there is a task ${id} already`);
    },
    read: async (id) =>
      recordsOf(await rowsOf(client, `SELECT record FROM ${tasks} WHERE id = $1`, exact(id)))[0],
    replace: async (task, old) => {
      const { id, version, dueAt, size = 0 } = task;
      const set = "version = $1, due_at = $2, size = $3, record = $4";
      const text = `UPDATE ${tasks} SET ${set} WHERE id = $5 AND version = $6 RETURNING 1`;
      const values = [version, dueAt, size, JSON.stringify(task), exact(id), old];
      return (await rowsOf(client, text, ...values)).length === 1;
    },
    due: async (now, limit) => {
      const text = `SELECT record FROM ${tasks} WHERE due_at <= $1 ORDER BY due_at, id LIMIT $2`;
      return recordsOf(await rowsOf(client, text, now, limit));
    },
    list: async (owner, after, limit) => {
      const text = `SELECT record FROM ${tasks} WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3`;
      return recordsOf(await rowsOf(client, text, exact(owner), exact(after ?? ""), limit));
    },
    usage: async (owner) => {
      const text = `SELECT count(*) AS tasks, coalesce(sum(size), 0) AS bytes FROM ${tasks} WHERE owner = $1`;
      const [row] = await rowsOf(client, text, exact(owner));
      return { tasks: Number(row!["tasks"]), bytes: Number(row!["bytes"]) };
    },
    remove: async (id, version) => {
      const text = `DELETE FROM ${tasks} WHERE id = $1 AND version = $2 RETURNING 1`;
      return (await rowsOf(client, text, exact(id), version)).length === 1;
    },
    now: async () => {
      const [row] = await rowsOf(client, "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
      return Number(row!["now"]);
    },
  };
}

/** Text without the characters that PostgreSQL refuses or its drivers replace: NUL, and halves of pairs. */
function exact(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function recordsOf(rows: readonly Row[]): TaskRecord[] {
  return rows.map(({ record }) => JSON.parse(record as string) as TaskRecord);
}
