import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rows as ofClients } from "./client/rows.js";
import { clientRows, serverRows } from "./http/rows.js";
import { rows as ofServers } from "./server/rows.js";
import * as authorization from "../support/auth/rows.js";

/** All rows of the checklist: the role of each (`server`, `client` or `both`), then its revisions. */
const checklist = JSON.parse(readFileSync(join(import.meta.dirname, "checklist.json"), "utf8")) as Readonly<
  Record<string, string>
>;

type Rows = Readonly<Record<string, string>>;

const tested: readonly [side: string, tables: readonly Rows[]][] = [
  ["server", [ofServers, serverRows, authorization.serverRows]],
  ["client", [ofClients, clientRows, authorization.clientRows]],
];

/** The runtime does not implement tasks of 2025-11-25: `test/tasks/rules.test.ts` lists their rules. */
const later: Readonly<Record<string, readonly string[]>> = {
  server: ["TASK"],
  client: ["TASK", "UTIL-11"],
};

/** Revisions of each row, in all the tables that have it. */
function union(tables: readonly Rows[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const table of tables)
    for (const [id, revisions] of Object.entries(table))
      found[id] = [...new Set([...(found[id] ?? []), ...revisions.split(" ")])].sort();
  return found;
}

test.each(tested)("the rows about a %s match the checklist, each at all its revisions", (side, tables) => {
  const expected = Object.entries(checklist).flatMap(([id, text]) => {
    const [about, ...revisions] = text.split(" ");
    if (about !== side && about !== "both") return [];
    if (later[side]!.some((each) => each === id || each === id.split("-")[0])) return [];
    return [[id, revisions.sort()] as const];
  });
  expect(expected.length).toBeGreaterThan(90);
  expect(union(tables)).toEqual(Object.fromEntries(expected));
});
