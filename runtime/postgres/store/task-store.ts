import { jsonOr } from "@mcpgen/base";
import type { StoreLimits, TaskRecord, TaskStore } from "@mcpgen/tasks";
import { type PostgresClient, type Row, rowsOf } from "./client.js";
import { type PostgresTaskStoreOptions, everybody, tablesOf } from "./table.js";

/**
 * Maximum number of attempts to add the first task of an owner, since another process may remove the owner's row of sums
 * meanwhile.
 */
const attempts = 20;

/**
 * Makes a store of tasks in PostgreSQL, in the tables of `createTaskTable`.
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

/** Escapes a text as in JSON. PostgreSQL refuses NUL, and its drivers replace lone surrogates. */
function exact(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function recordsOf(rows: readonly Row[]): TaskRecord[] {
  return rows.map(({ record }) => jsonOr(record as string) as TaskRecord);
}

// Statements that change tasks. A statement that changes a sum of sizes first locks the row of all owners, then the row
// of the owner, then the task. So such statements run one after another, and each reads the sums that the previous one
// has written (READ COMMITTED, explicit locking).

/** SQL that reads and locks the rows of the sums. @param more a further condition */
function held(sums: string, owner: string, more = "true"): string {
  return `held AS MATERIALIZED (
    SELECT owner, tasks, bytes FROM ${sums} WHERE owner IN (${owner}, ${everybody}) AND ${more}
    ORDER BY owner <> ${everybody} FOR UPDATE
  )`;
}

/** SQL with a row if the limits leave room for more: see `StoreLimits`. Values 7 and 8 are bytes and totalBytes. */
function room(from: string, owner: string, growth: string): string {
  const [bytes, total] = ["$7::float8", "$8::float8"];
  return `room AS (
    SELECT 1 FROM ${from}, (SELECT coalesce(sum(bytes), 0) AS bytes FROM held WHERE owner = ${everybody}) taken,
      LATERAL (SELECT coalesce(sum(bytes), 0) AS bytes FROM held WHERE owner = ${owner}) own
    WHERE ${growth} <= 0 OR (
      own.bytes + ${growth} <= ${bytes} AND taken.bytes + ${growth} <= ${total}
      AND (own.bytes = 0 OR own.bytes + taken.bytes + 2 * ${growth} <= ${total})
    )
  )`;
}

/**
 * SQL that adds a task. Values: id, version, owner, time, size, record, bytes, totalBytes.
 *
 * @returns one row. `isKnown`: the owner has a row of sums; if not, the statement only adds that row, and must run
 *   again. `isTaken`: a task with this id exists. `added`: the task was added.
 */
export function insertion(tasks: string, sums: string): string {
  const [owner, size] = ["$3::text", "$5::float8"];
  return `WITH ${held(sums, owner)},
    known AS (SELECT 1 FROM held WHERE owner = ${owner}),
    begun AS (
      INSERT INTO ${sums} SELECT ${owner}, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM known) ON CONFLICT DO NOTHING
    ),
    ${room("known", owner, size)},
    added AS (
      INSERT INTO ${tasks} SELECT $1::text, $2::integer, ${owner}, $4::float8, ${size}, $6::text FROM room
      ON CONFLICT (id) DO NOTHING RETURNING 1
    ),
    counted AS (
      UPDATE ${sums} SET tasks = tasks + 1, bytes = bytes + ${size} FROM added WHERE owner IN (${owner}, ${everybody})
    )
    SELECT EXISTS (SELECT 1 FROM known) AS "isKnown", EXISTS (SELECT 1 FROM added) AS added,
      EXISTS (SELECT 1 FROM room) OR EXISTS (SELECT 1 FROM ${tasks} WHERE id = $1) AS "isTaken"`;
}

/**
 * SQL that replaces a task. Values: version, time, size, record, id, replaced version, bytes, totalBytes.
 *
 * @returns one row. `isThere`: the replaced version exists. `isRoom`: the limits leave room. `replaced`: the task was
 *   replaced.
 */
export function replacement(tasks: string, sums: string): string {
  const size = "$3::float8";
  const growth = `(${size} - before.size)`;
  return `WITH before AS (SELECT owner, size FROM ${tasks} WHERE id = $5 AND version = $6::integer),
    ${held(sums, "(SELECT owner FROM before)", `(SELECT size FROM before) <> ${size}`)},
    ${room("before", "before.owner", growth)},
    replaced AS (
      UPDATE ${tasks} SET version = $1::integer, due_at = $2::float8, size = ${size}, record = $4 FROM room
      WHERE id = $5 AND version = $6::integer RETURNING 1
    ),
    counted AS (
      UPDATE ${sums} AS sums SET bytes = sums.bytes + ${growth} FROM before, replaced
      WHERE sums.owner IN (before.owner, ${everybody}) AND ${growth} <> 0
    )
    SELECT EXISTS (SELECT 1 FROM before) AS "isThere", EXISTS (SELECT 1 FROM room) AS "isRoom",
      EXISTS (SELECT 1 FROM replaced) AS replaced`;
}

/** SQL that removes a task. Values: id, version. @returns one row with `removed` */
export function removal(tasks: string, sums: string): string {
  const owner = `(SELECT owner FROM ${tasks} WHERE id = $1)`;
  return `WITH ${held(sums, owner)},
    removed AS (
      DELETE FROM ${tasks} WHERE id = $1 AND version = $2::integer AND EXISTS (SELECT 1 FROM held) RETURNING owner, size
    ),
    last AS (SELECT held.owner FROM held JOIN removed USING (owner) WHERE held.tasks <= 1),
    counted AS (
      UPDATE ${sums} AS sums SET tasks = sums.tasks - 1, bytes = sums.bytes - removed.size FROM removed
      WHERE sums.owner IN (removed.owner, ${everybody}) AND NOT EXISTS (SELECT 1 FROM last WHERE owner = sums.owner)
    ),
    forgotten AS (DELETE FROM ${sums} AS sums USING last WHERE sums.owner = last.owner)
    SELECT EXISTS (SELECT 1 FROM removed) AS removed`;
}
