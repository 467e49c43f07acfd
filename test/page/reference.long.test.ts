import { beforeAll, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { deadAnchors, policyFaults } from "./page-faults.js";

let page: string;

beforeAll(async () => {
  page = (await mcpgen(".", ["docs", "2026-07-28"])).stdout;
});

test("the reference of a revision contains its methods, types, errors, history, examples and code", () => {
  for (const part of [
    'id="method-tools/call"',
    'id="type-CallToolResult"',
    'href="#type-CallToolResult"',
    'id="error--32602/INVALID_PARAMS"',
    "since 2026-07-28",
    "deprecated since",
    "Example of the request",
    "Refused: ",
    "await client.request(&quot;tools/call&quot;",
    "Metadata apart from the payload",
  ])
    expect(page).toContain(part);
});

test("it is at most 400 KB, all its links have targets, and its policy allows its parts", () => {
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(400_000);
  expect(deadAnchors(page)).toEqual([]);
  expect(policyFaults(page)).toEqual([]);
});

test("the Markdown has the same content", async () => {
  const { stdout } = await mcpgen(".", ["docs", "2026-07-28", "--format", "markdown"]);
  expect(stdout).toContain('### <a id="method-tools/call"></a>`tools/call`');
  expect(stdout).toContain("[`CallToolResult`](#type-CallToolResult)");
  expect(deadAnchors(stdout.replace(/\]\(#([^)]*)\)/g, ' href="#$1"'))).toEqual([]);
});

test("--out writes a page and replaces it, but replaces no other file", async () => {
  const folder = temporaryFolder({ "mine.html": "<p>mine</p>" });
  const out = (file: string, ...more: string[]) =>
    mcpgen(folder, ["docs", "2024-11-05", "--out", file, ...more]);
  expect((await out("pages")).stdout).toMatch(/2024-11-05\.html: written/);
  expect((await out("pages")).stdout).toMatch(/unchanged/);
  expect(readFileSync(join(folder, "pages/2024-11-05.html"), "utf8")).toContain("MCP 2024-11-05");
  const refused = await out("mine.html");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("MG3001")]);
  expect(readFileSync(join(folder, "mine.html"), "utf8")).toBe("<p>mine</p>");
  expect((await out("mine.html", "--force")).code).toBe(0);
});

test("every template of pages can be replaced", async () => {
  const folder = temporaryFolder({
    "t/page.html.hbs": "<!doctype html><title>{{title}}</title>{{style}}{{body}}{{scripts}}<p>own page</p>",
    "t/page.css.hbs": "body { color: red }",
    "t/reading.css.hbs": "main { color: blue }",
    "t/reading.html.hbs": "<h1>own {{title}}</h1>",
    "t/reading.md.hbs": "own {{title}}",
  });
  const own = (await mcpgen(folder, ["docs", "2024-11-05", "--templates", "t"])).stdout;
  expect(own).toContain("<p>own page</p>");
  expect(own).toContain("<h1>own MCP 2024-11-05</h1>");
  expect(own).toContain("<style>body { color: red }\nmain { color: blue }</style>");
  const markdown = ["docs", "2024-11-05", "--templates", "t", "--format", "markdown"];
  expect((await mcpgen(folder, markdown)).stdout).toBe("own MCP 2024-11-05\n");
});

test("an unknown source is refused with the nearest name", async () => {
  const { code, stderr } = await mcpgen(".", ["docs", "2026-07-82"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean 2026-07-28?")]);
});
