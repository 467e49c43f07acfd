import { test } from "vitest";

/** The last two digits of a revision's year and month as the checklist has them. */
const revisions = {
  "24": "2024-11-05",
  "03": "2025-03-26",
  "06": "2025-06-18",
  "11": "2025-11-25",
  "26": "2026-07-28",
} as const;

/** The rows of the checklist about servers, beside those about HTTP, and the revisions that each is about. */
export const rows = {
  "BASE-02": "24 03 06 11 26",
  "BASE-03": "24 03 06 11",
  "BASE-06": "24 03 06 11",
  "BASE-07": "24 03 06 11 26",
  "BASE-08": "24 03 06 11 26",
  "BASE-09": "24 03 06 11 26",
  "BASE-10": "24 03 06 11 26",
  "BASE-14": "24 03 06 11 26",
  "BASE-15": "26",
  "BASE-16": "26",
  "BASE-17": "26",
  "BASE-21": "26",
  "BASE-24": "24 03 06 11 26",
  "BASE-25": "11 26",
  "BASE-27": "26",
  "STDIO-04": "24 03 06 11 26",
  "STDIO-06": "24 03 06 11 26",
  "STDIO-11": "26",
  "STDIO-19": "26",
  "STDIO-20": "24 03 06 11",
  "BATCH-02": "03",
  "BATCH-03": "03",
  "BATCH-06": "06 11 26",
  "BATCH-08": "03",
  "LIFE-01": "24 03 06 11",
  "LIFE-02": "24 03 06 11",
  "LIFE-08": "06 11",
  "LIFE-09": "24 03 06 11",
  "LIFE-12": "26",
  "LIFE-13": "26",
  "LIFE-14": "26",
  "LIFE-21": "26",
  "LIFE-23": "26",
  "UTIL-02": "24 03 06 11",
  "UTIL-03": "26",
  "UTIL-04": "24 03 06 11",
  "UTIL-06": "24 03 06 11 26",
  "UTIL-08": "24 03 06 11 26",
  "UTIL-10": "26",
  "UTIL-11": "11",
  "UTIL-12": "24 03 06 11 26",
  "UTIL-13": "24 03 06 11 26",
  "UTIL-14": "24 03 06 11 26",
  "UTIL-15": "24 03 06 11 26",
  "UTIL-17": "24 03 06 11 26",
  "TOOL-01": "24 03 06 11 26",
  "TOOL-02": "11 26",
  "TOOL-03": "24 03 06",
  "TOOL-04": "06 11 26",
  "TOOL-06": "06 11 26",
  "TOOL-07": "26",
  "TOOL-08": "24 03 06 11 26",
  "TOOL-09": "24 03 06 11",
  "TOOL-10": "26",
  "RSRC-01": "24 03 06 11",
  "RSRC-03": "24 03 06 11 26",
  "RSRC-06": "24 03 06 11",
  "PRMT-01": "24 03 06 11 26",
  "PRMT-02": "24 03 06 11 26",
  "PAGE-04": "24 03 06 11 26",
  "PAGE-05": "24 03 06 11 26",
  "COMP-02": "24 03 06 11 26",
  "COMP-03": "24 03 06 11 26",
  "COMP-04": "06 11 26",
  "COMP-05": "24 03 06 11 26",
  "LOG-01": "24 03 06 11",
  "LOG-02": "24 03 06 11",
  "LOG-03": "24 03 06 11",
  "LOG-04": "26",
  "LOG-05": "26",
  "SUB-01": "26",
  "SUB-02": "26",
  "SUB-03": "26",
  "SUB-04": "26",
  "SUB-05": "26",
  "SUB-06": "26",
  "SUB-07": "26",
  "MRTR-08": "26",
  "MRTR-10": "26",
  "MRTR-11": "26",
  "MRTR-12": "26",
  "MRTR-13": "26",
  "CACHE-07": "26",
  "CACHE-08": "26",
  "ELIC-02": "11 26",
  "ELIC-05": "06 11 26",
  "ELIC-06": "06 11 26",
  "ELIC-07": "11",
  "ELIC-08": "11",
  "ELIC-10": "06 11 26",
  "SAMP-02": "11 26",
  "SAMP-03": "11 26",
  "SAMP-04": "24 03 06 11",
} as const;

export type RowId = keyof typeof rows;

/** Rows without a test, and why. */
export const untested: { readonly [id in RowId]?: string } = {
  "UTIL-11": "is about tasks, which this runtime does not offer yet",
};

/** A test of one row, at each of its revisions. */
export function row(id: RowId, what: string, body: (revision: string) => void | Promise<void>): void {
  test.each(revisionsOf(id))(`${id} server: ${what} (%s)`, body);
}

export function revisionsOf(id: RowId): string[] {
  return rows[id].split(" ").map((short) => revisions[short as keyof typeof revisions]);
}
