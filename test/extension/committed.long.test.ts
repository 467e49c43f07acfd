import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { canonicalExtension } from "../../generator/extension/canonical/canonical-extension.js";
import { storedExtensions } from "../../generator/extension/extension-store.js";
import { storedText } from "../../generator/revision/stored-schema.js";
import { documentOf, revisions } from "../support/revisions.js";

const schemaDir = fileURLToPath(new URL("../../schema", import.meta.url));

test.each(storedExtensions(schemaDir).map(({ id, version, folder }) => [id, version, folder] as const))(
  "the schema of %s@%s is its own canonical form",
  (_, __, folder) => {
    const read = (file: string): JsonObject =>
      JSON.parse(readFileSync(join(folder, file), "utf8")) as JsonObject;
    const document = read("schema.json");
    const bases = (read("extension.json")["bases"] as string[])
      .map((revision) => ({ revision, document: documentOf(revision) }))
      .reverse();
    const canonical = canonicalExtension(document, bases, revisions);
    expect([canonical.dropped, canonical.folds, canonical.hoisted]).toEqual([[], [], []]);
    expect(storedText(canonical.document)).toBe(storedText(document));
  },
);
