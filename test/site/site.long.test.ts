import { cpSync, existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type BuiltSite, buildSite } from "../../scripts/site/build-site.js";
import { type Found, searchIn } from "../../scripts/site/find.js";
import { writeSite } from "../../scripts/site/write-site.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let site: BuiltSite;
let pages: [string, string][];

beforeAll(async () => {
  site = await buildSite(".");
  pages = [...site.files].filter(([file]) => file.endsWith(".html"));
});

/** What the search page finds. */
function found(query: string): Found[] {
  const [, json] = /<script type="application\/json" id="index">([^]*?)<\/script>/.exec(
    site.files.get("search.html")!,
  )!;
  return searchIn(JSON.parse(json!) as Found[])(query);
}

test("all links and anchors have targets", () => {
  expect(site.problems).toEqual([]);
  expect(pages.length).toBeGreaterThan(60);
});

test("each page has a title, a language, one first heading, landmarks and a policy", () => {
  const faults = pages.flatMap(([file, text]) => {
    const count = (pattern: RegExp): number => (text.match(pattern) ?? []).length;
    const is = {
      title: /<title>[^<]{3,}<\/title>/.test(text),
      language: text.includes('<html lang="en">'),
      heading: count(/<h1[ >]/g) === 1,
      landmarks: ["<header", "<main", "<footer", "<nav"].every((tag) => text.includes(tag)),
      policy: text.includes("default-src &#x27;none&#x27;"),
      ids: new Set(text.match(/ id="[^"]*"/g)).size === count(/ id="[^"]*"/g),
      labels: count(/<input[^>]*type="search"/g) === count(/<label class="unseen" for="search">/g),
    };
    return Object.entries(is).flatMap(([name, holds]) => (holds ? [] : [`${file}: ${name}`]));
  });
  expect(faults).toEqual([]);
});

test("pages contain everything that they show but pictures of the site, and request nothing else", () => {
  const picture =
    /<picture><source media="[^"]*" srcset="([^"]*)"><img src="([^"]*)" alt="[^"]+" width="\d+"><\/picture>/g;
  const isOwn = (file: string, address: string): boolean =>
    site.pictures.has(posix.join(posix.dirname(file), address));
  const faults = pages.flatMap(([file, text]) => {
    const markup = text
      .replace(/<(script|style)\b[^>]*>[^]*?<\/\1>/g, "")
      .replace(picture, (all, dark: string, light: string) =>
        isOwn(file, dark) && isOwn(file, light) ? "" : all,
      )
      .replace(/<img src="([^"]*)" alt="[^"]+">/g, (all, address: string) =>
        isOwn(file, address) ? "" : all,
      );
    const tags = markup.match(
      /<(?:link|img|iframe|object|embed|base|source|video|audio)\b|\s(?:src|srcset|style|on\w+)=/g,
    );
    return (tags ?? []).map((tag) => `${file}: ${tag}`);
  });
  expect(faults).toEqual([]);
});

test("every document, revision, extension and pair of neighbours has a page", () => {
  const revisions = readdirSync("schema").filter((name) => /^\d/.test(name));
  const names = ["docs", "docs/tasks", "docs/guides"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md") && name !== "README.md")
      .map((name) => `${folder}/${name.replace(/md$/, "html")}`),
  );
  const expected = [
    ...names,
    ...revisions.map((revision) => `reference/${revision}.html`),
    ...revisions.slice(1).map((next, index) => `changes/${revisions[index]}-to-${next}.html`),
    ...["tasks-2026-08-21", "ui-2026-01-26"].map((name) => `reference/io.modelcontextprotocol-${name}.html`),
    ...["index.html", "docs/index.html", "changelog.html", "contributing.html", "search.html"],
  ];
  expect(expected.filter((page) => !site.files.has(page))).toEqual([]);
});

test("agents get each document: a list with first sentences, and all texts", () => {
  const [list, full] = ["llms.txt", "llms-full.txt"].map((name) => site.files.get(name)!);
  const documents = ["docs", "docs/tasks", "docs/guides"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  expect(list).toMatch(
    /^# mcpgen\n\n> Servers and clients of the Model Context Protocol .*\.\n\n## You write a server\n\n- \[Your first server\]/,
  );
  for (const file of documents) {
    if (file !== "docs/README.md") expect(list).toContain(`](${file.replace(/md$/, "html")})`);
    if (file !== "docs/README.md") expect(full).toContain(`<!-- ${file} -->\n\n# `);
  }
  for (const [, page] of list!.matchAll(/\]\(([^)]+)\)/g)) expect(site.files.has(page!)).toBe(true);
});

test("every page is in the list of all pages", () => {
  const start = site.files.get("index.html")!;
  const lists = new Set([
    "index.html",
    "docs/index.html",
    "reference/index.html",
    "changes/index.html",
    "search.html",
  ]);
  expect(
    pages.map(([page]) => page).filter((page) => !lists.has(page) && !start.includes(`href="${page}"`)),
  ).toEqual([]);
});

test("a reference is at most 400 KB, other pages 150 KB, the search with its index 1 MB", () => {
  const limit = (file: string): number =>
    /^(reference|changes)\//.test(file) ? 400_000 : file === "search.html" ? 1_000_000 : 150_000;
  const over = pages.filter(([file, text]) => Buffer.byteLength(text) > limit(file));
  expect(over.map(([file]) => file)).toEqual([]);
});

test.each([
  ["tools/call", "reference/2026-07-28.html#method-tools/call"],
  ["InputRequiredResult", "reference/2026-07-28.html#type-InputRequiredResult"],
  ["MG3001", "docs/errors.html#mg3001"],
  ["argumentDefaults", "docs/options.html"],
  ["ask the user", "docs/tasks/ask-the-user.html"],
  ["what changed", "docs/what-changed-2026-07-28.html"],
  ["kubernetes", "docs/tasks/deploy.html"],
  ["initialize", "reference/2025-11-25.html#method-initialize"],
])("the search finds %s", (query, address) => {
  const results = found(query).slice(0, 5);
  expect(
    results
      .flatMap(({ a, more = [] }) => [a, ...more.map(([, page]) => page + a.slice(a.indexOf("#")))])
      .filter((each) => each.startsWith(address)),
  ).not.toEqual([]);
});

test.each([
  ["elicit", "docs/guides/ask-the-user.html"],
  ["auth", "docs/guides/http-with-log-in.html"],
  ["progress", "docs/guides/progress-and-cancel.html"],
  ["cancel", "docs/guides/progress-and-cancel.html"],
  ["test", "docs/guides/test-a-server.html"],
  ["zod", "docs/guides/"],
  ["express", "docs/http"],
])("the first result for %s is of %s", (query, address) => {
  expect(found(query)[0]!.a).toMatch(new RegExp(`^${address}`));
});

test("the same repository gives the same bytes", async () => {
  const again = await buildSite(".");
  expect([...again.files.keys()]).toEqual([...site.files.keys()]);
  expect(
    [...again.files].filter(([file, text]) => text !== site.files.get(file)).map(([file]) => file),
  ).toEqual([]);
});

test("a dead link in a document is a problem with its place", async () => {
  const root = temporaryFolder();
  for (const name of [
    "bench",
    "schema",
    "generated",
    "examples",
    "scripts",
    "package.json",
    "mcpgen.config.json",
    "NOTICE",
    "engine",
    "runtime",
    "LICENSE",
  ])
    symlinkSync(resolve(name), join(root, name));
  for (const name of ["docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
    cpSync(name, join(root, name), { recursive: true });
  const text = readFileSync("docs/stdio.md", "utf8");
  const line = text.split("\n").length;
  writeFileSync(join(root, "docs/stdio.md"), `${text}[a](gone.md) [b](http.md#gone)\n`);
  const { problems } = await buildSite(root);
  expect(problems).toEqual([
    `docs/stdio.md:${line}: the link to gone.md leads nowhere`,
    `docs/stdio.md:${line}: the link to http.html#gone leads nowhere`,
  ]);
});

test("a site replaces a site, and no other folder", () => {
  const folder = temporaryFolder({ "mine/a.txt": "mine" });
  const out = join(folder, "new/site");
  writeSite(out, site);
  writeFileSync(join(out, "old.html"), "");
  writeSite(out, site);
  expect(existsSync(join(out, "old.html"))).toBe(false);
  expect(readFileSync(join(out, "docs/http.html"), "utf8")).toBe(site.files.get("docs/http.html"));
  expect(() => writeSite(join(folder, "mine"), site)).toThrow("no site of mcpgen");
  expect(readFileSync(join(folder, "mine/a.txt"), "utf8")).toBe("mine");
  expect(readdirSync(join(folder, "new"))).toEqual(["site"]);
});
