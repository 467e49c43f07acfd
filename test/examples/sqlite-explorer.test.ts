import { readFileSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../examples/sqlite-explorer/database.js";
import { sharedFolder } from "../support/temporary-folder.js";
import { sampleDatabase } from "./sample-database.js";

describe("the guard", () => {
  // All tests share one database: if an attempt succeeds, later tests fail as well.
  const folder = sharedFolder();
  let file: string;
  let before: Buffer;
  let database: Database;
  beforeAll(() => {
    file = sampleDatabase(folder);
    before = readFileSync(file);
    database = new Database(file);
  });
  afterAll(() => database.close());

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
  // These statements close our parenthesis themselves: their selection is returned, and the rest never runs.
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

  test.each(escapes)("only runs the query of %s", (sql) => {
    expect(query(sql)).toEqual([{ i: 1 }]);
    untouched();
  });

  /** The file has not changed, and no other file was created. */
  function untouched(): void {
    expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual(["sample.db"]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(database.query("SELECT count(*) AS cities FROM city", 1).rows).toEqual([{ cities: 2 }]);
  }
});
