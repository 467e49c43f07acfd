/** A connection to a database, of `node:sqlite`, `better-sqlite3`, `bun:sqlite` or `node-sqlite3-wasm`. */
export type SqliteDatabase = PreparingDatabase | RunningDatabase;

/** `DatabaseSync` of `node:sqlite`, `Database` of `better-sqlite3` and of `bun:sqlite`. */
export interface PreparingDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: Value[]): { readonly changes: number | bigint };
    all(...values: Value[]): unknown[];
  };
}

/** `Database` of `node-sqlite3-wasm`. */
export interface RunningDatabase {
  exec(sql: string): unknown;
  run(sql: string, values: Value[]): { readonly changes: number | bigint };
  all(sql: string, values: Value[]): unknown[];
}

export type Value = string | number;

/** A statement with a `?` for each value. */
export interface Statement {
  /** How many rows it changed. */
  run(...values: Value[]): number;
  all(...values: Value[]): Row[];
}

export interface Row {
  readonly [column: string]: unknown;
}

export function statementOf(database: SqliteDatabase, sql: string): Statement {
  // A statement of node-sqlite3-wasm cannot be used again after an error.
  if ("all" in database)
    return {
      run: (...values) => Number(database.run(sql, values).changes),
      all: (...values) => database.all(sql, values) as Row[],
    };
  const prepared = database.prepare(sql);
  return {
    run: (...values) => Number(prepared.run(...values).changes),
    all: (...values) => prepared.all(...values) as Row[],
  };
}

/** Attempts to turn the write-ahead log on. */
const mostAttempts = 20;

/**
 * Lets several processes work with the file at once: readers do not wait for the writer, and a writer waits up to five
 * seconds for another one, if the connection has no other timeout.
 */
export function shareFile(database: SqliteDatabase): void {
  const [row] = statementOf(database, "PRAGMA busy_timeout").all();
  if (row?.["timeout"] === 0) database.exec("PRAGMA busy_timeout = 5000");
  for (let attempt = 0; ; attempt++) {
    try {
      return void database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (attempt === mostAttempts) throw error;
      // The change fails at once while another process uses the file; a transaction waits for the timeout.
      database.exec("BEGIN EXCLUSIVE; COMMIT");
    }
  }
}
