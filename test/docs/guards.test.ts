import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createServer } from "@mcpgen/runtime/all";
import { createTestPair } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { documentsIn } from "./documents.js";

/** Conditions in the documents under which a handler does not ask, by document. */
const guards = ["docs", "docs/guides", "docs/tasks"]
  .flatMap(documentsIn)
  .flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/^\+? *if \((.*\belicitation\b.*)\) return /gm)].map(
      ([, condition]) => [document, condition!] as const,
    ),
  );

const form = (): object => ({ action: "decline" });
const clients = { none: undefined, form, "form and pages": { form, url: form }, pages: { url: form } };

test("documents show handlers that look whether the client shows forms", () => {
  expect(guards.map(([document]) => document)).toContain("docs/guides/ask-the-user.md");
});

test.each(guards)("%s: `if (%s)` holds where the runtime refuses a form", async (_, condition) => {
  const file = join(
    temporaryFolder({
      "guard.mjs": `export const holds = (clientCapabilities) => { const { elicitation } = clientCapabilities; return Boolean(${condition}); };`,
    }),
    "guard.mjs",
  );
  const { holds } = (await import(pathToFileURL(file).href)) as {
    holds: (capabilities: object) => boolean;
  };
  for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    for (const [name, elicit] of Object.entries(clients)) {
      // Earlier revisions know no pages.
      if (name === "pages" && revision < "2025-11-25") continue;
      const server = createServer({ name: "shop", version: "1" });
      let isGuarded: boolean | undefined;
      server.tool("ask", {}, async (_, { ask, clientCapabilities }) => {
        isGuarded = holds(clientCapabilities);
        return (
          await ask.elicit("name", { message: "?", requestedSchema: { type: "object", properties: {} } })
        ).action;
      });
      const { client, close } = await createTestPair({
        server,
        revision,
        ...(elicit && { elicit }),
      } as never);
      const outcome = await client.callTool("ask", {}).then(JSON.stringify, String);
      const isRefused = outcome.includes("has not declared");
      expect(isGuarded, `${revision}: ${name}`).toBe(isRefused);
      await close();
    }
});
