import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { factsOf, findingsOf, nameIn } from "../../scripts/what-changed/facts.js";
import { pageFile, sourcesOf, withFacts } from "../../scripts/what-changed/page.js";
import { topicOf, topics } from "../../scripts/what-changed/topics.js";

const text = readFileSync(pageFile, "utf8");
let sources: Awaited<ReturnType<typeof sourcesOf>>;

beforeAll(async () => {
  sources = await sourcesOf(".", text);
});

test("the facts of the page equal the facts of the comparison: node scripts/run-ts.mjs scripts/what-changed/main.ts", () => {
  expect(withFacts(text, factsOf(sources))).toBe(text);
});

test("the page explains every finding, and no subject is empty", () => {
  const { findings } = sources.report;
  expect(findings.filter((finding) => topicOf(finding) === undefined)).toEqual([]);
  const explained = new Set(findings.map((finding) => topicOf(finding)!.id));
  expect(topics.map(({ id }) => id).filter((id) => !explained.has(id))).toEqual([]);
});

/** The text under the heading with this anchor. */
function sectionOf(id: string): string {
  const [, section] = text.split(`## ${sources.titles.get(id)}\n`);
  return section!.split("\n## ")[0]!;
}

test("each subject is a heading of the page, with a link into the specification", () => {
  for (const { id } of topics) {
    expect([...sources.titles.keys()]).toContain(id);
    if (id !== "only-the-types") expect(sectionOf(id)).toContain("https://modelcontextprotocol.io/");
  }
});

test("the text under each heading names the methods and members of its breaking findings", () => {
  const missing = topics.flatMap(({ id }) =>
    findingsOf(sources.report, id)
      .filter((finding) => finding.worst === "breaking" && !sectionOf(id).includes(`\`${nameIn(finding)}\``))
      .map((finding) => `${id}: ${nameIn(finding)}`),
  );
  expect(missing).toEqual([]);
});

test("the page names every audience, and its addresses stay", () => {
  const permanent = [
    ...["for-authors-of-servers", "for-authors-of-clients", "for-operators-of-gateways-and-hosts"],
    ...["for-maintainers-of-sdks", "one-definition-for-both-eras", "http", "authorization"],
    ...[
      "no-handshake-and-no-session",
      "metadata-in-every-request",
      "discovery",
      "subscriptions",
      "log-levels",
    ],
    ...["requests-of-servers-become-rounds", "every-result-names-its-type", "results-that-can-be-cached"],
    ...["progress-and-cancellation", "tasks", "extensions", "schemas-and-structured-content", "completions"],
    ...["error-codes", "deprecated", "only-the-types"],
  ];
  expect(permanent.filter((id) => !sources.titles.has(id))).toEqual([]);
});

test("links into the specification name the revision", () => {
  const links = [...text.matchAll(/https:\/\/modelcontextprotocol\.io\/([^\s)#]*)/g)].map(
    ([, path]) => path!,
  );
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter((path) => !/^(specification\/2026-07-28\/|extensions\/)/.test(path))).toEqual([]);
});

test("a block without facts and facts without a block are errors", () => {
  expect(() => withFacts("<!-- facts: x -->\n<!-- /facts -->", new Map())).toThrow('there are no facts "x"');
  expect(() => withFacts("", new Map([["x", ""]]))).toThrow("there is no block for the facts x");
});
