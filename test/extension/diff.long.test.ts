import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ran, mcpgen } from "../support/in-process.js";
import {
  addOver,
  jsonOf,
  vendorFolder,
  vendorId,
  vendorProject,
  vendorSchema,
  vendorText,
} from "./vendor-extension.js";

const { MixRequest, PaintSettings } = vendorSchema.$defs as unknown as Record<
  string,
  { properties: Record<string, { properties: object }> }
>;

/** A project with version 1.0.0, whose questions are answered, and the definitions of the next as `next.json`. */
async function project(changed: object): Promise<string> {
  const next = JSON.stringify({ ...vendorSchema, $defs: { ...vendorSchema.$defs, ...changed } });
  const folder = vendorProject({ "next.json": next });
  await addOver(folder);
  const about = {
    ...jsonOf(folder, `${vendorFolder}/extension.json`),
    settings: { server: "#/$defs/PaintSettings" },
  };
  writeFileSync(join(folder, vendorFolder, "extension.json"), JSON.stringify(about));
  const note = (target: string, sender: string) => ({
    kind: "sender",
    target,
    sender,
    reason: "r",
    link: "",
  });
  const notes = [note("paint/mix", "client"), note("notifications/paint/dried", "server")];
  const file = join(folder, vendorFolder, "notes.json");
  const { notes: derived } = jsonOf(folder, `${vendorFolder}/notes.json`) as { notes: object[] };
  writeFileSync(file, JSON.stringify({ format: 1, notes: [...notes, ...derived] }));
  return folder;
}

const addNext = (folder: string): Promise<Ran> =>
  mcpgen(folder, ["extension", "add", "next.json", "--id", vendorId, "--version", "1.1.0"]);
const diff = (folder: string, ...args: string[]): Promise<Ran> => mcpgen(folder, ["diff", ...args]);
const versions = [`${vendorId}@1.0.0`, `${vendorId}@1.1.0`];

describe("diff of two versions of an extension", () => {
  test("a new required param breaks, and SEP-2133 asks for another id", async () => {
    const { params } = MixRequest!.properties;
    const properties = { ...params!.properties, litres: { type: "integer" } };
    const folder = await project({
      MixRequest: {
        ...MixRequest,
        properties: {
          ...MixRequest!.properties,
          params: { ...params, properties, required: ["colours", "litres"] },
        },
      },
    });
    await addNext(folder);
    const { code, stdout } = await diff(folder, ...versions);
    expect(stdout).toContain("client property-added-required: MixRequest.params.litres");
    expect(stdout).toContain(
      "error MG1311: extension-breaking-same-id: 1 breaking change, and the id is still com.example/paint",
    );
    expect(code).toBe(1);
    const report = JSON.parse((await diff(folder, ...versions, "--json")).stdout) as { warnings: object[] };
    expect(report).toMatchObject({ from: versions[0], to: versions[1], warnings: [{ code: "MG1311" }] });
  });

  test("changes that do not affect peers of the old version do not need another id", async () => {
    const folder = await project({
      PaintSettings: {
        ...PaintSettings,
        properties: { ...PaintSettings!.properties, glossy: { type: "boolean" } },
      },
    });
    await addNext(folder);
    const { code, stdout } = await diff(folder, ...versions, "--verbose");
    expect(stdout).toContain("property-added-optional: PaintSettings.glossy");
    expect(stdout).not.toContain("MG1311");
    expect(code).toBe(0);
  });

  test("a file is compared as the next version would be; a draft only warns", async () => {
    const { MixResult: _, ...$defs } = vendorSchema.$defs;
    const folder = await project({});
    const blue = '{"type":"string","const":"blue"}';
    writeFileSync(
      join(folder, "next.json"),
      vendorText.replaceAll('{"type":"string","const":"green"}', blue),
    );
    const about = jsonOf(folder, `${vendorFolder}/extension.json`);
    writeFileSync(
      join(folder, vendorFolder, "extension.json"),
      JSON.stringify({ ...about, status: "draft" }),
    );
    const { stdout } = await diff(folder, vendorId, "next.json", "--fail-on", "never");
    expect(stdout).toContain("warning MG1311");
    writeFileSync(join(folder, "next.json"), JSON.stringify({ ...vendorSchema, $defs }));
    expect((await diff(folder, vendorId, "next.json")).code).toBe(1);
  });

  test("a removed base is breaking; options about contracts are refused", async () => {
    const folder = await project({});
    await addNext(folder);
    const next = "schema/extensions/com.example/paint/1.1.0/extension.json";
    const about = { ...jsonOf(folder, next), bases: ["2025-11-25"] };
    writeFileSync(join(folder, next), JSON.stringify(about));
    const { stdout, code } = await diff(folder, ...versions);
    expect(stdout).toContain("extension-breaking-same-id: the base 2026-07-28 is gone");
    expect(stdout).toContain("Compared over no base");
    expect(code).toBe(1);
    expect((await diff(folder, ...versions, "--uses", ".")).stderr).toContain(
      "--uses is not about extensions",
    );
  });
});

test("check --upstream --extension compares a published file with the stored extension", async () => {
  const folder = await project({});
  const check = (...args: string[]): Promise<Ran> => mcpgen(folder, ["check", ...args]);
  const upstream = (file: string): Promise<Ran> => check("--upstream", file, "--extension", vendorId);
  expect(await upstream("vendor.json")).toMatchObject({
    code: 0,
    stdout: "vendor.json: unchanged, the file that com.example/paint@1.0.0 was added from\n",
  });
  writeFileSync(join(folder, "next.json"), JSON.stringify(vendorSchema, null, 1));
  const alike = await upstream("next.json");
  expect(alike.stdout).toContain("warning MG3110: another file of com.example/paint@1.0.0");
  expect(alike.code).toBe(0);

  writeFileSync(join(folder, "next.json"), vendorText.replaceAll('"litres"', '"gallons"'));
  const other = await upstream("next.json");
  expect(other.code).toBe(1);
  expect(other.stdout).toContain("error MG3110: the file differs from that of com.example/paint@1.0.0");
  expect(other.stdout).toContain("error MG1311");
  expect(other.stdout).toContain("MixResult.litres");
  expect(other.stdout.trimEnd().split("\n").at(-1)).toContain(
    "mcpgen extension add next.json --id com.example/paint --version VERSION",
  );
  expect((await check("--extension", vendorId)).stderr).toContain("--extension needs --upstream");
});
