import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { compile } from "../support/compiled-schema.js";
import { revisions } from "../support/revisions.js";
import { corrected, published } from "./subjects.js";

/**
 * Upstream's examples are not ours to copy: `MCP_SPEC_DIR` names a folder that holds
 * `<revision>/examples/<Definition>/*.json`, as upstream's `schema/` does.
 */
const folder = process.env["MCP_SPEC_DIR"];

if (folder === undefined)
  test.skip("upstream's examples are valid (skipped: MCP_SPEC_DIR is not set)", () => {});
else {
  const found = revisions.filter((revision) => existsSync(join(folder, revision, "examples")));

  test("there are examples to judge", () => expect(found).not.toEqual([]));

  describe.each(found)("%s", (revision) => {
    test.each(Object.entries({ published, corrected }))(
      "upstream's examples are valid by the %s schema",
      async (_, load) => {
        const { schema } = load(revision);
        const compiled = await compile(schema);
        const files = examplesIn(join(folder, revision, "examples"));
        expect(files.length).toBeGreaterThan(0);
        for (const [name, file] of files) {
          const value: unknown = JSON.parse(readFileSync(file, "utf8"));
          const { is, accepts, explain } = compiled.get(name)!;
          expect({ file, is: is(value), accepts: accepts(value), issues: explain(value) }).toEqual({
            file,
            is: true,
            accepts: true,
            issues: [],
          });
        }
      },
    );
  });
}

/** Definition and file of each example. */
function examplesIn(examples: string): [definition: string, file: string][] {
  return readdirSync(examples, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .sort()
    .map((path) => [basename(join(path, "..")), join(examples, path)]);
}
