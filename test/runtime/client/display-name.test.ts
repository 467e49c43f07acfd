import { displayName } from "@mcpgen/runtime";
import { expect, test } from "vitest";

test.each([
  [{ name: "n", title: "t", annotations: { title: "a" } }, "t"],
  [{ name: "n", annotations: { title: "a" } }, "a"],
  [{ name: "n", title: "", annotations: { title: "" } }, "n"],
  [{ name: "n", annotations: { readOnlyHint: true } }, "n"],
  [{ name: "n", uri: "file:///n", title: "t" }, "t"],
])("the name to show for %j is %s", (given, name) => {
  expect(displayName(given)).toBe(name);
});
