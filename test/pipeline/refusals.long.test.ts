import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emitterNames } from "../../generator/pipeline/generate.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { generate, releasedSource, writtenSource } from "../support/generated-output.js";

const sources = [releasedSource("2024-11-05")];
const schema = JSON.stringify({ $defs: { A: { enum: ["a", "b"] } } });

describe("template overrides", () => {
  test("change the files they lay out, and only those", async () => {
    const only = ["types", "open", "methods"];
    const shipped = await generate(sources, { only });
    const templatesDir = temporaryFolder({
      "types.ts.hbs": "// Mine.\n{{#each definitions}}{{doc}}{{declaration}}\n{{/each}}",
    });
    const { files } = await generate(sources, { only, templatesDir });
    expect(files.get("2024-11-05/types.ts")).toMatch(/^\/\/ Mine\.\n/);
    for (const [path, content] of shipped.files) {
      expect(files.get(path) === content, path).toBe(!path.endsWith("/types.ts"));
    }
  });

  test.each<[string, { [name: string]: string }, string, RegExp]>([
    ["of no template", { "type.ts.hbs": "" }, "MG1005", /Did you mean types\.ts\.hbs\?/],
    ["that cannot be parsed", { "types.ts.hbs": "{{#if}}" }, "MG1006", /Correct the template/],
    ["that ask for what there is not", { "types.ts.hbs": "{{nothing}}" }, "MG1006", /Correct the template/],
    [
      "that make no TypeScript",
      { "types.ts.hbs": `export type A = {${" | x".repeat(40)};` },
      "MG1006",
      /Correct the template/,
    ],
  ])("%s are refused", async (_, templates, code, next) => {
    const templatesDir = temporaryFolder(templates);
    await expect(generate(sources, { only: ["types"], templatesDir })).rejects.toMatchObject({
      code,
      next: expect.stringMatching(next) as string,
    });
  });
});

describe("outputs", () => {
  test("are named after their files", () => {
    expect(emitterNames).toEqual(
      expect.arrayContaining(["types", "open", "validators", "explain", "methods"]),
    );
    expect(new Set(emitterNames).size).toBe(emitterNames.length);
  });

  test("that do not exist are refused, with the nearest name", async () => {
    await expect(generate(sources, { only: ["typs"] })).rejects.toMatchObject({
      code: "MG1007",
      exitCode: 2,
      next: "Did you mean types?",
    });
  });

  test.each(["check", "issues"])(
    "that explain replaces are refused, with the replacement: %s",
    async (name) => {
      await expect(generate(sources, { only: ["types", name] })).rejects.toMatchObject({
        code: "MG1007",
        next: `Write explain: it replaces ${name}, and \`explainX(value)\` replaces \`checkX(value)\`.`,
      });
    },
  );

  test("with only definitions do not import missing files", async () => {
    const { files } = await generate(sources, { only: ["types", "validators", "explain"] });
    expect([...files.keys()]).toContain("explain.ts");
    for (const [path, content] of files)
      for (const [, target] of content.matchAll(/ from "([^"]+)"/g)) {
        const file = new URL(target!.replace(/\.js$/, ".ts"), `file:///${path}`).pathname.slice(1);
        expect(files.has(file), `${path} imports ${target}`).toBe(true);
      }
  });
});

describe("input", () => {
  test("that cannot be read leaves nothing behind and names the file", async () => {
    const folder = temporaryFolder();
    const schemaFile = join(folder, "none.json");
    await expect(generate([{ revision: "r", status: "draft", schemaFile }])).rejects.toMatchObject({
      code: "MG1001",
      place: { file: schemaFile },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["empty", "", "MG1002"],
    ["truncated", schema.slice(0, 20), "MG1002"],
    ["a list", "[]", "MG1101"],
    ["without definitions", "{}", "MG1109"],
    ["with a keyword not supported", '{"$defs": {"A": {"$dynamicRef": "#a"}}}', "MG1103"],
    [
      "with circular references",
      '{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}',
      "MG1107",
    ],
    [
      "nested without end",
      `{"$defs": {"A": ${'{"items":'.repeat(50_000)}{}${"}".repeat(50_000)}}}`,
      "MG1108",
    ],
  ])("that is %s is refused, with or without notes", async (_, text, code) => {
    await expect(generate([writtenSource("r", text)])).rejects.toMatchObject({ code, exitCode: 3 });
    const noted = writtenSource("r", text, "2024-11-05");
    await expect(generate([noted])).rejects.toMatchObject({ code, exitCode: 3 });
  });

  test("notes without a target are refused at their place", async () => {
    const note = { kind: "open", target: "/$defs/B", reason: "r", link: "l" };
    const folder = temporaryFolder({
      "schema.json": schema,
      "notes.json": JSON.stringify({ format: 1, notes: [note, note] }),
    });
    const notesFile = join(folder, "notes.json");
    const source = {
      revision: "r",
      status: "draft",
      schemaFile: join(folder, "schema.json"),
      notesFile,
    } as const;
    await expect(generate([source])).rejects.toMatchObject({
      code: "MG1202",
      place: { file: notesFile, pointer: "/notes/0" },
      message: expect.stringContaining("and 1 more") as string,
    });
  });
});

test.each<[string, string, string, string]>([
  ["items", '{"type":"array","items":', '{"type":"string"}', "}"],
  ["properties", '{"type":"object","properties":{"p":', '{"type":"string"}', "}}"],
  ["anyOf", '{"anyOf":[{"type":"null"},', '{"type":"string"}', "]}"],
])("%s nested 126 levels deep are generated", async (_, open, middle, close) => {
  const text = `{"$defs":{"A":${open.repeat(126)}${middle}${close.repeat(126)}}}`;
  const { files } = await generate([writtenSource("r", text)]);
  expect(files.get("r/types.ts")).toContain("export ");
});

describe("notes", () => {
  const initialize = {
    properties: { method: { const: "initialize" } },
    required: ["method"],
    type: "object",
  };
  const note = { reason: "Why.", link: "https://example.com" };
  const legacy = (revision: string, ...notes: object[]) => {
    const folder = temporaryFolder({
      "schema.json": JSON.stringify({ $defs: { InitializeRequest: initialize } }),
      "notes.json": JSON.stringify({ format: 1, notes: notes.map((one) => ({ ...note, ...one })) }),
    });
    const [schemaFile, notesFile] = [join(folder, "schema.json"), join(folder, "notes.json")];
    return { revision, status: "released" as const, schemaFile, notesFile };
  };

  test("give requests without the header to one revision", async () => {
    const sender = { kind: "sender", target: "initialize", sender: "client" };
    const assumed = { kind: "transport", target: ["priming", "assumed"] };
    const [first, second] = [legacy("r1", assumed), legacy("r2", sender, assumed)];
    await expect(generate([first, second])).rejects.toMatchObject({
      code: "MG1203",
      message: expect.stringContaining("the notes of r1") as string,
      place: { file: second.notesFile, pointer: "/notes/1" },
      next: "Keep the note of one revision.",
    });
    const priming = { kind: "transport", target: "priming" };
    await expect(
      generate([first, legacy("r2", sender, priming)], { only: ["methods"] }),
    ).resolves.toBeDefined();
  });

  test("of subscriptions are refused with their place at revisions with sessions", async () => {
    const source = legacy("r1", { kind: "listening", target: "initialize" });
    await expect(generate([source])).rejects.toMatchObject({
      code: "MG1203",
      place: { file: source.notesFile, pointer: "/notes/0" },
    });
  });
});
