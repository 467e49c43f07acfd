/** A row of docs/migration-exports.md. */
export interface Row {
  /** The types whose members the table has; none for a table of exports. */
  readonly types: readonly string[];
  /** Exports or members with one counterpart; `*` stands for any letters. */
  readonly names: readonly string[];
  /** The counterpart, or why there is none. */
  readonly here: string;
}

/** What stands between backticks. */
export function marksIn(text: string): string[];

/** What docs/migration-exports.md says of each export of the official SDK. */
export function migrationTable(): readonly Row[];

/** How exactly a name of a row of a table stands for an export or a member: 0 if not at all. */
export function fitOf(types: readonly string[], mark: string, name: string): number;
