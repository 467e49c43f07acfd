import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UriTemplate } from "../../../runtime/core/server/uri-template.js";

describe("a URI template gives the variables of a URI, or undefined if the URI does not match", () => {
  test.each<[string, string, { [name: string]: string } | undefined]>([
    ["note://{id}", "note://a%20b", { id: "a b" }],
    ["note://{id}", "note://a/b", undefined],
    ["note://{id}", "note://", undefined],
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["db://{table}{/row}", "db://people/7", { table: "people", row: "7" }],
    ["q://s{?x,y}", "q://s?x=1&y=2", { x: "1", y: "2" }],
    ["q://s{?x,y}", "q://s?y=2", { y: "2" }],
    ["q://s{?x,y}", "q://s?x=1", { x: "1" }],
    ["q://s{?x,y}", "q://s", {}],
    ["q://s{?x,y}", "q://s?x=&y=2", { x: "", y: "2" }],
    ["q://s{?x,y}", "q://s?z=1", undefined],
    ["q://s{?x}", "q://s?x=1&z=2", undefined],
    ["q://s{?x,y}{#p}", "q://s?x=1#top", { x: "1", p: "top" }],
    ["q://s?fixed=1{&x}", "q://s?fixed=1&x=2", { x: "2" }],
    ["q://{+a}{?b}", "q://one?two&three?b=4", { a: "one?two&three", b: "4" }],
    ["q://{+a}{?b}", "q://one&two", { a: "one&two" }],
    ["q://{__proto__}", "q://x", JSON.parse('{"__proto__":"x"}') as { [name: string]: string }],
    ["q://{a}", "q://%E0%A4%A", undefined],
  ])("%s and %s", (template, uri, values) => {
    expect(new UriTemplate(template).match(uri)).toEqual(values);
  });
});

interface Expression {
  readonly operator: string;
  /** Values by name; without one where a variable has none. */
  readonly values: readonly (readonly [name: string, value: string | undefined])[];
}

const value = fc.stringMatching(/^[a-z0-9 é%]{1,6}$/u);
const always = (operator: string) =>
  fc.tuple(value).map(([text]): Expression => ({ operator, values: [["", text]] }));
const maybe = (operator: string, most: number) =>
  fc
    .array(fc.option(value, { nil: undefined }), { minLength: 1, maxLength: most })
    .map((texts): Expression => ({ operator, values: texts.map((text) => ["", text]) }));

/** A value, paths, a query and a fragment, in the order of a URI. */
const template = fc.tuple(
  always(""),
  fc.array(always("/"), { maxLength: 2 }),
  fc.array(maybe("?", 3), { maxLength: 1 }),
  fc.array(maybe("#", 1), { maxLength: 1 }),
);

/** Expansion by RFC 6570, section 3.2, of the operators that a matcher supports. */
function expand({ operator, values }: Expression): string {
  const query = operator === "?" || operator === "&";
  const texts = values.flatMap(([name, text]) => {
    if (text === undefined) return [];
    return [query ? `${name}=${encodeURIComponent(text)}` : encodeURIComponent(text)];
  });
  return texts.length === 0 ? "" : operator + texts.join(query ? "&" : operator);
}

test("a template matches each of its expansions, and gives the values of the expansion", () => {
  fc.assert(
    fc.property(template, ([first, path, query, fragment]) => {
      let count = 0;
      const expressions = [first, ...path, ...query, ...fragment].map((each) => ({
        ...each,
        values: each.values.map(([, text]) => [`v${count++}`, text] as const),
      }));
      const text = expressions.map(
        ({ operator, values }) => `{${operator}${values.map(([name]) => name).join()}}`,
      );
      const uri = `x://${expressions.map(expand).join("")}`;
      const given = expressions.flatMap(({ values }) => values.filter(([, each]) => each !== undefined));
      expect(new UriTemplate(`x://${text.join("")}`).match(uri)).toEqual(Object.fromEntries(given));
    }),
    { numRuns: 300 },
  );
});
