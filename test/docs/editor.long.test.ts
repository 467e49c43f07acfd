import { existsSync, readFileSync, readdirSync } from "node:fs";
import type { JsonObject } from "@mcpgen/engine";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { filesIn } from "../../generator/command/dev/inputs.js";
import { breaks } from "./broken-documents.js";
import { blocksOf } from "./documents.js";

interface Settings {
  readonly "json.schemas": readonly { readonly fileMatch: readonly string[]; readonly url: string }[];
  readonly "yaml.schemas": Readonly<Record<string, readonly string[]>>;
}

const page = "docs/tasks/editor.md";
const [block] = blocksOf(page, "json");
const settings = JSON.parse(block!) as Settings;
const published = readdirSync("docs").filter((name) => name.endsWith(".schema.json"));

/** Each pattern with the schema of its files. */
const patterns = [
  ...settings["json.schemas"].map(({ fileMatch, url }) => ({ url, matches: fileMatch })),
  ...Object.entries(settings["yaml.schemas"]).map(([url, matches]) => ({ url, matches })),
].flatMap(({ url, matches }) => matches.map((pattern) => ({ url, pattern })));

/** The file of this repository that the package has at a path of the settings. */
function fileOf(url: string): string {
  const [, file] = /^\.\/node_modules\/mcpgen\/(docs\/[\w.]+)$/.exec(url) ?? [];
  if (file === undefined) throw new Error(`not a path of the package: ${url}`);
  return file;
}

test("each schema of the settings is a file of the package, and a schema", () => {
  const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[] };
  expect(files).toContain("docs");
  for (const { url } of patterns) {
    expect(existsSync(fileOf(url)), url).toBe(true);
    const schema = JSON.parse(readFileSync(fileOf(url), "utf8")) as object;
    expect(new Ajv2020({ strict: false }).validateSchema(schema), url).toBe(true);
  }
});

test("the page lists each published schema", () => {
  const text = readFileSync(page, "utf8");
  expect(published.length).toBeGreaterThan(4);
  for (const name of published) expect(text).toContain(`|[${name}](../${name})|`);
  // These describe output, which people do not edit.
  const printed = new Set(["diff.schema.json", "help.schema.json"]);
  const used = new Set(patterns.map(({ url }) => fileOf(url)));
  expect([...used].toSorted()).toEqual(
    published.filter((name) => !printed.has(name)).map((name) => `docs/${name}`),
  );
});

/** The files of this repository, but those that are installed or built. */
const files = filesIn(".").filter((file) => !file.startsWith("dist"));

/** Whether an editor applies a pattern to a file: `*` stands for a part of a name, `**` for folders. */
function isMatch(pattern: string, file: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^$()[\]{}|\\?]/g, "\\$&")
    .replaceAll(/\*\*\/|\*/g, (part) => (part === "*" ? "[^/]*" : "(?:.*/)?"));
  return new RegExp(`(?:^|/)${expression}$`).test(file);
}

const validatorOf = (schema: object): ValidateFunction =>
  new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

test.each(patterns)("the files at $pattern fit their schema", ({ url, pattern }) => {
  const schema = JSON.parse(readFileSync(fileOf(url), "utf8")) as object;
  const validate = validatorOf(schema);
  const found = files.filter((file) => isMatch(pattern, file));
  // Contracts here have one of the two endings.
  expect(found.length > 0).toBe(!pattern.endsWith(".yml"));
  for (const file of found) {
    validate(parse(readFileSync(file, "utf8")));
    expect(validate.errors, file).toBeNull();
  }
});

test.each([...new Set(patterns.map(({ url }) => url))])("%s refuses broken files, at the place", (url) => {
  const schema = JSON.parse(readFileSync(fileOf(url), "utf8")) as JsonObject;
  const validate = validatorOf(schema);
  const own = patterns.filter((each) => each.url === url);
  const found = files.filter((file) => own.some(({ pattern }) => isMatch(pattern, file)));
  const documents = found.map((file) => parse(readFileSync(file, "utf8")) as JsonObject);
  const all = breaks(schema, documents);
  const kinds = new Set(all.map(({ keyword }) => keyword));
  expect([...kinds].toSorted()).toEqual(expect.arrayContaining(["additionalProperties", "required", "type"]));
  const accepted = all.filter(({ document, at, keyword }) => {
    validate(document);
    return !validate.errors?.some((error) => error.instancePath === at && error.keyword === keyword);
  });
  expect(accepted.map(({ at, keyword, subject }) => `${keyword} ${subject} at ${at}`)).toEqual([]);
});

test("the settings cover each file of notes and of an extension", () => {
  const written = files.filter((file) => /\/(?:notes|extension)\.json$/.test(file));
  expect(written.length).toBeGreaterThan(10);
  expect(written.filter((file) => !patterns.some(({ pattern }) => isMatch(pattern, file)))).toEqual([]);
});
