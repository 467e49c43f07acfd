import { jsonOr } from "@mcpgen/runtime/extending";
import type { StoreLimits, TaskRecord, TaskStore } from "@mcpgen/tasks";
import { type PostgresClient, type Row, rowsOf } from "./client.js";
import { type PostgresTaskStoreOptions, tablesOf } from "./table.js";
import { insertion, removal, replacement } from "./task-statements.js";

/** Attempts to add the first task of an owner whose last one is removed at the same time. */
const attempts = 20;

/**
 * A store of tasks in PostgreSQL, in the tables that `createTaskTable` made.
 *
 * @param client a connection or a pool; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function postgresTaskStore(client: PostgresClient, options: PostgresTaskStoreOptions = {}): TaskStore {
  const { tasks, sums } = tablesOf("postgresTaskStore", options);
  const insert = insertion(tasks, sums);
  const update = replacement(tasks, sums);
  const remove = removal(tasks, sums);
  return {
    create: async (task, limits) => {
      const { id, version, owner, dueAt, size = 0 } = task;
      const record = [exact(id), version, exact(owner), dueAt, size, JSON.stringify(task)];
      for (let attempt = 0; attempt < attempts; attempt++) {
        const [row] = await rowsOf(client, insert, ...record, ...valuesOf(limits));
        const { isKnown, isTaken, added } = row!;
        if (added) return undefined;
        if (isKnown && !isTaken) return "full";
        if (isKnown) throw new Error(`there is a task ${id} already`);
      }
      throw new Error(`the sums of the owner of task ${id} were removed ${attempts} times meanwhile`);
    },
    read: async (id) =>
      recordsOf(await rowsOf(client, `SELECT record FROM ${tasks} WHERE id = $1`, exact(id)))[0],
    replace: async (task, old, limits) => {
      const { id, version, dueAt, size = 0 } = task;
      const values = [version, dueAt, size, JSON.stringify(task), exact(id), old];
      const [row] = await rowsOf(client, update, ...values, ...valuesOf(limits));
      const { isThere, isRoom, replaced } = row!;
      return isThere && !isRoom ? "full" : replaced === true;
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
      const [row] = await rowsOf(client, `SELECT tasks, bytes FROM ${sums} WHERE owner = $1`, exact(owner));
      return { tasks: Number(row?.["tasks"] ?? 0), bytes: Number(row?.["bytes"] ?? 0) };
    },
    remove: async (id, version) => (await rowsOf(client, remove, exact(id), version))[0]!["removed"] === true,
    now: async () => {
      const [row] = await rowsOf(client, "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
      return Number(row!["now"]);
    },
  };
}

/** Limits as values of a statement. */
function valuesOf({ bytes = Infinity, totalBytes = Infinity }: Partial<StoreLimits> = {}): [number, number] {
  return [Math.min(bytes, Number.MAX_SAFE_INTEGER), Math.min(totalBytes, Number.MAX_SAFE_INTEGER)];
}

/** Text without the characters that PostgreSQL refuses or its drivers replace: NUL, and halves of pairs. */
function exact(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function recordsOf(rows: readonly Row[]): TaskRecord[] {
  return rows.map(({ record }) => jsonOr(record as string) as TaskRecord);
}
