// The places that `diff --uses` finds in published code with the official SDKs, checked by hand.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The places in a package that the changes from 2025-11-25 to 2026-07-28 affect, without its own tests. */
function usesIn(folder) {
  const path = fileURLToPath(new URL(`node_modules/${folder}`, import.meta.url));
  const args = ["dist/generator/cli.js", "diff", "2025-11-25", "2026-07-28", "--uses", path, "--json"];
  const text = execFileSync(process.execPath, [...args, "--fail-on", "never"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const { findings, code } = JSON.parse(text);
  const found = findings.flatMap(({ rule, subject, uses }) =>
    uses
      .filter(({ file }) => !file.includes(".test."))
      .map(({ file, line, name }) => {
        const about = subject.method ?? [subject.definition, subject.path].filter(Boolean).join(".");
        return `${rule} ${about}: ${file.slice(file.lastIndexOf("/") + 1)}:${line} ${name}`;
      }),
  );
  return { found: new Set(found), byName: code.byName };
}

test("a server of SDK 1: it recognises a first request by its guard, and registers the unchanged methods", () => {
  const { found, byName } = usesIn("@notionhq/notion-mcp-server/");
  assert.equal(byName, 0);
  assert.deepEqual(
    [...found],
    [
      "request-removed initialize: start-server.ts:129 isInitializeRequest",
      // The server uses the code of the removed error with another meaning.
      "error-removed RESOURCE_NOT_FOUND.code: start-server.ts:79 -32002",
      "definition-removed InitializeRequest: start-server.ts:129 isInitializeRequest",
    ],
  );
});

test("a proxy of SDK 2: it answers as a server, asks as a client, and hands capabilities on", () => {
  const { found, byName } = usesIn("mcp-proxy/src");
  assert.equal(byName, 0);
  for (const place of [
    "request-removed initialize: startHTTPServer.ts:1442 isInitializeRequest",
    "request-removed logging/setLevel: proxyServer.ts:201 logging/setLevel",
    "request-removed resources/subscribe: proxyServer.ts:241 resources/subscribe",
    "request-removed resources/subscribe: upstreamNotifications.ts:413 subscribeResource",
    "result-alternative-added prompts/get: proxyServer.ts:210 getPrompt",
    "result-alternative-added resources/read: proxyServer.ts:234 readResource",
    "result-alternative-added tools/call: proxyServer.ts:257 callTool",
    "deprecated-added LoggingLevel: proxyServer.ts:132 LoggingLevel",
    "deprecated-added ServerCapabilities.logging: proxyServer.ts:194 logging",
  ])
    assert.ok(found.has(place), place);
  // A client of the SDK adds params itself, and a handler is not affected by an alternative to its result.
  const wrong = [...found].filter((place) =>
    /^params-became-required|^result-alternative-added .*\.ts:\d+ \S*\//.test(place),
  );
  assert.deepEqual(wrong, []);
});
