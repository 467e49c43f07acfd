import { expect, test } from "vitest";
import { taskIds } from "../../../runtime/tasks/server/ids.js";

test("no id begins with a hyphen: command lines would take it for an option", async () => {
  const ids = taskIds([]);
  const made = await Promise.all(Array.from({ length: 1000 }, () => ids.make("ann")));
  expect(made.filter((id) => id.startsWith("-"))).toEqual([]);
  expect(new Set(made).size).toBe(1000);
});
