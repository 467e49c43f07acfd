import { existsSync, readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { bundled, clientOf } from "./program.js";

test("says what it is told", async () => {
  const client = await clientOf(await bundled("examples/echo/main.ts"));
  expect((await client.callTool("echo", { message: "ä\n\u2028" })).content).toEqual([
    { type: "text", text: "ä\n\u2028" },
  ]);
});

test("the first import of every example on stdio is the guard of standard output", () => {
  const mains = readdirSync("examples")
    .map((name) => `examples/${name}/main.ts`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .filter((text) => text.includes("serveStdio("));
  expect(mains.length).toBeGreaterThanOrEqual(4);
  for (const text of mains)
    expect(/^import .*$/m.exec(text)![0]).toBe('import "@mcpgen/runtime/stdio-guard";');
});
