import { afterAll, beforeAll, expect } from "vitest";
import { Page, chromium } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { newServer, serve } from "../../support/live-server.js";
import { violations } from "../../support/accessibility.js";
import { fileOf, pageOf, shopFolder } from "./pages.js";

let page: Page;

beforeAll(async () => {
  if (chromium !== undefined) page = await Page.open(1024);
});
afterAll(() => page?.close());

const pages: Readonly<Record<string, () => Promise<string>>> = {
  "a revision": () => pageOf(".", ["docs", "2026-07-28"]),
  "an extension": () => pageOf(".", ["docs", "io.modelcontextprotocol/tasks"]),
  "a contract": () => pageOf(shopFolder(), ["docs", "mcp.contract.json"]),
  "a live server": async () => {
    const server = newServer();
    server.tool("forecast", { description: "Weather of tomorrow." }, () => "sun");
    return pageOf(".", ["docs", await serve(server)]);
  },
  "two revisions": () => pageOf(".", ["diff", "2025-11-25", "2026-07-28", "--format", "html"]),
  "two contracts": () =>
    pageOf(shopFolder(), ["diff", "mcp.contract.json", "later.json", "--format", "html"]),
  "no differences": () => pageOf(".", ["diff", "2025-11-25", "2025-11-25", "--format", "html"]),
  "a server and its contract": async () => {
    const server = newServer("shop");
    server.tool("search", { description: "Finds." }, () => "tea");
    const contract = ["--contract", "mcp.contract.json"];
    return pageOf(shopFolder(), ["check", "--server", await serve(server), ...contract, "--format", "html"]);
  },
};

for (const [name, make] of Object.entries(pages)) {
  browserTest(
    `the page of ${name} violates no rule of axe, in both themes, on small and large screens`,
    async () => {
      const url = await make();
      // Either theme, and either layout: the rules take seconds for a large page.
      for (const [theme, width] of [
        ["light", 320],
        ["dark", 1024],
      ] as const) {
        await page.resize(width);
        await page.send("Emulation.setEmulatedMedia", {
          features: [{ name: "prefers-color-scheme", value: theme }],
        });
        await page.load(url);
        expect([theme, width, await violations(page)]).toEqual([theme, width, []]);
        expect(await page.contentWidth()).toBe(width);
      }
    },
  );
}

browserTest("axe finds faults where a page has them", async () => {
  await page.load(fileOf('<!doctype html><html><title>x</title><p style="color:#ccc">pale</p><img src="x">'));
  expect((await violations(page)).map((each) => each.split(" | ")[0])).toEqual(
    expect.arrayContaining(["color-contrast", "html-has-lang", "image-alt"]),
  );
});
