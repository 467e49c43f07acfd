import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import {
  addOver,
  contentOf,
  jsonOf,
  vendorFolder,
  vendorId,
  vendorProject,
  vendorSchema,
} from "./vendor-extension.js";

const run = (folder: string, ...args: string[]) => mcpgen(folder, ["extension", ...args]);

test("list, verify and remove an extension", async () => {
  const folder = vendorProject();
  expect((await run(folder, "list")).stdout).toContain("no extensions");
  const before = contentOf(folder);
  await addOver(folder);

  expect((await run(folder, "list")).stdout).toMatch(
    /^extension +version +status +bases +upstream +commit\ncom\.example\/paint +1\.0\.0 +released +2026-07-28/,
  );
  const listed = JSON.parse((await run(folder, "list", "--json")).stdout) as { extensions: object[] };
  expect(listed.extensions).toMatchObject([
    { id: vendorId, version: "1.0.0", locked: { status: "released" } },
  ]);

  expect((await run(folder, "verify")).stdout).toContain("1 extension: canonical and equal to the lock");
  expect((await run(folder, "verify", vendorId, "vendor.json")).stdout).toBe(
    "com.example/paint@1.0.0: same file\n",
  );
  writeFileSync(join(folder, "vendor.json"), JSON.stringify(vendorSchema, null, 4));
  const alike = await run(folder, "verify", vendorId, "vendor.json");
  expect(alike.stdout).toContain("its canonical form equals that of com.example/paint@1.0.0");
  const { Colour: _, ...$defs } = vendorSchema.$defs;
  writeFileSync(join(folder, "vendor.json"), JSON.stringify({ ...vendorSchema, $defs }));
  const other = await run(folder, "verify", vendorId, "vendor.json");
  expect(other.code).toBe(1);
  expect(other.stdout).toContain("(0 definitions added, 1 removed)");
  const schema = join(folder, vendorFolder, "schema.json");
  writeFileSync(schema, JSON.stringify(jsonOf(folder, `${vendorFolder}/schema.json`)));
  expect((await run(folder, "verify")).stdout).toContain("MG3105");

  expect((await run(folder, "remove", "com.example/pant")).stderr).toContain(
    "Did you mean com.example/paint",
  );
  const stored = contentOf(folder);
  expect((await run(folder, "remove", vendorId, "--dry-run")).stdout).toContain("would be removed, 3 files");
  expect(contentOf(folder)).toEqual(stored);
  expect((await run(folder, "remove", vendorId)).stdout).toContain(
    "com.example/paint@1.0.0: removed, 3 files",
  );
  expect(Object.keys(contentOf(folder))).toEqual(Object.keys(before));
  expect(existsSync(join(folder, "schema/extensions"))).toBe(false);
  expect(jsonOf(folder, "schema/lock.json")).not.toHaveProperty("extensions");
});

test("remove requires a version if there are several, and refuses one that another extension needs", async () => {
  const folder = vendorProject();
  await addOver(folder);
  const again = ["add", "vendor.json", "--id", vendorId, "--version", "1.1.0"];
  await run(folder, ...again);
  const { stderr, code } = await run(folder, "remove", vendorId);
  expect(code).toBe(2);
  expect(stderr).toContain(
    "com.example/paint has 2 versions: com.example/paint@1.0.0, com.example/paint@1.1.0",
  );
  expect((await run(folder, "remove", `${vendorId}@1.0.0`)).code).toBe(0);
  expect(readdirSync(join(folder, "schema/extensions/com.example/paint"))).toEqual(["1.1.0"]);

  await run(
    folder,
    "add",
    "vendor.json",
    "--id",
    "com.example/varnish",
    "--version",
    "1",
    "--base",
    "2026-07-28",
  );
  const file = "schema/extensions/com.example/varnish/1/extension.json";
  const needs = { extensions: [vendorId] };
  writeFileSync(join(folder, file), JSON.stringify({ ...jsonOf(folder, file), needs }));
  const refused = await run(folder, "remove", vendorId);
  expect(refused.stderr).toContain("error MG1309: com.example/varnish@1 needs com.example/paint");
  expect(refused.code).toBe(3);
});
