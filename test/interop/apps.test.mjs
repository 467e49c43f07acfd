// Views and hosts of apps in Chromium, ours and the official ones, in all pairings, with a server of ours.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { createServer } from "@mcpgen/runtime/all";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { hang as timeout } from "../support/until.mjs";

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
/** The official sides, and ours with the tables over each base. */
const sides = [
  { name: "official", program: "official" },
  ...["2025-06-18", "2025-11-25", "2026-07-28"].map((base) => ({
    ...{ name: `ours over ${base}`, program: `ours-${base}`, base },
  })),
];
const pairings = sides.flatMap((host) =>
  sides.filter((view) => !host.base || !view.base || host.base === view.base).map((view) => ({ host, view })),
);

/** The driver of the browser is TypeScript. */
async function driver() {
  const outfile = fileOf("../../node_modules/.cache/mcpgen-scripts/browser-page.mjs");
  const entryPoints = [fileOf("../support/browser-page.ts")];
  const options = { bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" };
  await build({ entryPoints, outfile, ...options });
  return import(pathToFileURL(outfile).href);
}

const { Page, noChromium } = await driver();
const forBrowsers = { bundle: true, minify: true, platform: "browser", write: false, logLevel: "error" };

/** A page with one program, which checks what it sends. */
async function pageOf(name) {
  const [, role, base] = /^(\w+)-ours-(.*)$/.exec(name) ?? [];
  const tables = (revision) => `@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/${revision}/${role}`;
  const { outputFiles } = await build({
    ...forBrowsers,
    entryPoints: [fileOf(`apps/${base ? `${role}-ours` : name}.mjs`)],
    ...(base && base !== "2025-11-25" && { alias: { [tables("2025-11-25")]: tables(base) } }),
    format: "iife",
    define: { process: '{"env":{"NODE_ENV":"development"}}' },
  });
  const code = outputFiles[0].text.replaceAll("</script", "<\\/script");
  return `<!doctype html><meta charset="utf-8"><title>${name}</title><body><script>${code}</script></body>`;
}

const ui = { resourceUri: "ui://add" };

function mcpServer() {
  const server = createServer({ name: "notes", version: "1.0.0" });
  const number = { type: "number" };
  const inputSchema = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
  let abort;
  const aborted = new Promise((resolve) => (abort = resolve));
  server.tool("add", { inputSchema, _meta: { ui } }, ({ a, b }) => `${a + b}`);
  server.tool("wait", {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    abort();
    return "late";
  });
  server.resource("data://notes", { name: "notes" }, () => "a note");
  return { server, aborted };
}

/** A server of pages and of MCP, on one port of this machine. */
async function served() {
  const { server, aborted } = mcpServer();
  const names = [...sides.flatMap(({ program }) => [`view-${program}`, `host-${program}`]), "stranger"];
  const pages = new Map(await Promise.all(names.map(async (name) => [`/${name}.html`, await pageOf(name)])));
  const handle = createNodeHandler(server);
  const http = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url, "http://127.0.0.1");
    if (pathname === "/mcp") return void handle(request, response);
    const text = pages.get(pathname);
    response.writeHead(text ? 200 : 404, { "content-type": "text/html" }).end(text);
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    await server.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return { origin: `http://127.0.0.1:${http.address().port}`, aborted, close };
}

describe("apps in Chromium", { skip: noChromium }, () => {
  let page;
  let site;

  before(async () => {
    site = await served();
    page = await Page.open(1000);
  });

  after(async () => {
    await page?.close();
    await site?.close();
  });

  for (const { host, view } of pairings)
    test(`View: ${view.name}, host: ${host.name}`, { timeout }, async () => {
      const [viewIsOurs, hostIsOurs] = [view.base !== undefined, host.base !== undefined];
      await page.load(`${site.origin}/host-${host.program}.html`);
      const report = await page.evaluate(`scenario("/mcp", "view-${view.program}.html", ${viewIsOurs})`);
      judge(report, viewIsOurs, hostIsOurs);
      if (hostIsOurs) await site.aborted;
    });
});

/** Compares what both sides saw. The official sides drop members that they do not know. */
function judge(
  { rounds, heard, reports, uncaught, errors, tools, used, pinged, torn, polluted },
  viewIsOurs,
  hostIsOurs,
) {
  assert.deepEqual(tools, [{ name: "select", inputSchema: { type: "object" } }]);
  assert.deepEqual(used, { content: [{ type: "text", text: "select" }] });
  assert.ok(rounds > 1, "the stranger went on");
  const extra = (value) => (viewIsOurs ? { ...value, extra: value.extra } : without(value));
  assert.deepEqual(
    { uncaught, pinged, torn, polluted },
    { uncaught: [], pinged: {}, torn: {}, polluted: undefined },
  );
  assert.deepEqual(heard, [
    ["initialize", "View"],
    ["initialized", null],
    ["link", { url: "https://a.example/" }],
    ["message", { role: "user", content: [{ type: "text", text: "hello" }] }],
    ["context", { content: [{ type: "text", text: "state" }], structuredContent: { a: { b: [1] } } }],
    ["mode", { mode: "fullscreen" }],
    ["download", { contents: [{ type: "resource", resource: { uri: "file:///a.txt", text: "a" } }] }],
    ["size", { width: 320, height: 200 }],
    ["log", { level: "info", logger: "view", data: { a: 1 } }],
    ["leave", heard.at(-1)[1]],
  ]);
  const [report, ...others] = reports;
  assert.deepEqual(others, [{ torn: true }]);
  const { opened, answers } = report;
  assert.deepEqual(opened.hostInfo.name, "Host");
  assert.deepEqual(opened.hostContext.extra, { deep: [1] });
  assert.deepEqual(opened.hostCapabilities.extra, viewIsOurs ? { deep: [1] } : undefined);
  const noticed = report.heard.map(([name, params]) =>
    name === "result" ? [name, params.content] : [name, params],
  );
  assert.deepEqual(noticed, [
    ["partial", extra({ arguments: { a: 1 }, extra: 1 })],
    ["input", extra({ arguments: { a: 1, b: 2 }, extra: 1 })],
    ["result", [{ type: "text", text: "3" }]],
    ["context", { theme: "light", extra: [2] }],
    ["cancelled", extra({ reason: "enough", extra: 1 })],
  ]);
  assert.deepEqual(report.heard[2][1].extra, { deep: [1] });
  judgeAnswers(answers, hostIsOurs);
  // The host reported the View's messages that are not of the channel, and continued.
  const wrong = [
    [null, "message-too-long"],
    ["ui/notifications/size-changed", "invalid-params"],
  ];
  assert.deepEqual(errors, hostIsOurs ? [...wrong, ...wrong] : []);
}

function judgeAnswers(answers, hostIsOurs) {
  const { tool, wrongTool, resource, resources, refusedLink, sample, templates, ...rest } = answers;
  assert.deepEqual(sample.value.content, { type: "text", text: "hello" });
  assert.deepEqual(templates.value.resourceTemplates, []);
  assert.deepEqual(tool.value.content, [{ type: "text", text: "5" }]);
  assert.match(wrongTool.failed, /there is no tool "none"/);
  assert.equal(wrongTool.code, -32602);
  assert.deepEqual(resource.value.contents, [{ uri: "data://notes", text: "a note" }]);
  assert.deepEqual(resources.value.resources, [{ name: "notes", uri: "data://notes" }]);
  assert.match(refusedLink.failed, /refused$/);
  assert.equal(refusedLink.code, hostIsOurs ? -32000 : -32603);
  const empty = { value: {} };
  assert.deepEqual(rest, {
    ...{ link: empty, message: empty, download: empty, context: empty, ping: empty, stopped: true },
    mode: { value: { mode: "fullscreen" } },
  });
}

function without(value) {
  const known = Object.entries(value).filter(([name]) => name !== "extra");
  return Object.fromEntries(known);
}

/** Bundles for browsers, whose sizes docs/apps.md says: with ours, and with the official ones. */
const programs = {
  "View: `openPeer`": `
    import { viewTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
    import { openPeer, postMessageChannel } from "@mcpgen/apps";
    console.log(openPeer, postMessageChannel, viewTable);`,
  "host: `openPeer`": `
    import { hostTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
    import { openPeer, postMessageChannel } from "@mcpgen/apps";
    console.log(openPeer, postMessageChannel, hostTable);`,
  "View: the official `App`": `
    import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";
    console.log(App, PostMessageTransport);`,
  "host: the official `AppBridge`": `
    import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
    console.log(AppBridge, PostMessageTransport);`,
};

test("docs/apps.md says how large the bundles are", { timeout }, async () => {
  const document = readFileSync(fileOf("../../docs/apps.md"), "utf8");
  const [ours, official] = /has (\d+) KiB with `openPeer`, and (\d+) KiB/.exec(document).slice(1).map(Number);
  for (const [name, contents] of Object.entries(programs)) {
    const { outputFiles } = await build({
      ...forBrowsers,
      ...{ stdin: { contents, resolveDir: fileOf(".") }, format: "esm", legalComments: "none" },
      define: { "process.env.NODE_ENV": '"production"' },
    });
    const size = gzipSync(outputFiles[0].contents, { level: 9 }).length / 1024;
    const said = name.endsWith("`openPeer`") ? ours : official;
    console.log(`${name}: ${size.toFixed(1)} KiB`);
    assert.ok(Math.abs(size - said) < 1, `${name}: ${size} KiB`);
  }
});
