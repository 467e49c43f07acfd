import { expect, test } from "vitest";
import { classify } from "../../../runtime/base/jsonrpc/message.js";
import { batches } from "../../../engine/emitted/batches.js";

const head = { jsonrpc: "2.0" };

test.each<[unknown, string]>([
  [{ ...head, id: 1, method: "m" }, "request"],
  [{ ...head, id: "", method: "", params: 5 }, "request"],
  ...[2 ** 53 - 1, "a", null].map((progressToken): [unknown, string] => [
    { ...head, id: 1, method: "m", params: { _meta: { progressToken } } },
    "request",
  ]),
  [{ ...head, id: 1, method: "m", params: { _meta: null } }, "request"],
  [{ ...head, method: "m", params: [] }, "notification"],
  [{ ...head, id: 1, result: {} }, "response"],
  [{ ...head, error: { code: 1 } }, "response"],
  [{ ...head, id: 1, method: null, result: {} }, "response"],
  [[], "batch"],
  [[5], "batch"],
])("%j is a %s", (value, kind) => {
  expect(classify(value)).toBe(kind);
});

test.each<[unknown, string]>([
  [null, "not a JSON-RPC 2.0 message"],
  ["request", "not a JSON-RPC 2.0 message"],
  [{ id: 1, method: "m" }, "not a JSON-RPC 2.0 message"],
  [{ jsonrpc: "1.0", id: 1, method: "m" }, "not a JSON-RPC 2.0 message"],
  ...[null, 1.5, 2 ** 53, -(2 ** 53), {}, true].map((id): [unknown, string] => [
    { ...head, id, method: "m" },
    "an id or progressToken is a string or an integer up to 2^53 - 1",
  ]),
  ...[2 ** 53, -(2 ** 53), 1e300, 1.5, {}, true].map((progressToken): [unknown, string] => [
    { ...head, id: 1, method: "m", params: { _meta: { progressToken } } },
    "an id or progressToken is a string or an integer up to 2^53 - 1",
  ]),
  [{ ...head, id: 1, method: 5 }, "neither a request, a notification nor a response"],
  [{ ...head, id: 1 }, "neither a request, a notification nor a response"],
])("%j: %s", (value, problem) => {
  expect(classify(value)).toEqual({ problem });
});

test("a batch is refused as a whole if it is empty or two of its requests share an id", () => {
  const request = { ...head, id: "a".repeat(100), method: "m" };
  const problem = (messages: readonly unknown[]): string | undefined => batches.problem(messages, classify);
  expect(problem([])).toBe("the batch is empty");
  expect(problem([request, { ...request, id: 1 }, { ...head, id: 1, result: {} }, 5])).toBeUndefined();
  expect(problem([request, 5, request])).toBe(`two requests of the batch have the id "${"a".repeat(59)}`);
});
