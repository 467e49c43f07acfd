import { expect, test } from "vitest";
import type { Contract } from "../../../generator/contract/contract.js";
import { counterpart } from "../../../generator/diff/contract/lists.js";

const tool = (name: string, properties: object = {}): object => ({
  name,
  inputSchema: { type: "object", properties },
});
const contract = (more: object): Contract => ({ name: "x", version: "1", ...more }) as Contract;
const old = contract({ tools: [tool("a"), tool("b", { city: {} })] });
const next = contract({ tools: [tool("c"), tool("b", { city: {}, day: {} })], prompts: [{ name: "p" }] });

test.each([
  ["/tools/1/inputSchema/properties/city", "/tools/1/inputSchema/properties/city"],
  ["/tools/1/inputSchema/properties/day", "/tools/1/inputSchema/properties"],
  ["/tools/1/outputSchema", "/tools/1"],
  ["/tools/0", "/tools"],
  ["/prompts/0", ""],
  ["/version", "/version"],
  ["/instructions", ""],
])("%s is put at %j", (at, place) => {
  expect(counterpart(at, next, old)).toBe(place);
});

test("entries are found by name, wherever they stand", () => {
  expect(counterpart("/tools/0", contract({ tools: [tool("b")] }), old)).toBe("/tools/1");
});
