import { expect, test } from "vitest";
import { parseChallenges } from "../../../runtime/auth/shared/challenges.js";

const read = (header: string): unknown =>
  parseChallenges(header).map(({ scheme, token68, params }) => [
    scheme,
    ...(token68 ? [token68] : []),
    { ...params },
  ]);

test.each([
  ['Bearer realm="a", scope="x y"', [["bearer", { realm: "a", scope: "x y" }]]],
  [
    'Basic realm="a", Bearer error="b", scope=c',
    [
      ["basic", { realm: "a" }],
      ["bearer", { error: "b", scope: "c" }],
    ],
  ],
  ['bEaReR Resource_Metadata="https://a/b"', [["bearer", { resource_metadata: "https://a/b" }]]],
  ['Bearer realm="a, Basic b=\\"c\\"", error=d', [["bearer", { realm: 'a, Basic b="c"', error: "d" }]]],
  [
    'DPoP algs="ES256 RS256",Bearer',
    [
      ["dpop", { algs: "ES256 RS256" }],
      ["bearer", {}],
    ],
  ],
  [
    "Negotiate abc/+d==, Bearer a=b",
    [
      ["negotiate", "abc/+d==", {}],
      ["bearer", { a: "b" }],
    ],
  ],
  [
    "Negotiate , , Bearer a = b",
    [
      ["negotiate", {}],
      ["bearer", { a: "b" }],
    ],
  ],
  ['Bearer scope="x", scope="y"', [["bearer", { scope: "x" }]]],
  ['Bearer __proto__="x"', [["bearer", { ["__proto__"]: "x" }]]],
  ['Bearer error="open', [["bearer", {}]]],
  [
    'a="b", Bearer c="d"',
    [
      ["a", {}],
      ["bearer", { c: "d" }],
    ],
  ],
  [", ,\t", []],
  ["", []],
])("challenges of %s", (header, expected) => {
  expect(read(header)).toEqual(expected);
});

test("neither an absent nor a too long header has challenges", () => {
  expect(parseChallenges(null)).toEqual([]);
  expect(parseChallenges(`Bearer a="${"x".repeat(20_000)}"`)).toEqual([]);
});

test.each(['"', '"\\', '\\"', 'a="\\', "a ", "a=", ",", " ", "a=b ", '="a"'])(
  "the time is linear in the length: %j repeated",
  (piece) => {
    const text = piece.repeat(16_000 / piece.length);
    // If the time grew with the square of the length, this test would time out.
    for (let i = 0; i < 30; i++) expect(parseChallenges(text).length).toBeLessThan(text.length);
  },
);
