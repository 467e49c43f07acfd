import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { generate, releasedSource } from "../support/generated-output.js";
import { type ExtensionText, request, result, stored } from "./models.js";

const sources = ["2025-11-25", "2026-07-28"].map(releasedSource);

const search: ExtensionText = {
  id: "com.example/search",
  bases: ["2025-11-25", "2026-07-28"],
  definitions: { SearchRequest: request("search"), SearchResult: result({ hits: { type: "integer" } }) },
  notes: [{ kind: "sender", target: "search", sender: "client" }],
};

test("an extension adds files below its folder, and changes only the files that list it", async () => {
  const packageManifest = { name: "@a/b" };
  const without = await generate(sources, { packageManifest });
  const { files } = await generate(sources, { packageManifest, extensions: [stored(search)] });
  const added = [...files.keys()].filter((path) => !without.files.has(path));
  const base = [
    "EXTENSION.md",
    "client.ts",
    "explain.ts",
    "methods.ts",
    "server.ts",
    "types.ts",
    "validators.ts",
    "vectors.json",
  ];
  const folder = "extensions/com.example/search";
  expect(added.sort()).toEqual([
    ...search.bases.flatMap((revision) => base.map((file) => `${folder}/${revision}/${file}`)),
    ...["authoring.ts", "client.ts", "explained.ts", "open.ts", "server.ts"].map(
      (file) => `${folder}/${file}`,
    ),
  ]);
  const changed = [...without.files].filter(([path, text]) => files.get(path) !== text);
  expect(changed.map(([path]) => path)).toEqual(["package.json"]);
  const { exports, files: published } = JSON.parse(files.get("package.json")!) as {
    exports: JsonObject;
    files: string[];
  };
  expect(exports[`./${folder}/server`]).toMatchObject({ default: `./dist/${folder}/server.js` });
  expect(published).toContain(`./${folder}/2026-07-28/vectors.json`);
});

test("the order in which files are written does not matter", async () => {
  const reversed = (value: unknown): unknown =>
    Array.isArray(value) || typeof value !== "object" || value === null
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, member]) => [key, reversed(member)]),
        );
  const only = ["types", "methods", "server", "authoring", "extension"];
  const definitions = reversed(search.definitions) as JsonObject;
  const one = await generate(sources, { only, extensions: [stored(search)] });
  const other = await generate(sources, { only, extensions: [stored({ ...search, definitions })] });
  expect([...other.files]).toEqual([...one.files]);
});
