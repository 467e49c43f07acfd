import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { buildSite } from "../../scripts/site/build-site.js";
import { writeSite } from "../../scripts/site/write-site.js";
import { Page } from "../support/browser-page.js";
import { browserTest } from "../support/browser-test.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A folder for screenshots, if they are wanted. */
const shots = process.env["MCPGEN_SCREENSHOTS"];
let built: ReturnType<typeof buildSite> | undefined;

/** The address of the site in local files. */
async function site(): Promise<string> {
  built ??= buildSite(".");
  const folder = join(temporaryFolder(), "site");
  writeSite(folder, await built);
  return `${pathToFileURL(folder).href}/`;
}

async function opened(width: number): Promise<Page> {
  const page = await Page.open(width);
  onTestFinished(() => page.close());
  await page.send("Page.addScriptToEvaluateOnNewDocument", {
    source:
      "window.refused = []; addEventListener('securitypolicyviolation', (event) => refused.push(event.violatedDirective))",
  });
  return page;
}

async function prefer(page: Page, theme: string): Promise<void> {
  await page.send("Emulation.setEmulatedMedia", {
    features: [
      { name: "prefers-color-scheme", value: theme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ],
  });
}

/** The findings of axe-core: rules and elements. */
async function violations(page: Page): Promise<string[]> {
  await page.send("Runtime.evaluate", { expression: axe });
  const json = await page.evaluate<string>(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(" | "))))`,
  );
  return JSON.parse(json) as string[];
}

/** A page of each kind, and those with the widest tables. */
const seen = [
  "index.html",
  "docs/what-changed-2026-07-28.html",
  "docs/tasks/deploy.html",
  "search.html?q=notifications/message",
  "reference/io.modelcontextprotocol-skills-2026-09-13.html",
  "changes/index.html",
  "changes/2024-11-05-to-2025-03-26.html",
];

/** The theme that axe-core judges at a width: it takes seconds for a large page. */
const judged = { 320: "light", 1024: "dark", 1920: "light" } as const;

for (const width of [320, 1024, 1920] as const)
  browserTest(
    `at ${width} px, pages in light and dark fit, violate no rule of axe-core, and their policy refuses nothing`,
    async () => {
      const base = await site();
      const page = await opened(width);
      const faults: string[] = [];
      for (const theme of ["light", "dark"]) {
        await prefer(page, theme);
        for (const name of seen) {
          await page.load(base + name);
          const found = theme === judged[width] ? await violations(page) : [];
          const refused = await page.evaluate<string[]>("refused");
          if ((await page.contentWidth()) > width) found.push("it is wider than the window");
          faults.push(...[...found, ...refused].map((fault) => `${name}, ${theme}: ${fault}`));
          if (shots !== undefined) await shoot(page, `${name.replace(/\W+/g, "-")}-${width}-${theme}`);
        }
      }
      expect(faults).toEqual([]);
    },
  );

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(shots!, { recursive: true });
  writeFileSync(join(shots!, `${name}.png`), await page.screenshot());
}

browserTest("the key / starts a search on any page, which shows results and opens one", async () => {
  const base = await site();
  const page = await opened(1024);
  await page.load(`${base}docs/tasks/deploy.html`);
  await page.type("/");
  expect(await page.evaluate("document.activeElement.id")).toBe("search");
  for (const letter of "mg3001") await page.type(letter);
  await page.press("Enter");
  await page.at(`${base}search.html?q=mg3001`);
  await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
  const first = await page.evaluate<{ href: string; text: string }>(
    "(({ href, textContent }) => ({ href, text: textContent }))(document.querySelector('#results a'))",
  );
  expect(first.href).toBe(`${base}docs/errors.html#mg3001`);
  expect(await page.evaluate("document.querySelector('#status').textContent")).toMatch(/^\d+ found/);
  await page.press("Enter");
  await page.press("Enter");
  await page.at(`${base}docs/errors.html#mg3001`);
});

browserTest("the chosen theme is kept on the next page", async () => {
  const base = await site();
  const page = await opened(1024);
  await prefer(page, "light");
  await page.load(`${base}docs/http.html`);
  await page.evaluate("document.querySelector('#theme').click()");
  await page.load(`${base}reference/2024-11-05.html`);
  expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
});

browserTest("without script, every page is read and reached", async () => {
  const base = await site();
  const page = await opened(320);
  await page.send("Emulation.setScriptExecutionDisabled", { value: true });
  await page.go(`${base}search.html`);
  await page.at(`${base}search.html`);
  const named = ["Streamable HTTP", "2026-07-28", "What changed in 2026-07-28, for whom", "Deploy a server"];
  // Without script, nothing says when the page is read to its end.
  await until("the links of the page", async () => {
    const links = new Set((await page.roles()).filter(({ role }) => role === "link").map(({ name }) => name));
    return named.every((name) => links.has(name));
  });
  await page.go(`${base}docs/http.html`);
  await page.at(`${base}docs/http.html`);
  await until("the foot of the page", async () =>
    (await page.roles()).some(({ role }) => role === "contentinfo"),
  );
  const roles = await page.roles();
  expect(roles.filter(({ role }) => role === "searchbox" || role === "button")).toEqual([]);
  for (const role of ["banner", "main", "contentinfo", "navigation"])
    expect(
      roles.some((node) => node.role === role),
      role,
    ).toBe(true);
});

browserTest("the first key leads past the head of a page", async () => {
  const base = await site();
  const page = await opened(1024);
  await page.load(`${base}docs/http.html`);
  await page.press("Tab");
  expect(await page.evaluate("document.activeElement.className")).toBe("skip");
  await page.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("content");
});
