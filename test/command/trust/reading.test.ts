import { expect, test } from "vitest";
import { commands } from "../../../generator/command/commands.js";
import { others, reading } from "./reading.js";

test("each command has a line in `reading`, which planted.long.test.ts runs, or stands in `others`", () => {
  const names = commands.map(({ name }) => name);
  const isRead = (name: string): boolean => reading.some(([line]) => `${line} `.startsWith(`${name} `));
  const missing = names.filter((name) => isRead(name) === others.includes(name));
  expect(missing, "neither in reading.ts or in both lists; see CONTRIBUTING.md, A command").toEqual([]);
  expect(others.filter((name) => !names.includes(name))).toEqual([]);
});
