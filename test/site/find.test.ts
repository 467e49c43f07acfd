import { expect, test } from "vitest";
import { type Found, searchIn } from "../../scripts/site/find.js";

const all: readonly Found[] = [
  { n: "Serving", p: "HTTP", a: "1", t: "The session of a client, and sessions of others" },
  { n: "Sessions", p: "HTTP", a: "2", t: "" },
  { n: "session", p: "Options", a: "3", t: "" },
  { n: "tools/call", p: "Requests", a: "4", t: "Calls a tool" },
  { n: "Limits", p: "Options", a: "5", t: "maxBodyBytes" },
];
const find = searchIn(all);
const found = (query: string): string[] => find(query).map(({ a }) => a);

test("a whole name counts most, then the beginning of one, then the page and the text", () => {
  expect(found("session")).toEqual(["3", "2", "1"]);
  expect(found("tools/call")).toEqual(["4"]);
  expect(found("options")).toEqual(["3", "5"]);
});

test("each word must be there, in any case; parts of names are words; no word finds nothing", () => {
  expect(found("SESSION http")).toEqual(["2", "1"]);
  expect(found("session tool")).toEqual([]);
  expect(found("bytes")).toEqual(["5"]);
  expect(found("maxbody")).toEqual(["5"]);
  for (const query of ["  ", ".*", "ody"]) expect(found(query)).toEqual([]);
});
