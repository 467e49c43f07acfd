import sqlite, { type Database as Connection } from "node-sqlite3-wasm";

/** A value as JSON has it. */
export type Cell = string | number | null;

export interface Rows {
  readonly rows: readonly { readonly [column: string]: Cell }[];
  /** There are more. */
  readonly truncated: boolean;
}

export interface Table {
  readonly name: string;
  /** The statement that made it. */
  readonly sql: string;
}

/** A database file that is only ever read. */
export class Database {
  private readonly connection: Connection;

  constructor(path: string) {
    this.connection = new sqlite.Database(path, { readOnly: true, fileMustExist: true });
  }

  /** Tables and views. */
  tables(): Table[] {
    const { rows } = this.query(
      "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
      Infinity,
    );
    return rows.map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
  }

  /**
   * The first `limit` rows of a query.
   *
   * A file that was opened to be read cannot be written to, yet `VACUUM INTO` writes to another one, `ATTACH`
   * opens one, and a PRAGMA changes the connection. So the text is never run by itself: inside another query
   * SQLite takes a query and nothing else, and what starts with SELECT is one, however the text goes on. What
   * follows a first statement is not run. Not stopped is a query that never ends: its process serves one user.
   *
   * @throws {Error} in SQLite's words
   */
  query(sql: string, limit: number): Rows {
    const text = sql.trimEnd();
    const query = text.endsWith(";") ? text.slice(0, -1) : text;
    const statement = this.connection.prepare(`SELECT * FROM (\n${query}\n)`);
    try {
      const rows: Rows["rows"][number][] = [];
      for (const row of statement.iterate()) {
        if (rows.length === limit) return { rows, truncated: true };
        const cells = Object.entries(row).map(([column, value]) => [column, cellOf(value)] as const);
        rows.push(Object.fromEntries(cells));
      }
      return { rows, truncated: false };
    } finally {
      statement.finalize();
    }
  }

  close(): void {
    this.connection.close();
  }
}

/** Bytes in base64; numbers that JSON cannot hold as text. */
function cellOf(value: unknown): Cell {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return String(value);
  return value as Cell;
}
