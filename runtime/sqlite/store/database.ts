/** A connection to a database by `node:sqlite`, `better-sqlite3`, `bun:sqlite` or `node-sqlite3-wasm`. */
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
  /** Runs the statement. Returns the number of changed rows. */
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

/** Maximum number of attempts to turn on the write-ahead log. */
const mostAttempts = 20;

/**
 * Prepares a file for several processes. Readers do not wait for a writer. A writer waits for another one, for up to
 * five seconds if the connection has no timeout.
 */
export function shareFile(database: SqliteDatabase): void {
  const [row] = statementOf(database, "PRAGMA busy_timeout").all();
  if (row?.["timeout"] === 0) database.exec("PRAGMA busy_timeout = 5000");
  for (let attempt = 0; ; attempt++) {
    try {
      return void database.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (attempt === mostAttempts) throw error;
      // The pragma fails at once while another process uses the file. A transaction waits until the file is free, or
      // for the timeout.
      database.exec("BEGIN EXCLUSIVE; COMMIT");
    }
  }
}
