import type { Finding as Remark } from "../../diagnostics/finding.js";

/** A place in code that uses the subject of a finding; line and column start at 1. */
export interface Use {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of the use. */
  readonly name: string;
}

/** The result of reading a code base. */
export interface CodeUses {
  /** For each finding, in their order, its uses in the order of files and places. */
  readonly uses: readonly (readonly Use[])[];
  /** How many files were looked through. */
  readonly files: number;
  /** Files whose generated imports lead nowhere: names alone decided there. */
  readonly byName: readonly string[];
  /** Files that do not parse; what does of them was looked through. */
  readonly remarks: readonly Remark[];
}
