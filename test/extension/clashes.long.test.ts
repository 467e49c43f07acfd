import { describe, expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { storedExtensions } from "../../generator/extension/extension-store.js";
import { failureOf } from "../support/failure-of.js";
import { generate, releasedSource, schemaDir } from "../support/generated-output.js";
import { type ExtensionText, request, result, stored } from "./models.js";

const sources = ["2025-11-25", "2026-07-28"].map(releasedSource);

const search: ExtensionText = {
  id: "com.example/search",
  bases: ["2025-11-25", "2026-07-28"],
  definitions: { SearchRequest: request("search"), SearchResult: result({ hits: { type: "integer" } }) },
  notes: [{ kind: "sender", target: "search", sender: "client" }],
};

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
        /^the request "search" has two owners on 2026-07-28: the extension com\.example\/find \(.*\) and the extension com\.example\/search$/,
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

test("on a base with sessions an error of the base has a second code; later, codes from -32019 to -32000 are reserved", async () => {
  const named: ExtensionText = {
    ...search,
    notes: [...search.notes!, { kind: "error", target: "-32004", name: "RESOURCE_NOT_FOUND" }],
  };
  const over = (bases: readonly string[], text: ExtensionText): Promise<unknown> =>
    generate(bases.map(releasedSource), { only: ["methods"], extensions: [stored({ ...text, bases })] });
  const { files } = (await over(["2025-11-25"], named)) as { files: ReadonlyMap<string, string> };
  expect(files.get("extensions/com.example/search/2025-11-25/methods.ts")).toContain(
    "RESOURCE_NOT_FOUND: { code: -32004 },",
  );
  expect(files.get("2025-11-25/methods.ts")).toContain("RESOURCE_NOT_FOUND: { code: -32002 },");
  expect(await failureOf(over(["2026-07-28"], named))).toMatchObject({
    code: "MG1313",
    message: expect.stringContaining("note of kind error on -32004, over the base 2026-07-28") as string,
    place: { file: expect.stringMatching(/notes\.json$/) as string, pointer: "/notes/1" },
  });
});

test("the stored extensions share no name on any base", async () => {
  const all = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map(releasedSource);
  const { extensions } = await generate(all, { only: [], extensions: storedExtensions(schemaDir) });
  expect(extensions.map(({ source }) => source.about.id)).toEqual(
    storedExtensions(schemaDir).map(({ id }) => id),
  );
});
