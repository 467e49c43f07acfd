import { expect, test } from "vitest";
import { manifestText, parseManifest } from "../../generator/output/manifest.js";

const manifest = {
  generator: "1.2.3",
  options: { notes: true, importExtension: "js" },
  inputs: { "2025-11-25": { schema: "s", notes: "n" } },
  files: new Map([
    ["b/10.ts", "x"],
    ["b/9.ts", "y"],
    ["a.ts", "z"],
  ]),
};

test("a manifest reads as it was written, whatever the order it was built in", () => {
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
  '{"format":1,"generator":"1","options":{},"inputs":{},"files":{"a":1}}',
  "<<<<<<< ours",
])("%j is not a manifest", (text) => {
  expect(() => parseManifest(text, "manifest.json")).toThrow(expect.objectContaining({ code: "MG3006" }));
});
