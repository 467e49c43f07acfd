import { describe, test } from "vitest";
import { type Adapter, adapters } from "../../support/http-adapters.js";
import { revisionsMarked } from "../../support/revision-marks.js";

/** The rows about servers that are tested over HTTP, and the revisions to which each applies. */
export const serverRows = {
  "HTTP-02": "11 26",
  "HTTP-05": "03 06 11",
  "HTTP-06": "26",
  "HTTP-07": "03 06 11 26",
  "HTTP-09": "03 06 11",
  "HTTP-10": "26",
  "HTTP-11": "26",
  "HTTP-12": "26",
  "HTTP-13": "06 11",
  "HTTP-14": "06 11",
  "HTTP-17": "26",
  "HTTP-18": "26",
  "HTTP-19": "26",
  "HTTP-20": "26",
  "HTTP-21": "26",
  "HTTP-22": "26",
  "HTTP-24": "26",
  "HTTP-26": "03 06 11",
  "HTTP-27": "03 06 11",
  "HTTP-28": "03 06 11",
  "HTTP-29": "26",
  "HTTP-32": "26",
  "SESS-01": "03 06 11",
  "SESS-08": "03 06 11",
  "RES-01": "03 06 11",
  "RES-02": "03 06 11",
  "RES-03": "03 06 11",
  "RES-04": "03 06 11",
  "RES-05": "11",
  "BATCH-02": "03",
  "BATCH-03": "03",
  "BATCH-06": "06 11 26",
  "BATCH-08": "03",
  "LIFE-01": "24 03 06 11",
  "LIFE-02": "24 03 06 11",
  "LIFE-12": "26",
  "LIFE-13": "26",
  "LIFE-14": "26",
  "LIFE-23": "26",
  "UTIL-02": "24 03 06 11",
  "UTIL-04": "24 03 06 11",
  "UTIL-06": "24 03 06 11 26",
  "SSE-01": "24",
  "SSE-02": "24",
  "SSE-08": "24",
  "SUB-01": "26",
  "SUB-02": "26",
  "SUB-03": "26",
  "SUB-04": "26",
  "SUB-05": "26",
  "SUB-06": "26",
  "SUB-07": "26",
} as const;

/** The same of clients. */
export const clientRows = {
  "SESS-04": "03 06 11",
  "SESS-05": "03 06 11",
  "SESS-06": "03 06 11",
  "SESS-07": "06 11",
  "RES-06": "03 06 11",
  "RES-07": "11",
  "RES-08": "03 06 11",
  "RES-09": "26",
  "BATCH-05": "03",
  "BATCH-07": "06 11 26",
  "LIFE-15": "26",
  "LIFE-16": "26",
  "LIFE-17": "26",
  "LIFE-20": "26",
  "UTIL-09": "26",
  "UTIL-12": "24 03 06 11 26",
  "MRTR-07": "26",
  "SSE-03": "24",
  "SSE-06": "26",
  "SSE-07": "24",
  "HTTPC-01": "03 06 11 26",
  "HTTPC-02": "03 06 11 26",
  "HTTPC-03": "03 06 11 26",
  "HTTPC-05": "26",
  "HTTPC-06": "26",
  "HTTPC-07": "26",
  "HTTPC-12": "26",
} as const;

export type ServerRow = keyof typeof serverRows;
export type ClientRow = keyof typeof clientRows;

/** A test of one row about servers, at each of its revisions and on both adapters. */
export function serverRow(
  id: ServerRow,
  what: string,
  body: (revision: string, adapter: Adapter) => void | Promise<void>,
): void {
  describe.each(adapters)("%s", (adapter) => {
    test.each(revisionsMarked(serverRows[id]))(`${id} server: ${what} (%s)`, (revision) =>
      body(revision, adapter),
    );
  });
}

/** A test of one row about clients, at each of its revisions. */
export function clientRow(
  id: ClientRow,
  what: string,
  body: (revision: string) => void | Promise<void>,
): void {
  test.each(revisionsMarked(clientRows[id]))(`${id} client: ${what} (%s)`, body);
}
