import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Page } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { builtCli, builtProgram } from "../../support/built-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { violations } from "../../support/accessibility.js";
import { fill, press, shows, text } from "../../support/page-gestures.js";
import { call, choose, opened, prefer, program, shoot, unfold } from "./driver.js";

const cli = builtCli();
const everything = builtProgram("examples/everything-server/main.ts");
const shop = builtProgram("test/dev/page/shop.ts");

/** The findings of axe in both themes, on a small and a large screen. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const [theme, width] of [
    ["light", 320],
    ["dark", 1280],
  ] as const) {
    await prefer(page, theme);
    await page.resize(width);
    for (const fault of await violations(page)) faults.push(`${theme}, ${width}: ${fault}`);
    if ((await page.contentWidth()) > width) faults.push(`${theme}: wider than ${width}`);
  }
  return faults;
}

/** Whether the browser can show each image and play each sound. */
const media = `Promise.all([...document.querySelectorAll("#calls :is(img, audio)")].map((each) =>
  each.tagName === "IMG"
    ? each.decode().then(() => "drawn", () => "broken")
    : new Promise((resolve) => {
        if (each.readyState > 0) resolve("loaded");
        each.onloadedmetadata = () => resolve("loaded");
        each.onerror = () => resolve("broken");
      })))`;

browserTest(
  "sampling, roots and a form, asked at once, are answered; images and sounds are shown",
  async () => {
    const { page } = await opened(cli, program(everything, "--stdio"));
    await call(page, "test_input_required_result_multiple_inputs");
    for (const question of ["asks a model", "asks for the roots", "asks its user"])
      await shows(page, "#questions", question);
    expect(await faultsOf(page)).toEqual([]);
    await shoot(page, "dev-questions");
    const question = (kind: string): string => `[data-question="${kind}"]`;
    await fill(page, "The model's message", "Paris", question("sampling"));
    await press(page, "Answer", question("sampling"));
    await fill(page, "file:// URIs", "file:///home/ada\nfile:///srv", question("roots"));
    await press(page, "Answer", question("roots"));
    await fill(page, "name", "Ada", question("form"));
    await press(page, "Accept", question("form"));
    await shows(page, "#calls", "All answered; 2 roots.");
    expect(await text(page, "#question-status")).toBe("");

    await call(page, "test_input_required_result_sampling");
    await shows(page, "#questions", "asks a model");
    await press(page, "Reject", question("sampling"));
    await expect
      .poll(() => page.evaluate("document.querySelector('#calls > *').dataset.state"))
      .toBe("failed");

    for (const name of ["test_image_content", "test_audio_content"]) {
      await call(page, name);
      await expect.poll(() => text(page, "#calls > :first-child")).toMatch(new RegExp(`^${name}[^]*done`));
    }
    expect(await page.evaluate(media)).toEqual(["loaded", "drawn"]);
    await choose(page, "test_prompt_with_arguments");
    await press(page, "Get", "#target");
    await shows(page, "#target", "Not sent: 2 issues by the schema.");
    expect(await page.evaluate("document.querySelectorAll('#target [aria-invalid]').length")).toBe(2);
    await unfold(page, "#wire-count");
    expect(await faultsOf(page)).toEqual([]);
    await shoot(page, "dev-result");
  },
);

browserTest(
  "a call becomes a task: its state is shown, its question answered, another is cancelled",
  async () => {
    const { page } = await opened(cli, program(shop));
    await call(page, "bake");
    await shows(page, "#questions", "Which bread?");
    await shows(page, "#calls", "input_required");
    await press(page, "Decline", "#questions");
    await shows(page, "#calls", "baked: decline");
    await shows(page, "#calls", "completed");
    for (const [tool, question] of [
      ["bake", "Which bread?"],
      ["look", "asks for the roots"],
    ] as const) {
      await call(page, tool);
      await shows(page, "#questions", question);
      await press(page, "Cancel", "#calls");
      await shows(page, "#calls > :first-child", "cancelled");
      await expect.poll(() => text(page, "#questions")).toBe("");
    }
    await unfold(page, "#wire-count");
    await shows(page, "#wire", "tasks/cancel");
    expect(await text(page, "#wire-count")).toContain("0 invalid");
  },
);

/** A contract to which the server of the shop does not conform: the tool has one argument more. */
const contract = {
  name: "shop",
  version: "1.0.0",
  tools: [
    {
      name: "pay",
      description: "Has the user pay at a page.",
      inputSchema: { type: "object", properties: { sum: { type: "number" } } },
    },
  ],
};

const handlers = `import type { Handlers } from "./generated/shop/server.js";
export const handlers: Handlers = { tools: { pay: async () => "paid" } };
`;

browserTest(
  "badges name what lint finds and what drifts; a change restarts the server, a fault is shown; a page is accepted by its host",
  async () => {
    const folder = temporaryFolder({
      "mcp.contract.json": JSON.stringify(contract),
      "mcpgen.config.json": JSON.stringify({
        contracts: [{ file: "mcp.contract.json", role: "server", out: "generated/shop" }],
      }),
      "handlers.ts": handlers,
    });
    const { page } = await opened(cli, program(shop), { folder });
    await shows(page, "#offer", "differs from the contract");
    await shows(page, "#offer", "lint");
    await choose(page, "pay");
    await shows(page, "#target", "differs from the contract");
    await shows(page, "#offer-notes", "5 differences from the contract");
    expect(await faultsOf(page)).toEqual([]);
    await shoot(page, "dev-badges");
    const connections = (): Promise<number> =>
      page.evaluate(
        "[...document.querySelectorAll('#wire > li')].filter((each) => each.textContent.includes('tools/list')).length",
      );
    const before = await connections();
    appendFileSync(join(folder, "handlers.ts"), "// changed");
    await shows(page, "#cycle", "server restarted");
    await expect.poll(connections).toBeGreaterThan(before);
    // A fault in the contract is shown with its place, and the server keeps running.
    const file = join(folder, "mcp.contract.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"number"', '"nmber"'));
    await shows(page, "#cycle-errors", "1 error");
    await page.evaluate("document.querySelector('#cycle').closest('details').open = true");
    await shows(page, "#cycles", "mcp.contract.json:1:");
    expect(await faultsOf(page)).toEqual([]);
    await shoot(page, "dev-fault");
    await call(page, "pay");
    await shows(page, "#questions", "Its host is pay.example");
    expect(await page.evaluate("document.querySelector('#questions a').rel")).toBe("noopener noreferrer");
    await press(page, "Accept", "#questions");
    await shows(page, "#calls", "paid: accept");
  },
);
