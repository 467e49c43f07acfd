import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  type Schema,
  SchemaError,
  canonicalise,
  isJsonObject,
  readSchema,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Compiled, compile } from "./compiled.js";

/** A clone of json-schema-org/JSON-Schema-Test-Suite. */
const folder = process.env["JSON_SCHEMA_TEST_SUITE_DIR"];

interface Group {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

/** Files about what is refused on reading: other documents, anchors, dynamic references, vocabularies. */
const refused = new Set(["anchor.json", "dynamicRef.json", "refRemote.json", "vocabulary.json"]);

if (folder === undefined)
  test.skip("the official JSON Schema tests (skipped: JSON_SCHEMA_TEST_SUITE_DIR is not set)", () => {});
else {
  const draft = join(folder, "tests/draft2020-12");
  const files = readdirSync(draft).filter((file) => file.endsWith(".json") && !refused.has(file));

  describe.each(files)("%s", (file) => {
    const groups = JSON.parse(readFileSync(join(draft, file), "utf8")) as Group[];

    test("interpreter, validators and checks pass what can be read", { timeout: 60_000 }, async () => {
      for (const { description, schema: document, tests } of groups) {
        const schema = read(document);
        if (!schema) continue;
        const { is, check } = (await compiled(schema)) ?? {};
        for (const { description: about, data, valid } of tests) {
          const place = `${basename(file)}: ${description}: ${about}`;
          expect(isValid(schema, schema.definitions.get("Root")!.node, data), place).toBe(valid);
          if (is && check)
            expect({ is: is(data), sound: check(data).length === 0 }, place).toEqual({
              is: valid,
              sound: valid,
            });
        }
      }
    });
  });
}

/** The schema with its root as a definition, or `undefined` where it needs what is not supported. */
function read(document: JsonValue): Schema | undefined {
  try {
    const { definitions, root = { pointer: "" } } = readSchema(canonicalise(document as JsonObject));
    return { definitions: new Map([...definitions, ["Root", { name: "Root", node: root }]]) };
  } catch (error) {
    if (error instanceof SchemaError && (!isJsonObject(document) || error.code !== "malformed-keyword"))
      return undefined;
    throw error;
  }
}

/** Nothing is emitted for keywords that speak of what others have looked at. */
async function compiled(schema: Schema): Promise<Compiled | undefined> {
  try {
    return (await compile(schema)).get("Root");
  } catch (error) {
    if (error instanceof SchemaError && error.code === "unsupported-keyword") return undefined;
    throw error;
  }
}
