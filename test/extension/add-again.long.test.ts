import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import {
  addOver,
  implementation,
  addVendor,
  contentOf,
  jsonOf,
  textOf,
  vendorFolder,
  vendorId,
  vendorProject,
  vendorSchema,
} from "./vendor-extension.js";

describe("extension add", () => {
  test("a question ends with a note that answers it; --json has everything", async () => {
    const note = (kind: string, target: string | string[], more: object) => ({
      ...{ kind, target, reason: "It says so.", link: "https://example.com", ...more },
    });
    const notes = [
      note("sender", "paint/mix", { sender: "client" }),
      note("sender", "notifications/paint/dried", { sender: "server" }),
      note("requires", "paint/mix", { of: "client" }),
      note("header", "paint/mix", { header: "Mcp-Name", from: "/params/by/name" }),
      note("open", "/$defs/Colour", {}),
    ];
    const folder = vendorProject({ "notes.json": JSON.stringify({ format: 1, notes }) });
    const { stdout } = await addOver(folder, "--notes", "notes.json", "--json");
    const data = JSON.parse(stdout) as Record<string, unknown>;
    expect(data).toMatchObject({
      ...{ id: vendorId, version: "1.0.0", action: "added", bases: ["2026-07-28"] },
      questions: [{ kind: "subscription" }, { kind: "settings", subjects: ["PaintSettings"] }],
      methods: [
        { name: "notifications/paint/dried", message: "DriedNotification" },
        { name: "paint/mix", message: "MixRequest", result: "MixResult" },
      ],
    });
    const kinds = (jsonOf(folder, `${vendorFolder}/notes.json`)["notes"] as { kind: string }[]).map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(["sender", "sender", "requires", "header", "open", "open"]);
  });

  test("there are no questions about client and server for messages on a channel", async () => {
    const travelling = {
      ...{ kind: "channel", target: ["paint/mix", "notifications/paint/dried"] },
      ...{ sender: "brush", receiver: "wall", reason: "It says so.", link: "https://example.com" },
    };
    const folder = vendorProject({ "notes.json": JSON.stringify({ format: 1, notes: [travelling] }) });
    const { stdout } = await addOver(folder, "--notes", "notes.json", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      questions: [{ kind: "settings" }, { kind: "open", subjects: ["/$defs/Colour"] }],
    });
  });

  test("adding the same file changes nothing, other content needs --replace, and notes stay", async () => {
    const folder = vendorProject({ "notes.json": '{"format":1,"notes":[]}' });
    await addOver(folder);
    writeFileSync(join(folder, vendorFolder, "notes.json"), '{"format":1,"notes":[]}');
    const before = contentOf(folder);
    expect((await addVendor(folder)).stdout).toMatch(/com\.example\/paint@1\.0\.0: unchanged/);
    expect(contentOf(folder)).toEqual(before);

    const { MixResult: _, ...$defs } = vendorSchema.$defs;
    writeFileSync(join(folder, "vendor.json"), JSON.stringify({ ...vendorSchema, $defs }));
    const refused = await addOver(folder);
    expect(refused.stderr).toContain(
      "error MG1307: com.example/paint@1.0.0 already exists, with other content",
    );
    expect(refused.code).toBe(3);
    expect((await addVendor(folder, "--base", "2025-11-25")).stderr).toContain("MG1307");
    expect(contentOf(folder)).toEqual(before);

    expect((await addOver(folder, "--replace")).stdout).toMatch(/1\.0\.0: replaced/);
    expect(textOf(folder, `${vendorFolder}/notes.json`)).toBe('{"format":1,"notes":[]}');
    expect(textOf(folder, `${vendorFolder}/schema.json`)).not.toContain("MixResult");
  });

  test("a new version keeps notes, bases and extension.json; notes without a subject are left out", async () => {
    const folder = vendorProject();
    await addOver(folder);
    const about = { ...jsonOf(folder, `${vendorFolder}/extension.json`), link: "https://example.com/paint" };
    writeFileSync(join(folder, vendorFolder, "extension.json"), JSON.stringify(about));
    const note = (target: string) => ({ kind: "sender", target, sender: "client", reason: "r", link: "" });
    const notes = [note("paint/mix"), note("paint/gone")];
    writeFileSync(join(folder, vendorFolder, "notes.json"), JSON.stringify({ format: 1, notes }));

    const { stdout } = await addVendor(folder, "--version", "1.1.0-rc.1").then(async (twice) => {
      expect(twice.stderr).toContain("--version is given 2 times");
      return mcpgen(folder, ["extension", "add", "vendor.json", "--id", vendorId, "--version", "1.1.0-rc.1"]);
    });
    expect(stdout).toContain("1.1.0-rc.1: added, draft, over 2026-07-28");
    expect(stdout).toContain("1 note carried over from 1.0.0");
    expect(stdout).toContain(
      'MG3107: a note was not carried over to com.example/paint@1.1.0-rc.1: sender on paint/gone: there is no method "paint/gone"',
    );
    expect(stdout).not.toContain("Which side sends paint/mix");
    const next = "schema/extensions/com.example/paint/1.1.0-rc.1";
    expect(jsonOf(folder, `${next}/notes.json`)["notes"]).toMatchObject([
      { kind: "sender", target: "paint/mix", carried: true },
      { kind: "open" },
    ]);
    expect(jsonOf(folder, `${next}/extension.json`)).toMatchObject({
      version: "1.1.0-rc.1",
      status: "draft",
      link: "https://example.com/paint",
    });
  });

  test("an object that resembles a definition of the base causes a question, and is never replaced by it", async () => {
    const { properties, ...rest } = implementation;
    const { icons: _, ...members } = properties;
    const Mine = {
      type: "object",
      properties: { app: { ...rest, properties: { ...members, licence: {} } } },
    };
    const folder = vendorProject({ "vendor.json": JSON.stringify({ $defs: { Mine } }) });
    const { stdout } = await addOver(folder);
    expect(stdout).toContain(
      "Is /$defs/Mine/properties/app a copy of the base's Implementation, which differs from it?",
    );
    expect(stdout).toContain('"becomes":{"$ref":"base#/$defs/Implementation"}');
    expect(textOf(folder, `${vendorFolder}/schema.json`)).not.toContain("base#");
  });

  test("--dry-run reports the same, and writes nothing", async () => {
    const folder = vendorProject();
    const before = contentOf(folder);
    const { stdout } = await addOver(folder, "--dry-run");
    expect(stdout).toContain("would be added");
    expect(stdout).toContain("MG1308");
    expect(contentOf(folder)).toEqual(before);
  });

  test("the bytes do not depend on the order of the file", async () => {
    const first = vendorProject();
    await addOver(first);
    const second = vendorProject({
      "vendor.json": JSON.stringify({
        $defs: Object.fromEntries(Object.entries(vendorSchema.$defs).reverse()),
        $schema: vendorSchema.$schema,
      }),
    });
    await addOver(second);
    for (const file of ["schema.json", "notes.json", "extension.json"])
      expect(textOf(second, `${vendorFolder}/${file}`)).toBe(textOf(first, `${vendorFolder}/${file}`));
  });
});
