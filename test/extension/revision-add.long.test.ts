import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { documentOf } from "../support/revisions.js";
import { addOver, jsonOf, vendorFolder, vendorProject } from "./vendor-extension.js";

const addRevision = (folder: string, ...more: string[]) =>
  mcpgen(folder, ["revision", "add", "next.json", "--name", "2027-01-01", ...more]);

test("revision add says which extensions compile over the new revision, and why others do not", async () => {
  const next = documentOf("2026-07-28");
  const folder = vendorProject({ "next.json": JSON.stringify(next) });
  await addOver(folder);
  const fitting = await addRevision(folder);
  expect(fitting.stdout).toContain(
    'com.example/paint@1.0.0 compiles over 2027-01-01; it is not among its "bases"',
  );

  const { Implementation: _, ...$defs } = next["$defs"] as Record<string, object>;
  const without = JSON.stringify({ ...next, $defs }).replaceAll("#/$defs/Implementation", "#/$defs/Root");
  writeFileSync(join(folder, "next.json"), without);
  const warned = await addRevision(folder, "--replace");
  expect(warned.code).toBe(0);
  expect(warned.stdout).toContain(
    "warning MG1310: com.example/paint@1.0.0 does not compile over 2027-01-01: 2027-01-01 has no definition for base#/$defs/Implementation (MG1303)",
  );

  const file = join(folder, vendorFolder, "extension.json");
  const about = jsonOf(folder, `${vendorFolder}/extension.json`);
  writeFileSync(file, JSON.stringify({ ...about, bases: ["2026-07-28", "2027-01-01"] }));
  const failed = await addRevision(folder, "--replace", "--json");
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    findings: expect.arrayContaining([
      expect.objectContaining({ code: "MG1310", severity: "error" }),
    ]) as unknown,
    extensions: [{ extension: "com.example/paint@1.0.0", isBase: true, compiles: false }],
  });
  expect(readFileSync(file, "utf8")).toContain("2027-01-01");
});
