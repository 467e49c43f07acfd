import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readExtensionLock } from "../../generator/revision/lock.js";
import { addOver, jsonOf, vendorFolder, vendorId, vendorProject } from "./vendor-extension.js";

describe("extension add", () => {
  test("writes extension.json, canonical schema, notes and lock, and asks for facts that the schema cannot express", async () => {
    const folder = vendorProject();
    const { code, stdout } = await addOver(folder);
    expect(code).toBe(0);
    expect(jsonOf(folder, `${vendorFolder}/extension.json`)).toEqual({
      $schema: "https://raw.githubusercontent.com/mcpgen/mcpgen/main/docs/extension.schema.json",
      ...{ format: 1, id: vendorId, version: "1.0.0", status: "released", bases: ["2026-07-28"] },
      declared: {
        client: "/extensions/com.example~1paint",
        server: "/extensions/com.example~1paint",
      },
    });
    const { $defs } = jsonOf(folder, `${vendorFolder}/schema.json`) as { $defs: Record<string, object> };
    expect($defs["Colour"]).toEqual({ enum: ["green", "red"], type: "string" });
    expect($defs["MixRequest"]).toMatchObject({
      properties: {
        params: {
          properties: {
            by: { $ref: "base#/$defs/Implementation" },
            colours: { items: { $ref: "#/$defs/Colour" } },
          },
        },
      },
    });
    const closed = [
      "/$defs/DriedNotification",
      "/$defs/DriedNotification/properties/params",
      "/$defs/MixRequest",
      "/$defs/MixRequest/properties/params",
      "/$defs/PaintSettings",
    ];
    expect(jsonOf(folder, `${vendorFolder}/notes.json`)["notes"]).toMatchObject([
      { kind: "open", target: closed },
    ]);
    expect(readExtensionLock(join(folder, "schema")).get(`${vendorId}@1.0.0`)).toMatchObject({
      status: "released",
    });
    expect(stdout).toMatch(
      /\ncom\.example\/paint@1\.0\.0: added, released, over 2026-07-28\n {2}5 own definitions; 0 left out/,
    );
    expect(stdout).toContain("5 closed objects reopened");
    const questions = stdout.match(/(?<=paint@1\.0\.0: ).*\?/g);
    expect(questions).toEqual([
      "Which side sends paint/mix?",
      "Which side sends notifications/paint/dried?",
      "Must the side that sends paint/mix have declared the extension, too, or the other side a part of its settings?",
      "Which param of paint/mix does the header Mcp-Name repeat, if any?",
      "Which member of the filter of a subscription selects notifications/paint/dried, if any?",
      "Which side declares the settings PaintSettings?",
      "May a later version add values to /$defs/Colour?",
    ]);
    expect(stdout).toContain(
      'Write in notes.json: {"kind":"sender","target":"paint/mix","sender":"client | server | both","reason":"…","link":"…"}',
    );
  });
});
