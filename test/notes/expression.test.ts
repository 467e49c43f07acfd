import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import type { CodedError } from "../../generator/diagnostics/coded-error.js";
import { readMembers } from "../../generator/notes/expression.js";
import { parseNotes } from "../../generator/notes/parse.js";

const read = (expression: JsonValue): unknown => {
  const [[, made]] = readMembers(
    { a: expression },
    "/n",
    (at, message) => new Error(`${at}: ${message}`),
  ) as [[string, unknown]];
  return made;
};

describe("an expression", () => {
  test.each<[string, JsonValue, JsonObject]>([
    ["a plain value", "a", { kind: "scalar", value: "a" }],
    ["null", null, { kind: "scalar", value: null }],
    ["a path", { $: "/a~1b/0" }, { kind: "value", path: { from: "object", keys: ["a/b", "0"] } }],
    ["the whole object", { $: "" }, { kind: "value", path: { from: "object", keys: [] } }],
    [
      "a param of the request",
      { $request: "/a" },
      { kind: "request", path: { from: "object", keys: ["a"] } },
    ],
    ["a member called like an operator", { $$if: 1 }, { kind: "object", members: [["$if", { value: 1 }]] }],
  ])("is read: %s", (_, expression, made) => {
    expect(read(expression)).toMatchObject(made);
  });

  test("reads items if there are any", () => {
    const { make, where } = read({
      $each: "/list",
      where: { kind: "a", name: { in: { $: "./names" } } },
      make: { $: "." },
    }) as { make: object; where: object };
    expect(make).toMatchObject({ kind: "value", path: { from: "item", keys: [] }, pointer: "/n/a/make" });
    expect(where).toMatchObject([
      { key: "kind", is: "a" },
      { key: "name", among: { kind: "value", path: { from: "item", keys: ["names"] } } },
    ]);
  });
});

/** A mistake, its place below the expression, and the text of the error. */
const wrong: readonly [expression: JsonValue, at: string, message: RegExp, next?: RegExp][] = [
  [{ $eech: "/a", make: 1 }, "/$eech", /no operator "\$eech"/, /Did you mean \$each\? .*"\$\$eech"/],
  [{ $schema: "a" }, "/$schema", /no operator "\$schema"/, /^For a member of that name write "\$\$schema"/],
  [{ $: "a" }, "/$", /expected a string that matches .*, got "a"/, /such as "\/content"/],
  [{ $: "/a~2" }, "/$", /expected a string that matches/],
  [{ $: 1 }, "/$", /expected string, got 1/],
  [{ $: "./a" }, "/$", /path into an item, and there is none/, /Write "\/a"/],
  [{ $each: "./a", make: 1 }, "/$each", /path into an item/],
  [{ $each: "/a", make: { $request: "./a" } }, "/make/$request", /expected a string that matches/],
  [{ $each: "/a" }, "", /expected the key "make"/],
  [{ $first: "/a", make: 1, flat: true }, "/flat", /there is no key "flat"/],
  [{ $each: "/a", make: 1, wher: {} }, "/wher", /there is no key "wher"/, /Did you mean "where"/],
  [{ $: "/a", b: 1 }, "/b", /there is no key "b"/],
  [{ $or: [1], $join: [1] }, "/$or", /there is no key "\$or"/],
  [{ $each: "/a", make: 1, flat: 1 }, "/flat", /expected boolean, got 1/],
  [{ $each: "/a", make: 1, where: {} }, "/where", /expected at least 1 key, got 0/],
  [{ $each: "/a", make: 1, where: { b: [] } }, "/where/b", /expected .*string, got array/],
  [{ $each: "/a", make: 1, where: { b: { in: 1, c: 2 } } }, "/where/b/c", /there is no key "c"/],
  [{ $join: [] }, "/$join", /expected at least 1 item, got 0/],
  [{ $or: {} }, "/$or", /expected array, got object/],
  [{ $if: "/a" }, "", /expected the key "then"/],
  [{ $json: { $: "b" } }, "/$json/$", /expected a string that matches/],
  [[1, { b: { $: "c" } }], "/1/b/$", /expected a string that matches/],
];

test.each(wrong)("%j is refused with its place", (expression, at, message, next = /./) => {
  const note = {
    ...{ kind: "reshaped", target: "/$defs/X", previous: "r", reason: "Because.", link: "" },
    lower: { a: expression },
  };
  const parse = (): unknown => parseNotes({ file: "notes.json", value: { format: 1, notes: [note] } });
  expect(parse).toThrow(message);
  try {
    parse();
  } catch (error) {
    const { code, place, next: said } = error as CodedError;
    expect(code).toBe("MG1201");
    expect(place).toEqual({ file: "notes.json", pointer: `/notes/0/lower/a${at}` });
    expect(said).toMatch(next);
  }
});

test("a note needs one direction at least", () => {
  const note = { kind: "reshaped", target: "/$defs/X", previous: "r", reason: "Because.", link: "" };
  expect(() => parseNotes({ file: "notes.json", value: { format: 1, notes: [note] } })).toThrow(
    /expected the key "lift" or "lower"/,
  );
});
