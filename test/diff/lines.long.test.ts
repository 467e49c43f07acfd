import { expect, test } from "vitest";
import { lineFinder } from "../../generator/command/diff/report.js";

const fileOf = (value: object): Parameters<typeof lineFinder>[0] => ({
  file: "schema.json",
  text: JSON.stringify(value, null, 1),
  value: value as Parameters<typeof lineFinder>[0]["value"],
});

// The canonical form sorts the arms.
test("a pointer leads to the line of its value (also for items and odd keys), or else of the surrounding value", () => {
  const lineOf = lineFinder(fileOf({ $defs: { "a/b~c": { anyOf: [{ type: "string" }, { minimum: 1 }] } } }));
  expect(["", "/$defs/a~1b~0c", "/$defs/a~1b~0c/anyOf/1", "/$defs/a~1b~0c/anyOf/7"].map(lineOf)).toEqual([
    1, 3, 5, 3,
  ]);
});

test("the lines of many siblings are found in linear time", () => {
  const count = 50_000;
  const names = Array.from({ length: count }, (_, index) => `D${index}`);
  const lineOf = lineFinder(fileOf({ $defs: Object.fromEntries(names.map((name) => [name, {}])) }));
  const lines = names.map((name) => lineOf(`/$defs/${name}`));
  expect([lines[0], lines.at(-1), new Set(lines).size]).toEqual([3, count + 2, count]);
});
