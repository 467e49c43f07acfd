import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { Page, chromium } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { type PageWatch, watchPage } from "../../support/page-watch.js";
import { pageOf, shopFolder } from "./pages.js";
import { choose, click, colourScheme, isInView, isVisible, shown, text, typeText } from "./reader.js";

let page: Page;
let watch: PageWatch;

beforeAll(async () => {
  if (chromium === undefined) return;
  page = await Page.open(1024);
  watch = await watchPage(page, (url) => url.startsWith("file:"));
});

const referencePage = (): Promise<string> => pageOf(".", ["docs", "2026-07-28"]);
const shopPage = (): Promise<string> => pageOf(shopFolder(), ["docs", "mcp.contract.json"]);

beforeEach(async () => {
  await page?.resize(1024);
  watch?.faults.splice(0);
});

afterAll(() => page?.close());

/** A folder with code that finds our packages. */
function codeThatUses(source: string): string {
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2022"], types: [], strict: true },
    ...{ module: "NodeNext", moduleResolution: "NodeNext", customConditions: ["mcpgen-source"] },
  };
  const folder = temporaryFolder({
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "package.json": '{"type":"module"}',
    "main.ts": source,
  });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");

browserTest("search shows the parts with every word, and can be reset", async () => {
  await page.load(await referencePage());
  const all = await shown(page);
  await click(page, "#search");
  await typeText(page, "tool call");
  const found = await shown(page);
  expect(found).toContain("method-tools/call");
  expect(found.length).toBeLessThan(all.length / 3);
  expect(await text(page, "#status")).toBe(`${found.length} found`);
  const items = await page.evaluate<number>(
    `[...document.querySelectorAll(".contents ul ul a")].filter((item) => item.checkVisibility()).length`,
  );
  expect(items).toBe(found.length);
  await typeText(page, " nowhere");
  expect(await shown(page)).toEqual([]);
  expect(await isVisible(page, "#none")).toBe(true);
  await click(page, "#reset");
  expect(await shown(page)).toEqual(all);
  expect(await isVisible(page, "#none")).toBe(false);
  expect(watch.faults).toEqual([]);
});

browserTest("the keyboard suffices for search, the best match, its address and the reset", async () => {
  await page.load(await referencePage());
  await page.press("Tab");
  expect(await focused()).toBe("Skip to the content");
  await page.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("content");
  await page.type("/");
  expect(await page.evaluate("document.activeElement.id")).toBe("search");
  await typeText(page, "tools/call");
  await page.press("Enter");
  expect(await focused()).toBe("tools/call");
  expect(await isInView(page, '[id="method-tools/call"] h3')).toBe(true);
  await page.press("Enter");
  expect(await page.evaluate("location.hash")).toBe("#method-tools/call");
  await page.type("/");
  await page.press("Escape");
  expect(await page.evaluate("document.querySelector('#search').value")).toBe("");
  // A part opens and closes with the keyboard.
  await page.evaluate(`document.querySelector('[id="method-tools/call"] .part summary').focus()`);
  const isOpen = `document.querySelector('[id="method-tools/call"] .part').open`;
  expect(await page.evaluate(isOpen)).toBe(true);
  await page.press("Space");
  expect(await page.evaluate(isOpen)).toBe(false);
  await page.press("Enter");
  expect(await page.evaluate(isOpen)).toBe(true);
  expect(watch.faults).toEqual([]);
});

browserTest("an address opens its target, even while a search hides it", async () => {
  await page.load(`${await referencePage()}#type-Tool`);
  expect(await isVisible(page, "#type-Tool .members")).toBe(true);
  await expect.poll(() => isInView(page, "#type-Tool h3")).toBe(true);
  await click(page, "#search");
  await typeText(page, "prompts/get");
  expect(await shown(page)).not.toContain("type-Tool");
  await page.evaluate('location.hash = "#type-ToolAnnotations"');
  await expect.poll(() => isVisible(page, "#type-ToolAnnotations .members")).toBe(true);
  // The contents follow the reader.
  await page.evaluate(
    `document.querySelector('[id="method-tools/list"]').scrollIntoView({ behavior: "instant" })`,
  );
  await expect
    .poll(() => page.evaluate("document.querySelector('.contents [aria-current]')?.textContent"))
    .toBe("tools/list");
  expect(watch.faults).toEqual([]);
});

browserTest("everything expands and collapses", async () => {
  await page.load(await referencePage());
  const open = (): Promise<number> =>
    page.evaluate("document.querySelectorAll('#content details:not([open])').length");
  await click(page, "#expand");
  expect(await open()).toBe(0);
  expect(await page.evaluate("document.querySelector('#expand').getAttribute('aria-pressed')")).toBe("true");
  await click(page, "#expand");
  expect(await page.evaluate("document.querySelectorAll('#content details[open]').length")).toBe(0);
});

browserTest("code is copied", async () => {
  await page.load(await shopPage());
  await page.send("Browser.grantPermissions", {
    permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"],
  });
  await click(page, "#tool-order .sample[open] button");
  await expect.poll(() => text(page, "#status")).toBe("Copied");
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(copied).toMatch(/^import \{ connect \}[^]*client\.callTool\("order", \{\n {2}"count": \d+\n\}\)/);
});

browserTest("the theme follows the system until the button chooses, and stays chosen", async () => {
  const shop = await shopPage();
  const light = "rgb(255, 255, 255)";
  for (const [system, isLight] of [
    ["light", true],
    ["dark", false],
  ] as const) {
    await page.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: system }],
    });
    await page.load(shop);
    expect((await colourScheme(page)) === light).toBe(isLight);
  }
  await click(page, "#theme");
  expect(await colourScheme(page)).toBe(light);
  await page.load(shop);
  expect(await colourScheme(page)).toBe(light);
  await page.evaluate("localStorage.clear()");
  await page.send("Emulation.setEmulatedMedia", { features: [] });
});

browserTest("a report filters by role, level, method and uses in code", async () => {
  const source =
    'import type { Tool } from "@mcpgen/protocol/2025-11-25/types";\nexport const type = (tool: Tool) => tool.execution;\n';
  const code = codeThatUses(source);
  await page.load(
    await pageOf(".", ["diff", "2025-11-25", "2026-07-28", "--uses", code, "--format", "html"]),
  );
  const all = (await shown(page)).length;
  const fits = async (filter: string, value: string): Promise<void> => {
    const found = await shown(page);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all);
    const others = await page.evaluate<string[]>(
      `${JSON.stringify(found)}.filter((id) => !document.getElementById(id).dataset.${filter}.split(" ").includes(${JSON.stringify(value)}))`,
    );
    expect(others).toEqual([]);
  };
  const method = await page.evaluate<string>(
    `[...document.querySelector('[data-filter="method"]').options].find(({ text }) => text === "tools/call").value`,
  );
  for (const [filter, value] of [
    ["role", "server"],
    ["level", "dangerous"],
    ["method", method],
  ] as const) {
    await choose(page, filter, value);
    await fits(filter, value);
    await choose(page, filter, "");
  }
  await choose(page, "used", "yes");
  await fits("used", "yes");
  expect(
    await page.evaluate(`document.querySelectorAll("#content section:not([hidden])").length`),
  ).toBeGreaterThan(0);
  // Filters and words add up.
  await choose(page, "level", "safe");
  await click(page, "#search");
  await typeText(page, "surely nowhere");
  expect(await text(page, "#status")).toBe("Nothing found");
  await page.press("Escape");
  expect((await shown(page)).length).toBe(all);
  expect(watch.faults).toEqual([]);
});

browserTest("printing omits the controls, and shows closed parts", async () => {
  await page.load(await referencePage());
  expect(await isVisible(page, "#type-Tool .members")).toBe(false);
  await page.send("Emulation.setEmulatedMedia", { media: "print" });
  expect(await isVisible(page, "#type-Tool .members")).toBe(true);
  expect(await isVisible(page, "#search")).toBe(false);
  expect(await isVisible(page, ".contents")).toBe(false);
  await page.send("Emulation.setEmulatedMedia", { media: "" });
});

browserTest("the pages are complete without scripts, at a width of 320 pixels", async () => {
  await page.resize(320);
  await page.send("Emulation.setScriptExecutionDisabled", { value: true });
  for (const [url, heading] of [
    [await referencePage(), "Requests of clients 10"],
    [await pageOf(".", ["diff", "2025-11-25", "2026-07-28", "--format", "html"]), "Breaks clients 30"],
    [await shopPage(), "Tools 3"],
  ] as const) {
    await page.go(url);
    await page.at(url);
    const headings = async (): Promise<string[]> =>
      (await page.roles()).filter(({ role }) => role === "heading").map(({ name }) => name);
    await expect.poll(headings).toContain(heading);
    const roles = await page.roles();
    // Controls that need the program are missing.
    expect(
      roles.filter(({ role }) => role === "searchbox" || role === "combobox" || role === "button"),
    ).toEqual([]);
    expect(await page.contentWidth()).toBe(320);
  }
  await page.send("Emulation.setScriptExecutionDisabled", { value: false });
});
