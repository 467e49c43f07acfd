import { expect, test } from "vitest";
import { readingHtml } from "../../generator/page/reading-html.js";
import { readingMarkdown } from "../../generator/page/reading-markdown.js";
import { offerReading } from "../../generator/page/offer/reading.js";
import { usualProfiles } from "../../generator/lint/rule.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { hostileContract } from "../support/hostile-contract.js";
import { deadAnchors, policyFaults } from "./page-faults.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { newServer, serve } from "../support/live-server.js";

const sources = {
  name: "shop.yaml",
  hostName: "shop",
  start: { kind: "unknown" },
  profiles: usualProfiles,
} as const;
const object = {
  type: "object",
  properties: { count: { type: "integer", minimum: 1 } },
  required: ["count"],
};

test("the page of a contract shows arguments, cost, findings and code beside each tool", async () => {
  const contract = {
    name: "shop",
    version: "1.0.0",
    tools: [{ name: "order", description: "Orders.", inputSchema: object, outputSchema: object }],
    prompts: [{ name: "review", arguments: [{ name: "code", required: true }] }],
    resources: [{ name: "list", uri: "shop://list" }],
  };
  const folder = temporaryFolder({ "mcp.contract.json": JSON.stringify(contract) });
  const { stdout: page } = await mcpgen(folder, ["docs", "mcp.contract.json"]);
  expect(page).toMatch(
    /id="tool-order"[^]*about \d+ tokens[^]*≥ 1[^]*client\.callTool\(&quot;order&quot;, \{\n/,
  );
  expect(page).toContain("client.getPrompt(&quot;review&quot;");
  expect(page).toContain("client.readResource(&quot;shop://list&quot;)");
  expect(deadAnchors(page)).toEqual([]);
  expect(policyFaults(page)).toEqual([]);
});

test("the page of a live server shows its current tools, resources and prompts", async () => {
  const server = newServer();
  server.tool("forecast", { description: "Weather of tomorrow." }, () => "sun");
  const { stdout } = await mcpgen(temporaryFolder(), ["docs", await serve(server)]);
  expect(stdout).toMatch(/id="tool-forecast"[^]*Weather of tomorrow\./);
});

test("the page of an extension shows its methods and additions", async () => {
  const { stdout } = await mcpgen(".", ["docs", "io.modelcontextprotocol/tasks"]);
  expect(stdout).toMatch(/<dt>Declared by the server<\/dt>[^]*id="method-tasks\/get"/);
  expect(deadAnchors(stdout)).toEqual([]);
  expect(policyFaults(stdout)).toEqual([]);
});

test("texts of servers become neither markup nor links, and cannot hide other text", () => {
  const page = readingHtml(offerReading(hostileContract(), sources), loadTemplates());
  expect(policyFaults(page)).toEqual([]);
  expect(deadAnchors(page)).toEqual([]);
  expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\0\ud800]/);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page.match(/<(?:img|b)\b/g)).toBeNull();
  expect(page).toContain("\\u202e");
  const markdown = readingMarkdown(offerReading(hostileContract(), sources), loadTemplates());
  const outside = markdown.replace(/^(`{3,})[^]*?^\1$/gm, "").replace(/(`+)[^`][^]*?\1/g, "");
  expect(outside).not.toMatch(/<(?:script|img|b)\b|(?<!\\)\]\(javascript/);
});

test("a text of 1 MB is cut, and 10,000 tools make one page", () => {
  const long = "x".repeat(1_000_000);
  const one = {
    name: "big",
    version: "1",
    tools: [
      {
        name: long,
        description: long,
        inputSchema: { type: "object", properties: { [long]: { const: long } } },
      },
    ],
  };
  const page = readingHtml(offerReading(one, sources), loadTemplates());
  expect(page.length).toBeLessThan(150_000);
  expect(page).toContain("994,000 more characters");
  const tools = Array.from({ length: 10_000 }, (_, index) => ({
    name: `tool_${index}`,
    inputSchema: { type: "object" },
  }));
  const many = readingHtml(offerReading({ name: "many", version: "1", tools }, sources), loadTemplates());
  expect(many.match(/<article class="entry"/g)).toHaveLength(10_000);
});
