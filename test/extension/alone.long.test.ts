import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { addTickets, ticketsFolder, ticketsSchema } from "../support/tickets-extension.js";

test("an extension is added and generated without a schema folder", async () => {
  const folder = ticketsFolder();
  const added = await mcpgen(folder, addTickets);
  expect([added.code, added.stdout]).toEqual([
    0,
    expect.stringContaining("com.acme/tickets@1.0.0: added, released, over 2026-07-28\n"),
  ]);
  const generated = await mcpgen(folder, ["generate"]);
  expect([generated.code, generated.stdout]).toEqual([
    0,
    expect.stringContaining("extensions/com.acme/tickets: 13 created"),
  ]);
  expect(readdirSync(join(folder, "generated")).sort()).toEqual(["extensions", "manifest.json"]);
  const checked = await mcpgen(folder, ["check"], { env: { CI: "1" } });
  expect([checked.code, checked.stdout]).toEqual([
    0,
    expect.stringContaining("com.acme/tickets@1.0.0: schemas equal the lock, output is up to date"),
  ]);
});

test("definitions of the protocol are imported from its package, by the names of its entries", async () => {
  const folder = ticketsFolder();
  await mcpgen(folder, [...addTickets, "--base", "2025-06-18", "--base", "2026-07-28"]);
  await mcpgen(folder, ["generate"]);
  const { exports } = JSON.parse(readFileSync("generated/package.json", "utf8")) as {
    exports: Record<string, unknown>;
  };
  const root = join(folder, "generated/extensions/com.acme/tickets");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  expect(files).toHaveLength(5 + 2 * 6);
  const imported = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/ from "([^"]+)";/g)].map(([, from]) => from!),
  );
  const outside = [...new Set(imported.filter((from) => !from.startsWith("./")))].sort();
  expect(outside.filter((from) => from.startsWith("."))).toEqual([]);
  expect(outside).toContain("@mcpgen/protocol/extending");
  const missing = outside.filter((from) => !Object.hasOwn(exports, from.replace(/^@mcpgen\/protocol/, ".")));
  expect(missing).toEqual([]);
});

test("the same file changes nothing; another one is a new version, or replaces the existing one", async () => {
  const folder = ticketsFolder();
  await mcpgen(folder, addTickets);
  const again = await mcpgen(folder, addTickets);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("@1.0.0: unchanged")]);
  writeFileSync(join(folder, "tickets.json"), JSON.stringify(ticketsSchema).replace(',"title"]', "]"));
  const other = await mcpgen(folder, addTickets);
  expect(other.code).toBe(3);
  expect(other.stderr).toContain("com.acme/tickets@1.0.0 already exists, with other content");
  expect(other.stderr).toContain("another --version; to replace this one, repeat the command with --replace");
});

test("a schema folder with only extensions is accepted; an empty one is an error", async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await mcpgen(folder, ["generate"]);
  expect(code).toBe(2);
  expect(stderr).toContain("mcpgen extension add FILE --id ID");
});
