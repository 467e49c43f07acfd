import { test } from "vitest";
import { revisionsMarked } from "../../support/revision-marks.js";

/** The rows of the checklist about clients, except the rows about HTTP, and the revisions to which each applies. */
export const rows = {
  "BASE-02": "24 03 06 11 26",
  "BASE-03": "24 03 06 11",
  "BASE-04": "26",
  "BASE-06": "24 03 06 11",
  "BASE-07": "24 03 06 11 26",
  "BASE-08": "24 03 06 11 26",
  "BASE-09": "24 03 06 11 26",
  "BASE-14": "24 03 06 11 26",
  "BASE-15": "26",
  "BASE-16": "26",
  "BASE-18": "26",
  "BASE-19": "26",
  "BASE-23": "26",
  "BASE-24": "24 03 06 11 26",
  "BASE-25": "11 26",
  "BASE-27": "26",
  "BASE-28": "11 26",
  "STDIO-03": "24 03 06 11 26",
  "STDIO-04": "24 03 06 11 26",
  "STDIO-07": "24 03 06 11 26",
  "STDIO-09": "26",
  "STDIO-10": "26",
  "STDIO-12": "26",
  "STDIO-15": "26",
  "STDIO-16": "26",
  "STDIO-17": "26",
  "BATCH-02": "03",
  "BATCH-05": "03",
  "BATCH-07": "06 11 26",
  "LIFE-03": "24 03 06 11",
  "LIFE-05": "24 03 06 11",
  "LIFE-06": "24 03 06 11",
  "LIFE-08": "06 11",
  "LIFE-15": "26",
  "LIFE-17": "26",
  "LIFE-20": "26",
  "LIFE-21": "26",
  "UTIL-01": "24 03 06 11",
  "UTIL-03": "26",
  "UTIL-04": "24 03 06 11",
  "UTIL-05": "24 03 06 11",
  "UTIL-06": "24 03 06 11 26",
  "UTIL-08": "24 03 06 11 26",
  "UTIL-12": "24 03 06 11 26",
  "UTIL-13": "24 03 06 11 26",
  "UTIL-14": "24 03 06 11 26",
  "UTIL-15": "24 03 06 11 26",
  "UTIL-18": "24 03 06 11 26",
  "TOOL-05": "06 11 26",
  "TOOL-07": "26",
  "TOOL-11": "24 03 06 11 26",
  "PAGE-01": "24 03 06 11 26",
  "PAGE-02": "26",
  "PAGE-03": "24 03 06 11 26",
  "PAGE-06": "24 03 06 11 26",
  "COMP-04": "06 11 26",
  "LOG-06": "24 03 06 11 26",
  "SUB-09": "26",
  "SUB-10": "26",
  "MRTR-01": "26",
  "MRTR-02": "26",
  "MRTR-03": "26",
  "MRTR-05": "26",
  "MRTR-06": "26",
  "MRTR-07": "26",
  "CACHE-01": "26",
  "CACHE-02": "26",
  "CACHE-03": "26",
  "CACHE-05": "26",
  "CACHE-06": "26",
  "ELIC-01": "06 11",
  "ELIC-03": "11 26",
  "ELIC-04": "06 11 26",
  "ELIC-09": "11 26",
  "ELIC-10": "06 11 26",
  "SAMP-01": "24 03 06 11",
  "SAMP-03": "11 26",
  "ROOT-01": "24 03 06 11",
  "ROOT-02": "24 03 06 11 26",
  "ROOT-03": "24 03 06 11",
} as const;

export type RowId = keyof typeof rows;

/** Rows without a test, and why. */
export const untested: { readonly [id in RowId]?: string } = {};

/** A test of one row, at each of its revisions. */
export function row(id: RowId, what: string, body: (revision: string) => void | Promise<void>): void {
  test.each(revisionsOf(id))(`${id} client: ${what} (%s)`, body);
}

export function revisionsOf(id: RowId): string[] {
  return revisionsMarked(rows[id]);
}
