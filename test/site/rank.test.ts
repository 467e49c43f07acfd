import { expect, test } from "vitest";
import { excerptOf, ranked, wordsOf } from "../../scripts/site/browser/parts/rank.js";
import type { Found } from "../../scripts/site/found.js";

const all: readonly Found[] = [
  { n: "Serving", p: "HTTP", a: "1", t: "The session of a client, and sessions of others" },
  { n: "Sessions", p: "HTTP", a: "2", t: "" },
  { n: "session", p: "Options", a: "3", t: "" },
  { n: "tools/call", p: "Requests", a: "4", t: "Calls a tool" },
  { n: "Obsession", p: "Words", a: "5", t: "" },
  { n: "serve", p: "Options", a: "6", t: "port", k: "port maxBody" },
  { n: "report", p: "Words", a: "7", t: "port" },
];
const found = (query: string): string[] => ranked(all, wordsOf(query)).map(({ a }) => a);

test("the name counts most, then the beginning of a word, then the page, then the text", () => {
  expect(found("session")).toEqual(["3", "2", "5", "1"]);
  expect(found("SESSION http")).toEqual(["2", "1"]);
  expect(found("tools/call")).toEqual(["4"]);
  expect(found("port")).toEqual(["6", "7"]);
});

test("each word must be there; no word finds nothing; signs of patterns are text", () => {
  expect(found("session tool")).toEqual([]);
  expect(found("  ")).toEqual([]);
  expect(found(".*")).toEqual([]);
});

test("an excerpt shows the text around the first word", () => {
  const text = `${"a ".repeat(300)}needle${" b".repeat(300)}`;
  const excerpt = excerptOf(text, ["needle"]);
  expect(excerpt).toContain("needle");
  expect(excerpt.length).toBeLessThan(250);
  expect([excerpt[0], excerpt.at(-1)]).toEqual(["…", "…"]);
  expect(excerptOf("short", ["x"])).toBe("short");
});
