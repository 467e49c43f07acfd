import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, type JsonValue, atPointer } from "@mcpgen/engine";
import {
  idPattern,
  readExtensionFile,
  versionPattern,
  storedExtensions,
  filesOf,
} from "../../generator/extension/extension-store.js";
import { parseJson } from "../../generator/files/json-file.js";
import { cases } from "../support/cases.mjs";

/** Documents that are drawn. */
const runs = cases(600);

const extensionSchema = JSON.parse(readFileSync("docs/extension.schema.json", "utf8")) as JsonObject;
const validate = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: false }).compile(
  extensionSchema,
);

test("docs/extension.schema.json has the patterns of ids and versions that their explanations use", () => {
  const patternAt = (place: string): unknown => atPointer(extensionSchema, `/properties/${place}/pattern`);
  expect(patternAt("id")).toBe(idPattern);
  expect(patternAt("needs/properties/extensions/items")).toBe(idPattern);
  expect(patternAt("version")).toBe(versionPattern);
});

const read = async (value: JsonValue): Promise<boolean> =>
  readExtensionFile(await parseJson(JSON.stringify(value), "extension.json")).then(
    () => true,
    () => false,
  );

/** An extension file with every key. */
const whole: JsonObject = {
  $schema: "x",
  format: 1,
  id: "com.example/search",
  version: "1.2.0",
  status: "draft",
  bases: ["2025-11-25"],
  declared: { client: null, server: "/extensions/com.example~1search" },
  settings: { client: null, server: "#/$defs/Settings" },
  needs: { capabilities: ["/resources"], extensions: ["com.example/other"] },
  channel: {
    roles: ["page", "frame"],
    handshake: { request: "search/hello", confirmation: "notifications/search/ready" },
  },
  description: "Finds things.",
  link: "https://example.com",
};

test("each key is described, and a file with all of them is accepted", async () => {
  expect(Object.keys(whole)).toEqual(Object.keys(extensionSchema["properties"] as JsonObject));
  expect([validate(whole), await read(whole)]).toEqual([true, true]);
});

const values: readonly JsonValue[] = [
  "",
  "x",
  5,
  1,
  null,
  [],
  ["x", "x"],
  ["/x"],
  ["a/b", "2025-11-25"],
  {},
  { server: "/a" },
  { server: "#/$defs/A" },
  { client: null },
  { client: "/a~2" },
  { extensions: ["no id"] },
  { capabilities: ["/a~1b"] },
  { roles: ["view", "host"], handshake: { request: "a/b" } },
  { roles: ["view", "view"], handshake: { request: "a/b" } },
  { roles: ["view", "server"], handshake: { request: "a/b" } },
  { roles: ["view"], handshake: { request: "a/b" } },
  { roles: ["view", "Host"], handshake: { request: "a/b" } },
  { roles: ["view", "host"] },
  { roles: ["view", "host"], handshake: { confirmation: "a/b" } },
  "com.example/search",
  "io.modelcontextprotocol/skills",
  "com.mcp/x",
  "a.b-/x",
  "a/b/c",
  "1a/b",
  "acme/b-",
  "v 1",
  "1.0.0-rc.1",
  "released",
];

test("schema and reader accept and refuse the same", async () => {
  let taken = 0;
  const changed = fc.record({
    key: fc.constantFrom(...Object.keys(whole), "x", "__proto__"),
    value: fc.constantFrom(...values),
    without: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(changed, async ({ key, value, without }) => {
      const file = Object.fromEntries([
        ...Object.entries(whole).filter(([name]) => name !== key),
        ...(without ? [] : [[key, value] as const]),
      ]);
      const isTaken = await read(file);
      taken += isTaken ? 1 : 0;
      expect([file, validate(file)]).toEqual([file, isTaken]);
    }),
    { numRuns: runs },
  );
  expect(taken).toBeGreaterThan(runs / 20);
});

test("the stored extension files fit their schema", async () => {
  for (const stored of storedExtensions("schema")) {
    const text = readFileSync(filesOf(stored).extension, "utf8");
    expect(validate(JSON.parse(text)), stored.id).toBe(true);
    const { id, version } = await readExtensionFile(await parseJson(text, "extension.json"));
    expect({ id, version }).toEqual({ id: stored.id, version: stored.version });
  }
});
