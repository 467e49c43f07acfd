import {
  type OwnRules,
  checkOptions,
  gone,
  listLike,
  numberFrom,
  optionFault,
  secrets,
  text,
  texts,
  valueFault,
} from "@mcpgen/base";
import { describe, expect, test } from "vitest";

const rules: OwnRules = {
  name: text,
  keys: secrets(16),
  port: [0, 65_535],
  http: { retries: "amount", old: gone("Write retries.") },
};

/** The message of the error, or `undefined` for options that are accepted. */
function refusal(given: object, required: readonly string[] = []): string | undefined {
  try {
    checkOptions(given, rules, "", required);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: "McpError", code: "invalid-definition" });
    return (error as Error).message;
  }
}

test.each<[object, string | undefined]>([
  [{ name: "a", keys: ["k".repeat(16)], port: 0, http: { retries: Infinity } }, undefined],
  [{ name: undefined }, undefined],
  [{ port: 65_536 }, "port: expected a whole number from 0 to 65535, got 65536."],
  [{ prot: 1 }, "prot: there is no such option. Did you mean port?"],
  [{ http: { retries: -1 } }, "http.retries: expected a number from 0, got -1."],
  [{ http: { old: 1 } }, "http.old: the option is gone. Write retries."],
  [{ http: 5 }, "http: expected an object, got 5."],
  [[], "options: expected an object, got []."],
])("%j", (given, message) => {
  expect(refusal(given)).toBe(message);
});

test("a name that does not exist is reported before a wrong value", () => {
  expect(refusal({ name: "", prot: 1 })).toContain("prot: ");
});

test("a required option that is absent or undefined is refused", () => {
  expect(refusal({ port: 1 }, ["name"])).toBe("name: expected a text that is not empty, got undefined.");
  expect(refusal({ name: undefined }, ["name"])).toContain("name: ");
  expect(refusal({ name: "a" }, ["name"])).toBeUndefined();
});

describe("secrets", () => {
  test.each([[["hunter2"]], ["hunter2-hunter2-hunter2"], [["k".repeat(16), "hunter2"]], [[]], [null]])(
    "%j is refused, and the error does not show it",
    (keys) => {
      expect(refusal({ keys })).toBe(
        "keys: expected secrets of at least 16 characters: openssl rand -base64 32.",
      );
    },
  );
});

test("a fault has the wrong value beside its message, so that a caller may leave it out", () => {
  expect(optionFault({ name: "" }, rules, "a.")).toEqual({
    message: "a.name: expected a text that is not empty.",
    got: "",
  });
  expect(optionFault({ nmae: "" }, rules)).not.toHaveProperty("got");
});

test("an object that a function made may have other members, and inherit those that have rules", () => {
  class Made {
    readonly own = 1;
    get port(): number {
      return -1;
    }
  }
  expect(valueFault(new Made(), rules)?.message).toContain("port: ");
  expect(valueFault({ own: 1, port: 1 }, rules)).toBeUndefined();
});

test.each<[(value: unknown) => string | undefined, readonly unknown[], readonly unknown[]]>([
  [text, ["a"], ["", 1, null, ["a"]]],
  [texts, [["a"], ["a", "b"]], [[], [""], ["a", 1], "a", null]],
  [numberFrom(1, 2), [1, 1.5, 2], [0, 2.1, Number.NaN, "1", null]],
  [listLike(/^x-/, "x-a"), [[], ["x-b"]], [["y"], [1], "x-b"]],
])("%o", (rule, right, wrong) => {
  for (const value of right) expect(rule(value)).toBeUndefined();
  for (const value of wrong) expect(rule(value)).toMatch(/^a /);
});
