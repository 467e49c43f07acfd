import { expect } from "vitest";
import type { Page } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { violations } from "../../support/accessibility.js";
import { builtCli } from "../../support/built-program.js";
import { initialized, scripted } from "../../support/live-server.js";
import { hostile, hostileContract, markdownAttacks } from "../../support/hostile-contract.js";
import { type PageWatch, watchPage } from "../../support/page-watch.js";
import { fill, press, shows, text } from "../../support/page-gestures.js";
import { type Opened, opened, unfold } from "./driver.js";

const cli = builtCli();
const long = "x".repeat(1_000_000);
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const scripts = ["javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,<script>alert(1)</script>"];

/** Blocks of content that attack, each of another kind. */
const blocks = [
  ...hostile.map((attack) => ({ type: "text", text: attack })),
  { type: "text", text: long },
  ...scripts.map((uri) => ({ type: "resource_link", uri, name: hostile[0], description: hostile[1] })),
  { type: "resource_link", uri: "https://elsewhere.example/\u202e", name: hostile[7] },
  ...hostile.map((attack) => ({
    type: "resource",
    resource: { uri: attack, mimeType: attack, text: attack },
  })),
  {
    type: "image",
    mimeType: "image/svg+xml",
    data: Buffer.from("<svg onload='alert(1)'/>").toString("base64"),
  },
  { type: "image", mimeType: "image/png", data: `${pixel}"><script>alert(1)</script>` },
  { type: "image", mimeType: `image/png"><script>alert(1)</script>`, data: pixel },
  // An image with 8 MB behind its end, and one that is not base64.
  { type: "image", mimeType: "image/png", data: pixel.replaceAll("=", "A") + "A".repeat(8_000_000) },
  { type: "image", mimeType: "image/png", data: `${pixel}AAAA` },
  { type: "audio", mimeType: "audio/wav", data: "A".repeat(1_000_000) },
  { type: hostile[0], [hostile[0]!]: hostile[1] },
];

/** `mcpgen dev` with a server that attacks, in a browser that is watched. */
async function attacked(
  tools: readonly object[],
  answers: object = {},
  own: {
    readonly capabilities?: object;
    readonly protocolVersion?: string;
    readonly instructions?: string;
  } = {},
): Promise<Opened & { readonly faults: readonly string[] }> {
  const { resources, prompts } = hostileContract();
  const server = scripted({
    initialize: initialized(
      { tools: {}, resources: {}, prompts: {}, logging: {}, ...own.capabilities },
      {
        ...(own.protocolVersion !== undefined && { protocolVersion: own.protocolVersion }),
        serverInfo: { name: hostile[0], title: hostile[1], version: hostile[2] },
        instructions: own.instructions ?? hostile.join("\n") + long,
      },
    ),
    "logging/setLevel": {},
    "tools/list": { tools },
    "resources/list": { resources },
    "resources/templates/list": { resourceTemplates: [{ name: hostile[0], uriTemplate: "x://{a}" }] },
    "prompts/list": { prompts },
    ...answers,
  });
  let watch!: PageWatch;
  const known = /^(?:http:\/\/127\.0\.0\.1:\d+\/|data:(?:image|audio)\/)/;
  const prepare = async (page: Page): Promise<void> => {
    watch = await watchPage(page, (url) => known.test(url));
  };
  const done = await opened(cli, ["--server", server.replace("stdio:", "")], { prepare });
  return { ...done, faults: watch.faults };
}

/** Expects that the page fits the window, and that no element comes from a text of the server. */
async function isWhole(page: Page): Promise<void> {
  for (const width of [320, 1280]) {
    await page.resize(width);
    expect(await page.contentWidth()).toBe(width);
  }
  const foreign =
    "document.querySelectorAll('.dev :is(script, iframe, style, b, object, svg), [onerror]').length";
  expect(await page.evaluate(foreign)).toBe(0);
  const protocols = await page.evaluate<string[]>(
    "[...new Set([...document.querySelectorAll('a')].map(({ protocol }) => protocol))]",
  );
  expect(protocols.filter((protocol) => protocol !== "http:" && protocol !== "https:")).toEqual([]);
}

browserTest("hostile lists, results and contents do not run in the page of dev", async () => {
  const tools = (hostileContract().tools ?? []).map((tool) => ({ ...tool, outputSchema: undefined }));
  const { page, faults } = await attacked([...tools, { ...tools[0], name: "attack" }], {
    "tools/call": { content: blocks, structuredContent: { [hostile[0]!]: hostile } },
    "resources/read": { contents: hostile.map((uri) => ({ uri, text: uri, mimeType: uri })) },
    "prompts/get": { messages: hostile.map((role) => ({ role, content: { type: "text", text: role } })) },
  });
  for (const name of await page.evaluate<string[]>(
    "[...document.querySelectorAll('#offer li button')].map(({ textContent }) => textContent)",
  )) {
    await press(page, name, "#offer");
    await expect.poll(() => text(page, "#target-name")).not.toBe("");
  }
  await press(page, "attack", "#offer");
  await press(page, "Call", "#target");
  await expect
    .poll(() => page.evaluate("document.querySelectorAll('#calls .result img').length"))
    .toBeGreaterThan(0);
  await press(page, "Show more", "#calls");
  await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
  await isWhole(page);
  for (const list of ["resources", "prompts"]) {
    await page.evaluate(`document.querySelector('[data-list="${list}"] li button').click()`);
    await page.evaluate(`document.querySelector('#target form').requestSubmit()`);
  }
  await expect.poll(() => page.evaluate("document.querySelectorAll('#calls > *').length")).toBeGreaterThan(1);
  await isWhole(page);
  expect(faults).toEqual([]);
});

browserTest("a hostile task, and lists that cannot be read, do not run in the page of dev", async () => {
  const at = new Date().toISOString();
  const state = (status: string): object => ({
    taskId: `${hostile[0]}${hostile[1]}`,
    status,
    statusMessage: `${hostile.join("\n")}${long}`,
    createdAt: at,
    lastUpdatedAt: at,
    ttl: 60_000,
    pollInterval: 1,
  });
  const tool = {
    name: "attack",
    inputSchema: { type: "object" },
    execution: { taskSupport: "required" },
  };
  const { page, faults } = await attacked(
    [tool],
    {
      "tools/call": { task: state("working") },
      "tasks/get": state("completed"),
      "tasks/result": { content: blocks },
    },
    {
      protocolVersion: "2025-11-25",
      capabilities: { tasks: { requests: { tools: { call: {} } } } },
    },
  );
  await press(page, "attack", "#offer");
  await press(page, "Call", "#target");
  await unfold(page, "#wire-count");
  await shows(page, "#wire", "tasks/result");
  await expect
    .poll(() => page.evaluate("document.querySelectorAll('#calls .result img').length"))
    .toBeGreaterThan(0);
  await isWhole(page);
  expect(faults).toEqual([]);

  const { page: other, faults: more } = await attacked([], {
    "tools/list": { tools: `${hostile.join("\n")}${long}` },
  });
  await shows(other, "#offer-notes", "tools: tools/list: the server's result is invalid");
  await isWhole(other);
  expect(more).toEqual([]);
});

browserTest(
  "Markdown of the server becomes elements, which neither run nor load nor hide anything",
  async () => {
    const fields = markdownAttacks.map((description, index) => [
      `field_${index}`,
      { type: "string", description },
    ]);
    const inputSchema = { type: "object", properties: Object.fromEntries(fields) as object };
    const { page, faults } = await attacked(
      [{ name: "attack", description: "Orders with `order`.", inputSchema }],
      {},
      { instructions: "# Rules\n\nLook **first**: [manual](https://shop.example/manual)" },
    );
    await shows(page, "#target .prose code", "order");
    await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
    await shows(page, "#instructions .prose strong", "first");
    const link = "#instructions a[target=_blank][rel='noopener noreferrer']";
    expect(await page.evaluate(`document.querySelector("${link}").href`)).toBe("https://shop.example/manual");
    await expect
      .poll(() => page.evaluate("document.querySelectorAll('.field .prose').length"))
      .toBeGreaterThan(2);
    await isWhole(page);
    expect(await page.evaluate("document.querySelectorAll('.prose :is(img, details, h1, h2)').length")).toBe(
      0,
    );
    // Each link shows where it leads.
    expect(
      await page.evaluate<string[]>(`[...document.querySelectorAll(".prose a")]
      .filter((link) => ![link, link.nextElementSibling].some((each) => each?.textContent.includes(link.href.replace(/\\/$/, ""))))
      .map(({ outerHTML }) => outerHTML)`),
    ).toEqual([]);
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
);

browserTest("10,000 tools and texts of 1 MB leave the page of dev usable", async () => {
  const inputSchema = { type: "object", properties: { count: { type: "integer" } } };
  const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `tool_${index}`, inputSchema }));
  const large = {
    type: "object",
    description: long,
    properties: { [long]: { description: long, const: long } },
  };
  const { page, faults } = await attacked(
    [...many, { name: `large${long}`, description: long, inputSchema: large }],
    { "tools/call": { content: [{ type: "text", text: "done" }] } },
  );
  await shows(page, '[data-list="tools"] h2', "10,001");
  await fill(page, "Search what", "tool_9999", "#offer");
  await shows(page, "#offer [role=status]", "1 found");
  await press(page, "tool_9999", "#offer");
  await fill(page, "count", "1");
  await press(page, "Call", "#target");
  await shows(page, "#calls", "done");
  await fill(page, "Search what", "large", "#offer");
  await press(page, "large", "#offer");
  await shows(page, "#target-name", "largexxx");
  await isWhole(page);
  expect(faults).toEqual([]);
});
