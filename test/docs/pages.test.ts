import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { documentsIn } from "./documents.js";

const tasks = [
  "ask-the-user",
  "serve-over-http",
  "call-a-server",
  "check-in-ci",
  "protect-a-server",
  "authorize-a-client",
  "authorize-a-machine",
  "log-in-from-a-cli",
  "move-to-a-new-revision",
  "write-a-transport",
  "deploy",
  "debug",
  "hooks-and-logging",
  "use-an-upstream-without-registration",
].map((name) => `docs/tasks/${name}.md`);

const reference = [
  ...[
    "options",
    "errors",
    "glossary",
    "limits",
    "security",
    "versioning",
    "features",
    "migration",
    "architecture",
  ].map((name) => `docs/${name}.md`),
  "CHANGELOG.md",
];

/** The files that a page links to. */
function linkedFrom(page: string): Set<string> {
  const targets = [...readFileSync(page, "utf8").matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)];
  return new Set(targets.map(([, target]) => join(dirname(page), target!)));
}

test.each([...tasks, ...reference])("%s exists, and docs/README.md links to it", (page) => {
  expect(existsSync(page)).toBe(true);
  expect(linkedFrom("docs/README.md").has(page)).toBe(true);
});

test("README.md leads to docs/README.md, and is read in a minute", () => {
  expect(linkedFrom("README.md").has("docs/README.md")).toBe(true);
  expect(Buffer.byteLength(readFileSync("README.md"))).toBeLessThanOrEqual(8000);
});

test("README.md says how many revisions are released", () => {
  const { revisions } = JSON.parse(readFileSync("schema/lock.json", "utf8")) as {
    revisions: { [revision: string]: { status?: string } };
  };
  const word = ["no", "one", "two", "three", "four", "five", "six", "seven"][Object.keys(revisions).length];
  const said = readFileSync("README.md", "utf8").matchAll(
    /(?:today's|all) (\w+)(?=, and|\s+released| revisions)/g,
  );
  expect([...new Set([...said].map(([, number]) => number))]).toEqual([word]);
});

test("docs/README.md links to every page", () => {
  const pages = ["docs", "docs/tasks", "docs/guides"].flatMap(documentsIn);
  const linked = linkedFrom("docs/README.md");
  expect(pages.filter((page) => page !== "docs/README.md" && !linked.has(page))).toEqual([]);
});

test.each(tasks)("%s shows code or commands, and has links", (page) => {
  const text = readFileSync(page, "utf8");
  expect(text).toMatch(/^```(ts|sh)$/m);
  expect(linkedFrom(page).size).toBeGreaterThanOrEqual(1);
});

describe("docs/glossary.md", () => {
  const text = readFileSync("docs/glossary.md", "utf8");
  const entries = [...text.matchAll(/^### (.+)\n\n(.+)$/gm)].map(([, term, first]) => ({ term, first }));
  const terms = entries.map(({ term }) => term);

  test.each(["era", "steps", "notes", "reading", "contract", "authoring vocabulary", "revision", "round"])(
    "explains %s",
    (term) => expect(terms).toContain(term),
  );

  test("explains open and exact, lower and lift", () => {
    for (const word of ["open", "exact", "lower", "lift"]) expect(text).toContain(`- **${word}**:`);
  });

  test("has each term once, each with a text", () => {
    expect(new Set(terms).size).toBe(terms.length);
    expect(terms).toHaveLength(text.match(/^### /gm)!.length);
  });
});

/** Pages whose lists are read point by point. */
const lists = [...tasks, "docs/limits.md", "docs/versioning.md", "docs/migration.md"];

test.each(lists)("a bullet of %s has at most three sentences and 220 characters", (page) => {
  const text = readFileSync(page, "utf8").replace(/^```.*?^```/gms, "");
  const bullets = [...text.matchAll(/^- (.+(?:\n {2}\S.*)*)/gm)].map(([, bullet]) =>
    bullet!.replace(/\n\s+/g, " "),
  );
  const long = bullets.filter(
    (bullet) => bullet.length > 220 || (bullet.match(/[.?!](?= [A-Z`])/g) ?? []).length > 2,
  );
  expect(long).toEqual([]);
});
