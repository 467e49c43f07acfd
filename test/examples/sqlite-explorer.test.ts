import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../examples/sqlite-explorer/database.js";
import { temporaryFolder } from "../temporary-folder.js";
import { bundled, clientOf } from "./program.js";

/** A database with two tables, one of them with every kind of value. */
function sample(folder: string): string {
  const file = join(folder, "sample.db");
  const made = new sqlite.Database(file);
  made.exec(`CREATE TABLE city (name TEXT PRIMARY KEY, people INTEGER);
    INSERT INTO city VALUES ('Bergen', 291940), ('Lima', 10092000);
    CREATE TABLE kinds (a, b, c, d, e);
    INSERT INTO kinds VALUES (1.5, 'text', x'00ff', NULL, 9223372036854775807);`);
  made.close();
  return file;
}

test("schema as resources, queries as a tool, over stdio", async () => {
  const client = await clientOf(await bundled("examples/sqlite-explorer/main.ts"), [
    sample(temporaryFolder()),
  ]);
  expect(client.instructions).toContain("sqlite:schema");
  const [schema] = (await client.readResource("sqlite:schema")).contents;
  expect(schema).toMatchObject({
    text: expect.stringMatching(/^CREATE TABLE city .*;\nCREATE TABLE kinds .*;\n$/) as string,
  });
  const [city] = (await client.readResource("sqlite:schema/city")).contents;
  expect(city).toMatchObject({ text: "CREATE TABLE city (name TEXT PRIMARY KEY, people INTEGER);\n" });
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "sqlite:schema/{table}" },
    argument: { name: "table", value: "k" },
  });
  expect(completion.values).toEqual(["kinds"]);
  await client.listTools();
  const some = await client.callTool("query", {
    sql: "SELECT name FROM city ORDER BY people DESC;",
    limit: 1,
  });
  expect(some.structuredContent).toEqual({ rows: [{ name: "Lima" }], truncated: true });
  const wrong = await client.callTool("query", { sql: "SELECT missing FROM city" });
  expect(wrong).toMatchObject({ isError: true, content: [{ text: "no such column: missing" }] });
  expect(await client.callTool("query", { sql: "DELETE FROM city" })).toMatchObject({ isError: true });
});

describe("the guard", () => {
  // One for all: if an attempt succeeds, those after it fail as well.
  let folder: string;
  let file: string;
  let before: Buffer;
  let database: Database;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mcpgen-test-"));
    file = sample(folder);
    before = readFileSync(file);
    database = new Database(file);
  });
  afterAll(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  test("rows of every kind, common table expressions, VALUES and comments", () => {
    expect(database.query("SELECT * FROM kinds", 10)).toEqual({
      rows: [{ a: 1.5, b: "text", c: "AP8=", d: null, e: "9223372036854775807" }],
      truncated: false,
    });
    const counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    expect(database.query(counted, 2)).toEqual({ rows: [{ i: 1 }, { i: 2 }], truncated: true });
    expect(database.query("VALUES (1) -- one", 10).rows).toEqual([{ column1: 1 }]);
    expect(database.query("SELECT name FROM pragma_table_info('city')", 1).rows).toEqual([{ name: "name" }]);
  });

  const copy = "VACUUM INTO 'FOLDER/copy.db'";
  const attempts = [
    "DELETE FROM city",
    "INSERT INTO city VALUES ('x', 1)",
    "INSERT INTO city VALUES ('x', 1) RETURNING name",
    "UPDATE city SET people = 0",
    "WITH x AS (SELECT 1) DELETE FROM city",
    "WITH x AS (SELECT 1) INSERT INTO city SELECT 'x', 1 RETURNING name",
    "REPLACE INTO city VALUES ('Lima', 1)",
    "DROP TABLE city",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
    "ALTER TABLE city RENAME TO town",
    "PRAGMA writable_schema = 1",
    "PRAGMA query_only = 0",
    "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 7",
    "ATTACH 'FOLDER/other.db' AS other",
    "ATTACH DATABASE 'file:FOLDER/other.db?mode=rwc' AS other",
    "DETACH main",
    copy,
    "VACUUM",
    "REINDEX",
    "ANALYZE",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "EXPLAIN SELECT 1",
    `SELECT 1; ${copy}`,
    `SELECT 1;${copy};`,
    `SELECT 1 /* ) */; ${copy}`,
    `; ${copy}`,
    `-- \n; ${copy}`,
    `/* ${copy}`,
    "SELECT 1 /*",
    "SELECT load_extension('FOLDER/x.so')",
    "SELECT writefile('FOLDER/x', 'x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT edit('x')",
    "SELECT * FROM fsdir('/')",
    "SELECT fts3_tokenizer('x', x'00')",
    "SELECT 1\0",
    "",
    ")",
    "(",
  ];
  // These end our parenthesis themselves: what they select is given, and what follows is never run.
  const escapes = [
    `SELECT 1 AS i); ${copy}; --`,
    `SELECT 1 AS i) ; ${copy}; SELECT (1`,
    `SELECT 1 AS i);${copy} /*`,
  ];

  function query(sql: string): unknown {
    return database.query(sql.replaceAll("FOLDER", folder), 10).rows;
  }

  test.each(attempts)("refuses %s", (sql) => {
    expect(() => query(sql)).toThrow();
    untouched();
  });

  test.each(escapes)("runs nothing but the query of %s", (sql) => {
    expect(query(sql)).toEqual([{ i: 1 }]);
    untouched();
  });

  /** The file is what it was, and there is no other. */
  function untouched(): void {
    expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual(["sample.db"]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(database.query("SELECT count(*) AS cities FROM city", 1).rows).toEqual([{ cities: 2 }]);
  }
});
