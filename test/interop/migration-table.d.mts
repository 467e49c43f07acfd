/** A row of docs/migration-exports.md. */
export interface Row {
  /** The heading of its table. */
  readonly group: string;
  /** Exports with one counterpart. */
  readonly names: readonly string[];
  /** Versions of the SDK: `1`, `2` or `1, 2`. */
  readonly versions: string;
  /** The counterpart, or why there is none. */
  readonly here: string;
}

/** What stands between backticks. */
export function marksIn(text: string): string[];

/** What docs/migration-exports.md says of each export of the official SDK. */
export function migrationTable(): {
  readonly rows: readonly Row[];
  /** Exports whose name is that of a definition. */
  readonly types: readonly string[];
  /** Exports named after a definition, with `Schema` at the end. */
  readonly schemas: readonly string[];
};
