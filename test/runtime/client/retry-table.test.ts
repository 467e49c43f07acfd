import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { probeRetry, retries, subscriptionRetry } from "../../../runtime/core/client/retry-policy.js";

/** The docs from the head of the table on, up to the end of the table. */
const table = readFileSync("docs/http.md", "utf8").split("|row|what failed|")[1]!.split("\n\n")[0]!;
const rows = new Map(
  [...table.matchAll(/^\|`(\w+)`\|.*\|([^|]+)\|$/gm)].map(([, name, sent]) => [name!, sent!]),
);

test("the table of the docs has the rows of the code, with the same attempts", () => {
  const coded = { ...retries, probeRetry, subscriptionRetry };
  expect([...rows.keys()].sort()).toEqual([...Object.keys(coded), "startRetry"].sort());
  for (const [name, row] of Object.entries(coded)) {
    const times = "pauses" in row ? `${row.pauses.length} times` : "once";
    expect(rows.get(name), name).toMatch(new RegExp(`^\\W*${times}\\b`));
  }
  expect(rows.get("exchange")).toContain(retries.exchange.pauses.join(", ").replace(/, (\d+)$/, " and $1"));
  expect(rows.get("probeRetry")).toContain(probeRetry.pauses.join(", ").replace(/, (\d+)$/, " and $1"));
});
