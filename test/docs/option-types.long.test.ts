import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Row, keyProblemsOf, problemsOf, rowsOf } from "./option-cells.js";
import { schemaTables, tables } from "./option-tables.js";

const document = readFileSync("docs/options.md", "utf8");

/** Each table, and what is wrong in it if docs/options.md has a text. */
const judges = [
  ...tables.map((table) => [table[0], (text: string) => problemsOf(text, table)] as const),
  ...schemaTables.map((table) => [table[0], (text: string) => keyProblemsOf(text, table)] as const),
];

test.each(judges)(
  "docs/options.md, %s: names, types and defaults are those of the code",
  (heading, judge) => {
    expect(rowsOf(document, heading)).not.toEqual([]);
    expect(judge(document)).toEqual([]);
  },
);

test("docs/options.md has a comparison for each table", () => {
  const sections = document.split(/^#{2,3} /m).slice(1);
  const headings = sections
    .filter((section) => section.includes("|option|"))
    .map((section) => section.slice(0, section.indexOf("\n")));
  expect(judges.map(([heading]) => heading).toSorted()).toEqual(headings.toSorted());
});

/** The document with one table alone, whose rows are replaced by one. */
function documentWith(heading: string, { names, type, byDefault }: Row): string {
  const cell = names.map((name) => `\`${name}\``).join(", ");
  return `## ${heading}\n\n|option|type|default|use|\n|-|-|-|-|\n|${cell}|${type}|${byDefault}|as it was|\n`;
}

/** Each cell of a row, with a value that is wrong. */
function mistakesIn(row: Row): Row[] {
  const { names, type, byDefault } = row;
  const misspelt = names.map((name, index) => ({ ...row, names: names.with(index, `${name}x`) }));
  if (type === "" || type.startsWith("|")) return misspelt;
  // Dates of revisions are no values of the code.
  const digits = /\d-\d/.test(byDefault)
    ? byDefault
    : byDefault.replace(/\d(?!.*\d)/, (digit) => String((Number(digit) + 1) % 10));
  const other: Readonly<Record<string, string>> = { "`true`": "`false`", "`false`": "`true`" };
  const wrong = digits === byDefault ? (other[byDefault] ?? "77") : digits;
  return [
    ...misspelt,
    { ...row, type: type === "boolean" ? "object" : "boolean" },
    { ...row, byDefault: wrong },
    // An option that some calls need is optional in its type.
    ...(byDefault.startsWith("required for")
      ? []
      : [{ ...row, byDefault: byDefault.startsWith("required") ? "none" : "required" }]),
  ];
}

test.each(judges)("docs/options.md, %s: each cell that is wrong is found", (heading, judge) => {
  const missed = rowsOf(document, heading)
    .flatMap(mistakesIn)
    .filter((row) => judge(documentWith(heading, row)).length === 0);
  expect(missed).toEqual([]);
});
