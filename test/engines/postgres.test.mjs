// Behaviour that only the store in PostgreSQL has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTaskTable, postgresTaskStore } from "@mcpgen/postgres";
import { sampleTask } from "../support/store-rules/task-store-rules.mjs";
import pg from "pg";
import { noPostgres, startPostgres } from "./postgres.mjs";

test("PostgreSQL", { skip: noPostgres }, async (t) => {
  const { stop, ...address } = await startPostgres();
  const pool = new pg.Pool(address);
  t.after(async () => {
    await pool.end();
    await stop();
  });

  await t.test("without its table, a store names the missing table", async () => {
    await assert.rejects(postgresTaskStore(pool).read("a"), /relation "mcpgen_tasks_v1" does not exist/);
  });

  await t.test("a table is made by several at once, in a schema too, and is left as it is", async () => {
    await pool.query('CREATE SCHEMA "own"');
    for (const table of [undefined, "own.tasks"]) {
      await Promise.all(Array.from({ length: 8 }, () => createTaskTable(pool, { table })));
      await postgresTaskStore(pool, { table }).create(sampleTask(`in ${table}`));
      await createTaskTable(pool, { table });
      assert.equal((await postgresTaskStore(pool, { table }).due(9000, 9)).length, 1);
    }
    const { rows } = await pool.query(
      "SELECT count(*) FROM pg_indexes WHERE tablename IN ('tasks', 'mcpgen_tasks_v1')",
    );
    assert.equal(Number(rows[0].count), 6);
  });

  await t.test("each function takes one query", async () => {
    let queries = 0;
    const query = (...args) => {
      queries++;
      return pool.query(...args);
    };
    const store = postgresTaskStore({ query }, { table: "own.tasks" });
    await store.create(sampleTask("a"));
    await store.replace(sampleTask("a", { version: 2 }), 1);
    await store.read("a");
    await store.due(9000, 9);
    await store.list("ann", undefined, 9);
    await store.usage("ann");
    await store.remove("a", 2);
    assert.equal(queries, 7);
  });

  await t.test("a store works inside a transaction of the caller", async () => {
    const client = await pool.connect();
    const store = postgresTaskStore(client);
    await client.query("BEGIN");
    await store.create(sampleTask("b"));
    // A refusal does not end the transaction.
    await assert.rejects(store.create(sampleTask("b")), /already/);
    assert.equal(await postgresTaskStore(pool).read("b"), undefined);
    await client.query("COMMIT");
    client.release();
    assert.equal((await postgresTaskStore(pool).read("b")).id, "b");
  });
});
