import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigGate, loadConfig } from "../../generator/config/config.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Trusts everything; the tests of trust are in test/command/trust/. */
const gate: ConfigGate = { home: "/nowhere", admitsConfig: async () => true };

const loading = async (files: Record<string, string>): Promise<unknown> =>
  loadConfig(temporaryFolder(files), gate).then(
    ({ config }) => config,
    (error: unknown) => error,
  );
const json = (text: string) => loading({ "mcpgen.config.json": text });

test("without a file, all options have their defaults", async () => {
  const folder = temporaryFolder();
  expect(await loadConfig(folder, gate)).toEqual({ config: {}, folder });
});

test("the nearest file upwards counts; --config takes precedence", async () => {
  const folder = temporaryFolder({
    "mcpgen.config.json": '{"out":"upper"}',
    "a/mcpgen.config.js": 'export default { out: "lower" };',
    "other.json": '{"out":"named"}',
  });
  mkdirSync(join(folder, "a/b"));
  expect((await loadConfig(join(folder, "a/b"), gate)).config.out).toBe("lower");
  expect((await loadConfig(folder, gate)).config.out).toBe("upper");
  const named = await loadConfig(join(folder, "a/b"), gate, "../../other.json");
  expect([named.config.out, named.folder]).toEqual(["named", folder]);
});

test("the search ends at the root of the project and at the home folder", async () => {
  const folder = temporaryFolder({
    "mcpgen.config.json": '{"out":"above"}',
    "cloned/.git/HEAD": "",
    "cloned/packages/a/package.json": "{}",
    "cloned/packages/mcpgen.config.json": '{"out":"cloned"}',
    "package/package.json": "{}",
    "package/src/x": "",
    "home/notes/x": "",
  });
  const outIn = async (path: string, home = gate.home): Promise<string | undefined> =>
    (await loadConfig(join(folder, path), { ...gate, home })).config.out;
  // A package of a monorepo has the configuration of the repository.
  expect(await outIn("cloned/packages/a")).toBe("cloned");
  expect(await outIn("cloned")).toBeUndefined();
  expect(await outIn("package/src")).toBeUndefined();
  expect(await outIn("home/notes")).toBe("above");
  expect(await outIn("home/notes", join(folder, "home"))).toBeUndefined();
});

test("every key is understood", async () => {
  const config = {
    revisions: ["2025-11-25"],
    schema: "schema",
    out: "out",
    package: "@x/y",
    contracts: [{ file: "c.yaml", out: "c", role: "server", server: "stdio:node s.js" }],
    importExtension: "ts",
    templates: "t",
    diff: { readers: "open", failOn: "breaking", rules: { r: "off" } },
  };
  expect(await json(JSON.stringify(config))).toEqual(config);
});

describe("a mistake is named with its place and exits with 2", () => {
  test.each<[string, string, string, RegExp, object]>([
    [
      "an unknown key",
      '{\n  "otu": "x"\n}',
      "MG2102",
      /no key "otu"/,
      { line: 2, column: 10, pointer: "/otu" },
    ],
    ["an unknown key below", '{"diff":{"raeders":1}}', "MG2102", /"raeders"/, { pointer: "/diff/raeders" }],
    ["a wrong type", '{"out": 5}', "MG2103", /expected string, got 5 \(number\)/, { pointer: "/out" }],
    ["a wrong choice", '{"importExtension":"mjs"}', "MG2103", /one of "js", "ts", got "mjs"/, {}],
    ["a wrong item", '{"revisions":["a",null]}', "MG2103", /got null/, { pointer: "/revisions/1" }],
    ["a missing key", '{"contracts":[{"file":"x","out":"y"}]}', "MG2103", /"role", which is missing/, {}],
    ["no object", "[]", "MG2103", /expected object, got array/, {}],
    ["no JSON", '{"out": }', "MG2101", /expected JSON/, { line: 1 }],
    ["an own __proto__", '{"__proto__":{}}', "MG2102", /"__proto__"/, {}],
  ])("%s", async (_, text, code, message, place) => {
    expect(await json(text)).toMatchObject({
      code,
      exitCode: 2,
      message: expect.stringMatching(message) as string,
      place: { file: expect.stringContaining("mcpgen.config.json") as string, ...place },
    });
  });

  test.each<[string, string, RegExp]>([
    ["no default export", "export const a = 1;", /default export, got none/],
    ["a function", "export default () => {};", /got a function/],
    ["a module that throws", 'throw new Error("boom");', /boom/],
    ["a syntax error", "export default {", /cannot be imported/],
  ])("%s", async (_, text, message) => {
    const error = await loading({ "mcpgen.config.js": text });
    expect(error).toMatchObject({
      code: "MG2101",
      exitCode: 2,
      message: expect.stringMatching(message) as string,
    });
  });

  test("two files in one folder", async () => {
    const error = await loading({ "mcpgen.config.js": "export default {};", "mcpgen.config.json": "{}" });
    expect(error).toMatchObject({ code: "MG2101", message: "expected one configuration file, got 2" });
  });

  test("a value that JSON cannot hold", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mcpgen.config.js"), "export default { out: () => 1 };");
    await expect(loadConfig(folder, gate)).rejects.toMatchObject({
      code: "MG2103",
      message: expect.stringContaining("function") as string,
    });
  });
});
