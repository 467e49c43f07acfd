import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomFrom } from "../../generator/sample/values.js";
import { seed } from "../support/cases.mjs";
import { mcpgen } from "../support/in-process.js";
import { addTickets, ticketsFolder } from "../support/tickets-extension.js";

const paint = ["extension", "add", "tickets.json", "--id", "com.example/paint", "--base", "2025-06-18"];

/** A project with two extensions, and their output. */
async function generatedProject(): Promise<string> {
  const folder = ticketsFolder();
  const commands = [addTickets, paint, ["generate"]];
  for (const words of commands) expect((await mcpgen(folder, words)).code).toBe(0);
  return folder;
}

/** Every file of the output, by its path below the project. */
function outputOf(folder: string): Map<string, string> {
  const entries = readdirSync(join(folder, "generated"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, "utf8")] as const),
  );
}

test("output that was deleted, whole or in part, comes back the same", async () => {
  const folder = await generatedProject();
  const before = outputOf(folder);
  const files = [...before.keys()].filter((path) => path.startsWith("generated/extensions/"));
  expect(files.length).toBeGreaterThan(20);
  const random = randomFrom(`${seed}: deleted`);
  const deletions = [
    ["generated"],
    ["generated/extensions"],
    ["generated/extensions/com.acme"],
    ["generated/extensions/com.example/paint/2025-06-18"],
    ["generated/manifest.json"],
    ["generated/manifest.json", random.pick(files)],
    ...Array.from({ length: 4 }, () => [random.pick(files), random.pick(files)]),
  ];
  for (const deleted of deletions) {
    for (const path of deleted) rmSync(join(folder, path), { recursive: true, force: true });
    const { code, stderr } = await mcpgen(folder, ["generate"]);
    expect(code, `${deleted.join(" ")}\n${stderr}`).toBe(0);
    expect(outputOf(folder)).toEqual(before);
  }
});

test("check names each file of an extension that was edited, is missing, or is not part of the output", async () => {
  const folder = await generatedProject();
  const before = outputOf(folder);
  for (const [path, content] of before) {
    const file = join(folder, path);
    if (!path.startsWith("generated/extensions/")) continue;
    writeFileSync(
      file,
      content.replace(/[a-z](?=\W*$)/, (letter) => letter.toUpperCase()),
    );
    const edited = await mcpgen(folder, ["check"]);
    expect([edited.code, edited.stdout]).toEqual([1, expect.stringContaining(`${path}: error MG3104`)]);
    rmSync(file);
    const missing = await mcpgen(folder, ["check"]);
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining(`${path}: error MG3102`)]);
    writeFileSync(file, content);
  }
  const stray = "generated/extensions/com.acme/tickets/stray.ts";
  writeFileSync(join(folder, stray), "export {};\n");
  const added = await mcpgen(folder, ["check"]);
  expect([added.code, added.stdout]).toEqual([1, expect.stringContaining(`${stray}: error MG3103`)]);
  rmSync(join(folder, stray));
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});
