import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { loopback } from "../support/listen.js";
import { addOver, contentOf, vendorId, vendorProject, vendorText } from "./vendor-extension.js";

describe("extension add refuses, and changes nothing:", () => {
  /** Runs the command, which must fail, and returns what it printed. */
  async function refusal(folder: string, args: readonly string[], code: number): Promise<string> {
    const before = contentOf(folder);
    const ran = await mcpgen(folder, ["extension", "add", ...args]);
    expect(ran.code).toBe(code);
    expect(contentOf(folder)).toEqual(before);
    return ran.stderr;
  }
  const usual = ["--id", vendorId, "--version", "1.0.0", "--base", "2026-07-28"];

  test.each([
    ["paint", "it has no prefix"],
    ["com.example/paint/more", "more than one slash"],
    ["com..example/paint", 'the label ""'],
    ["1com.example/paint", 'the label "1com"'],
    ["com.example-/paint", 'the label "example-"'],
    ["com.example/", 'the name ""'],
    ["com.example/../../x", "more than one slash"],
    ["com.example/_x", 'the name "_x"'],
    ["com.mcp.tools/paint", "reserved for the protocol"],
    ["dev.modelcontextprotocol/paint", "reserved for the protocol"],
    ["com.example/con", "no folder can be called con on Windows"],
  ])("the id %s", async (wrong, reason) => {
    const text = await refusal(vendorProject(), ["vendor.json", "--base", "2026-07-28", "--id", wrong], 3);
    expect(text).toContain("error MG1301");
    expect(text).toContain(reason);
  });

  test("an id that differs from another one only in case, and versions that are not valid folder names", async () => {
    const folder = vendorProject();
    await addOver(folder);
    const other = ["vendor.json", "--id", "com.example/Paint", "--version", "1.0.0", "--base", "2026-07-28"];
    expect(await refusal(folder, other, 3)).toContain('differs from "com.example/paint" only in case');
    for (const version of ["..", "a/b", ".1", "CON"])
      expect(
        await refusal(
          folder,
          ["vendor.json", "--id", vendorId, `--version=${version}`, "--base", "2026-07-28"],
          3,
        ),
      ).toContain("MG1301");
  });

  test("a missing base, and a missing id", async () => {
    const folder = vendorProject();
    const named = ["vendor.json", "--id", vendorId];
    expect(await refusal(folder, [...named, "--version", "1", "--base", "2026-07-29"], 2)).toContain(
      "Did you mean 2026-07-28?",
    );
    expect(await refusal(folder, ["vendor.json", "--base", "2026-07-28"], 2)).toContain("id");
  });

  test("files that are not a schema: truncated, empty, only the base's, with broken references", async () => {
    const definition = (node: object) => JSON.stringify({ $defs: { Mine: node } });
    const folder = vendorProject({
      "cut.json": vendorText.slice(0, 700),
      "empty.json": "{}",
      "copy.json": JSON.stringify({ $defs: { Role: { enum: ["user", "assistant"], type: "string" } } }),
      "lost.json": definition({ type: "object", properties: { a: { $ref: "#/$defs/Colur" } } }),
      "far.json": definition({ $ref: "https://example.com/other.json#/$defs/A" }),
      "number.json": definition({ type: "object", properties: { a: { $ref: 3 } } }),
      "old.json": definition({ $ref: "base#/$defs/Tasks" }),
    });
    const withFile = async (file: string) => refusal(folder, [file, ...usual], 3);
    expect(await withFile("cut.json")).toMatch(/cut\.json:1:\d+: error MG1002/);
    expect(await withFile("empty.json")).toContain("MG1109");
    expect(await withFile("copy.json")).toContain("every definition is one of the base's");
    expect(await withFile("lost.json")).toMatch(/lost\.json.*MG1105/);
    expect(await withFile("far.json")).toMatch(/far\.json.*MG1106/);
    expect(await withFile("number.json")).toMatch(/number\.json.*\$ref: error MG1102/);
    expect(await withFile("old.json")).toMatch(
      /MG1303: 2026-07-28 has no definition for base#\/\$defs\/Tasks/,
    );
    expect(await refusal(folder, ["none.json", ...usual], 3)).toContain("MG1001");
  });

  test("a method that the base has, naming both owners", async () => {
    const ListRequest = {
      type: "object",
      properties: { method: { const: "tools/list" } },
      required: ["method"],
    };
    const folder = vendorProject({ "clash.json": JSON.stringify({ $defs: { ListRequest } }) });
    const text = await refusal(folder, ["clash.json", ...usual], 3);
    expect(text).toContain(
      'error MG1304: the method "tools/list" is that of ListRequest here, and that of ListToolsRequest in 2026-07-28',
    );
  });

  test.each([
    [
      "an unknown kind",
      [{ kind: "sendr", target: "paint/mix", reason: "r", link: "" }],
      'Did you mean "sender"?',
    ],
    ["a kind of revisions", [{ kind: "transport", target: "priming", reason: "r", link: "" }], "MG1201"],
    [
      "a base that is none",
      [{ kind: "open", target: "/$defs/Colour", bases: ["x"], reason: "r", link: "" }],
      "MG1201",
    ],
    ["no list", {}, "MG1201"],
  ])("notes with %s", async (_, notes, reason) => {
    const folder = vendorProject({ "notes.json": JSON.stringify({ format: 1, notes }) });
    const text = await refusal(folder, ["vendor.json", ...usual, "--notes", "notes.json"], 3);
    expect(text).toContain("notes.json");
    expect(text).toContain(reason);
  });

  test("servers that redirect endlessly or out of http, or send too much", async () => {
    const folder = vendorProject();
    const answers: Readonly<Record<string, RequestListener>> = {
      "/round": (_, response) => response.writeHead(302, { location: "/round" }).end(),
      "/file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
      "/large": (_, response) => {
        const piece = Buffer.alloc(1 << 20, " ");
        const write = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on("drain", write);
        write();
      },
    };
    const url = await loopback((request, response) => answers[request.url!]!(request, response));
    const from = async (path: string): Promise<string> => {
      const before = contentOf(folder);
      const ran = await mcpgen(folder, ["extension", "add", new URL(path, url).href, ...usual]);
      expect(ran.code).not.toBe(0);
      expect(contentOf(folder)).toEqual(before);
      return ran.stderr;
    };
    expect(await from("/round")).toContain("MG4004");
    expect(await from("/file")).toContain("MG4004");
    expect(await from("/large")).toContain("MG1003");
  });

  test.skipIf(process.getuid?.() === 0)("a folder that may not be written", async () => {
    const folder = vendorProject();
    chmodSync(join(folder, "schema"), 0o555);
    expect(await refusal(folder, ["vendor.json", ...usual], 2)).toContain("MG3003");
    chmodSync(join(folder, "schema"), 0o755);
  });

  test("a file where the folder of the extension should be", async () => {
    const folder = vendorProject();
    mkdirSync(join(folder, "schema/extensions"));
    writeFileSync(join(folder, "schema/extensions/com.example"), "not a folder");
    expect(await refusal(folder, ["vendor.json", ...usual], 2)).toContain("MG3002");
  });
});
