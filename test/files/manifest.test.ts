import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { manifestText, parseManifest, readManifest } from "../../generator/files/plan.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject } from "../support/small-protocol.js";

const manifest = {
  generator: "1.2.3",
  options: { notes: true, importExtension: "js" },
  shared: { "docs.json": "d", "templates/types.ts.hbs": "t" },
  inputs: { "2025-11-25": { schema: "s", notes: "n" } },
  files: new Map([
    ["b/10.ts", "x"],
    ["b/9.ts", "y"],
    ["a.ts", "z"],
  ]),
};

test("a manifest is read as written, whatever the order in which it was built", () => {
  const text = manifestText(manifest);
  expect(parseManifest(text, "manifest.json")).toEqual(manifest);
  expect(manifestText({ ...manifest, files: new Map([...manifest.files].reverse()) })).toBe(text);
  expect(Object.keys((JSON.parse(text) as { files: object }).files)).toEqual(["a.ts", "b/9.ts", "b/10.ts"]);
});

test.each([
  "",
  "{",
  "[]",
  "{}",
  '{"format":2}',
  '{"format":1,"generator":"1","options":{},"shared":{},"inputs":{},"files":{"a":1}}',
  '{"format":1,"generator":"1","options":{},"shared":{"docs.json":1},"inputs":{},"files":{}}',
  "<<<<<<< ours",
])("%j is not a manifest", (text) => {
  expect(() => parseManifest(text, "manifest.json")).toThrow(expect.objectContaining({ code: "MG3006" }));
});

test("the content of inputs that all revisions share is recorded", async () => {
  const folder = await smallProject({
    "schema/docs.json": '{ "format": 1 }',
    "mine/types.ts.hbs": "// {{origin}}",
    "mine/readme.txt": "no template",
  });
  const shared = async (): Promise<Record<string, string>> => {
    const { code, stderr } = await mcpgen(folder, ["generate", "--templates", "mine"]);
    expect(code, stderr).toBe(0);
    return readManifest(join(folder, "generated"))!.shared;
  };
  const before = await shared();
  expect(Object.keys(before)).toEqual(["docs.json", "templates/types.ts.hbs"]);
  writeFileSync(join(folder, "schema/docs.json"), '{ "format": 1, "definitions": {} }');
  const documented = await shared();
  expect(documented["docs.json"]).not.toBe(before["docs.json"]);
  writeFileSync(join(folder, "mine/types.ts.hbs"), "// {{origin}}!");
  const laidOut = await shared();
  expect(laidOut["docs.json"]).toBe(documented["docs.json"]);
  expect(laidOut["templates/types.ts.hbs"]).not.toBe(before["templates/types.ts.hbs"]);
});
