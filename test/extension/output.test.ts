import { describe, expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { storedExtensions } from "../../generator/extension/extension-store.js";
import { failureOf } from "../support/failure-of.js";
import { generate, releasedSource, schemaDir } from "../pipeline/generated.js";
import { type ExtensionText, request, result, stored } from "./models.js";

const sources = ["2025-11-25", "2026-07-28"].map(releasedSource);

const search: ExtensionText = {
  id: "com.example/search",
  bases: ["2025-11-25", "2026-07-28"],
  definitions: { SearchRequest: request("search"), SearchResult: result({ hits: { type: "integer" } }) },
  notes: [{ kind: "sender", target: "search", sender: "client" }],
};

test("an extension adds files below its folder, and changes no other but what lists it", async () => {
  const packageManifest = { name: "@a/b" };
  const without = await generate(sources, { packageManifest });
  const { files } = await generate(sources, { packageManifest, extensions: [stored(search)] });
  const added = [...files.keys()].filter((path) => !without.files.has(path));
  const base = [
    "EXTENSION.md",
    "check.ts",
    "client.ts",
    "methods.ts",
    "server.ts",
    "types.ts",
    "validators.ts",
    "vectors.json",
  ];
  const folder = "extensions/com.example/search";
  expect(added.sort()).toEqual([
    ...search.bases.flatMap((revision) => base.map((file) => `${folder}/${revision}/${file}`)),
    ...["authoring.ts", "client.ts", "server.ts"].map((file) => `${folder}/${file}`),
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

test("the order in which files are written does not show", async () => {
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

test("an extension none of whose bases is generated adds nothing", async () => {
  const [old] = sources;
  const one = await generate([old!], {
    only: ["methods"],
    extensions: [stored({ ...search, bases: ["2026-07-28"] })],
  });
  expect([...one.files.keys()]).toEqual(["2025-11-25/methods.ts"]);
});

describe("a clash names both owners and the base", () => {
  const clash = (...extensions: ExtensionText[]): Promise<unknown> =>
    failureOf(generate(sources.slice(1), { only: ["methods"], extensions: extensions.map(stored) }));

  test("of a method of the base", async () => {
    const definitions = {
      SearchRequest: request("tools/call"),
      SearchResult: search.definitions["SearchResult"]!,
    };
    expect(await clash({ ...search, definitions, notes: [] })).toMatchObject({
      code: "MG1304",
      message:
        'the request "tools/call" has two owners on 2026-07-28: the revision 2026-07-28 and the extension com.example/search',
      place: { file: expect.stringContaining("schema.json") as string },
    });
  });

  test("of methods of two extensions", async () => {
    expect(await clash(search, { ...search, id: "com.example/find" })).toMatchObject({
      code: "MG1304",
      message: expect.stringMatching(
        /^the request "search" has two owners on 2026-07-28: the extension com\.example\/search \(.*\) and the extension com\.example\/find$/,
      ) as string,
    });
  });

  const only = (definitions: JsonObject, note: JsonObject): ExtensionText => ({
    id: "com.example/search",
    bases: ["2026-07-28"],
    definitions,
    notes: [note],
  });

  test.each<[string, ExtensionText, string]>([
    [
      "an error",
      only({ A: { type: "string" } }, { kind: "error", target: "-31000", name: "HEADER_MISMATCH" }),
      "the error HEADER_MISMATCH",
    ],
    [
      "a result",
      only(
        { A: result({ a: { type: "string" } }) },
        { kind: "augments", target: "tools/call", result: "A", mark: { resultType: "input_required" } },
      ),
      'the result of "tools/call" with resultType "input_required"',
    ],
    [
      "a member of a filter",
      {
        ...only(
          {
            F: { type: "object", properties: { toolsListChanged: { type: "boolean" } } },
            ANotification: {
              type: "object",
              required: ["method"],
              properties: { method: { const: "notifications/a", type: "string" } },
            },
          },
          {
            kind: "subscription",
            target: "notifications/a",
            filter: "/$defs/F/properties/toolsListChanged",
          },
        ),
      },
      "the filter member toolsListChanged",
    ],
  ])("of %s", async (_, text, what) => {
    expect(await clash(text)).toMatchObject({
      code: "MG1304",
      message: `${what} has two owners on 2026-07-28: the revision 2026-07-28 and the extension com.example/search`,
    });
  });
});

test("the stored extensions share no name on any base", async () => {
  const all = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map(releasedSource);
  const { extensions } = await generate(all, { only: [], extensions: storedExtensions(schemaDir) });
  expect(extensions.map(({ source }) => source.about.id)).toEqual(
    storedExtensions(schemaDir).map(({ id }) => id),
  );
});
