import { afterAll, beforeAll, expect } from "vitest";
import { readingHtml } from "../../../generator/page/reading-html.js";
import { offerReading } from "../../../generator/page/offer/reading.js";
import { usualProfiles } from "../../../generator/lint/rule.js";
import { loadTemplates } from "../../../generator/print/templates.js";
import { Page, chromium } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { initialized, scripted } from "../../support/live-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { hostile, hostileContract, markdownAttacks } from "../../support/hostile-contract.js";
import { type PageWatch, watchPage } from "../../support/page-watch.js";
import { fileOf, pageOf } from "./pages.js";
import { choose, click, shown, text, typeText } from "./reader.js";

let page: Page;
let watch: PageWatch;

beforeAll(async () => {
  if (chromium === undefined) return;
  page = await Page.open(1024);
  watch = await watchPage(page, (url) => url.startsWith("file:") && url.endsWith("/page.html"));
});
afterAll(() => page?.close());

/** Opens a page and everything in it, at two widths, follows its links and searches: no foreign code runs. */
async function endures(url: string): Promise<void> {
  watch.faults.splice(0);
  for (const width of [320, 1024]) {
    await page.resize(width);
    await page.load(url);
    if (width > 640) await click(page, "#expand");
    expect(await page.contentWidth()).toBe(width);
  }
  const entries = await shown(page);
  expect(entries.length).toBeGreaterThan(0);
  for (const id of entries.slice(0, 40)) {
    await page.evaluate(`location.hash = "#" + ${JSON.stringify(id)}`);
    expect(await page.evaluate(`document.getElementById(${JSON.stringify(id)}) !== null`)).toBe(true);
  }
  const foreign = `[...document.querySelectorAll("a")].filter(({ protocol, rel }) => protocol !== "file:" && !(/^(?:https?|mailto):$/.test(protocol) && rel.includes("noopener"))).length`;
  expect(await page.evaluate(foreign)).toBe(0);
  expect(
    await page.evaluate("document.querySelectorAll('main :is(img, script, iframe, style, b, form)').length"),
  ).toBe(0);
  for (const attack of hostile.slice(0, 6)) {
    await click(page, "#search");
    await page.evaluate("document.querySelector('#search').select()");
    await typeText(page, attack);
  }
  await click(page, "#search");
  await page.press("Escape");
  expect(await shown(page)).toEqual(entries);
  expect(watch.faults).toEqual([]);
}

const later = (): object => {
  const { tools = [], ...rest } = hostileContract();
  return {
    ...rest,
    tools: tools.slice(1).map((tool) => ({
      ...tool,
      inputSchema: { ...tool.inputSchema, required: Object.keys(tool.inputSchema["properties"] as object) },
    })),
  };
};

/** Names that contracts may have: other attacks stand in all other texts. */
function readable(contract: object): string {
  return JSON.stringify(contract).replaceAll("\\ud800", "");
}

browserTest("hostile texts of a contract do not run in its page", async () => {
  const folder = temporaryFolder({ "mcp.contract.json": readable(hostileContract()) });
  await endures(await pageOf(folder, ["docs", "mcp.contract.json"]));
});

browserTest(
  "hostile Markdown does not run, load or lead elsewhere, and the page keeps its size",
  async () => {
    const contract = {
      ...{ name: "shop", version: "1", instructions: markdownAttacks.join("\n\n") },
      tools: markdownAttacks.map((text, index) => ({
        ...{ name: `tool_${index}`, description: text },
        inputSchema: {
          type: "object",
          description: text,
          properties: { a: { type: "string", description: text } },
        },
      })),
      prompts: [
        {
          name: "p",
          description: markdownAttacks[0]!,
          arguments: [{ name: "a", description: markdownAttacks[1]! }],
        },
      ],
    };
    const folder = temporaryFolder({ "mcp.contract.json": JSON.stringify(contract) });
    await endures(await pageOf(folder, ["docs", "mcp.contract.json"]));
    // Each text is cut, so its markup is bounded, too.
    expect(await page.evaluate<number>("document.documentElement.outerHTML.length")).toBeLessThan(1_500_000);
  },
);

browserTest("hostile texts of a live server do not run in its page", async () => {
  await endures(await pageOf(temporaryFolder(), ["docs", liveServer()]));
});

browserTest("hostile texts do not run in the page of a diff", async () => {
  const folder = temporaryFolder({
    "old.json": readable(hostileContract()),
    "new.json": readable(later()),
  });
  await endures(await pageOf(folder, ["diff", "old.json", "new.json", "--format", "html"]));
});

browserTest("hostile texts of a server do not run in the page of a check", async () => {
  const folder = temporaryFolder({ "mcp.contract.json": readable(later()) });
  await endures(
    await pageOf(folder, [
      "check",
      "--server",
      liveServer(),
      "--contract",
      "mcp.contract.json",
      "--format",
      "html",
    ]),
  );
});

function liveServer(): string {
  const { tools, resources, prompts } = hostileContract();
  return scripted({
    initialize: initialized({ tools: {}, resources: {}, prompts: {} }, { instructions: hostile.join("\n") }),
    "tools/list": { tools },
    "resources/list": { resources },
    "resources/templates/list": { resourceTemplates: [] },
    "prompts/list": { prompts },
  });
}

const sources = {
  name: "many",
  hostName: "shop",
  start: { kind: "unknown" },
  profiles: usualProfiles,
} as const;

browserTest("texts of 1 MB leave the page usable", async () => {
  const long = "x".repeat(1_000_000);
  const inputSchema = { type: "object", properties: { [long]: { const: long, description: long } } };
  const tools = Array.from({ length: 5 }, (_, index) => ({
    name: `${index}${long}`,
    description: long,
    inputSchema,
  }));
  const contract = { name: long, version: long, instructions: long, tools };
  await endures(fileOf(readingHtml(offerReading(contract, sources), loadTemplates())));
});

browserTest("10,000 tools can be searched, filtered and addressed", async () => {
  const tools = Array.from({ length: 10_000 }, (_, index) => ({
    name: `tool_${index}`,
    description: `Counts to ${index}.`,
    inputSchema: { type: "object", properties: { count: { type: "integer" } } },
  }));
  const contract = { name: "many", version: "1", tools };
  watch.faults.splice(0);
  await page.resize(1024);
  await page.load(fileOf(readingHtml(offerReading(contract, sources), loadTemplates())));
  await click(page, "#search");
  await typeText(page, "tool_777");
  await expect.poll(() => text(page, "#status")).toBe("11 found");
  await page.press("Enter");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("tool_777");
  await page.evaluate('location.hash = "#tool-tool_9999"');
  await expect
    .poll(() => page.evaluate("document.querySelector('.contents [aria-current]')?.textContent"))
    .toBe("tool_9999");
  if (await page.evaluate("document.querySelector('[data-filter]') !== null"))
    await choose(page, "lint", "error");
  expect(watch.faults).toEqual([]);
});

browserTest("the watch hears dialogs, errors, requests and violations", async () => {
  watch.faults.splice(0);
  await page.load(
    fileOf(`<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'; img-src *; style-src 'none'">
<img src="http://127.0.0.1:9/x"><p style="color:red">x</p>
<script>console.error("heard"); alert("heard"); null.x</script>`),
  );
  for (const kind of ["dialog", "exception", "console", "request", "policy"])
    await expect
      .poll(() => watch.faults.some((fault) => fault.startsWith(kind)), { message: kind })
      .toBe(true);
});
