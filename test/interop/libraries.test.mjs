import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { z as z3 } from "zod-3.25";
import { z as z3v4 } from "zod-3.25/v4";
import { z as z40 } from "zod-4.0";
import { z as z41 } from "zod-4.1";
import { createServer } from "@mcpgen/runtime/all";
import { createTestPair } from "@mcpgen/testing";
import { clientRevisions } from "@mcpgen/protocol/client";

// zod 4.0, 4.1 and 3.25, and valibot without its package for JSON Schema: the compiler refuses schemas that cannot be
// sent.

const root = resolve(import.meta.dirname, "../..");

test("versions of libraries without JSON Schema are refused at compile time, but only if a schema is sent", () => {
  const words = [join(root, "node_modules/typescript/bin/tsc"), "-p", join(import.meta.dirname, "libraries")];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

// JavaScript has no compiler that refuses them.
for (const [name, form] of [
  ["zod 3.25", z3.object({ a: z3.string() })],
  ["zod/v4 of zod 3.25", z3v4.object({ a: z3v4.string() })],
  ["zod 4.0", z40.object({ a: z40.string() })],
  ["zod 4.1", z41.object({ a: z41.string() })],
  ["valibot without its package for JSON Schema", v.object({ a: v.string() })],
])
  test(`a schema of ${name} is refused at its use, with the next step`, async () => {
    const remedy = /has no JSON Schema\. (?:Use zod 4\.2 or newer|Wrap it by toStandardJsonSchema)/;
    const server = createServer({ name: "s", version: "1" });
    assert.throws(() => server.tool("a", { inputSchema: form }, () => ""), remedy);
    server.tool("b", {}, async (_, { ask }) => {
      await assert.rejects(ask.elicit("k", { message: "m", requestedSchema: form }), remedy);
      return "asked";
    });
    const elicit = () => assert.fail("it was sent");
    const { client, close } = await createTestPair({ server, revisions: clientRevisions, elicit });
    const { content } = await client.callTool("b");
    assert.deepEqual(content, [{ type: "text", text: "asked" }]);
    await close();
  });
