import type { JsonObject } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { defaultPolicy } from "../../generator/diff/finding.js";
import type { Published } from "../../generator/diff/walk/parts.js";
import type { ErrataNote } from "../../generator/notes/note.js";
import { documentOf } from "../support/revisions.js";
import { line, modelFrom } from "./models.js";

const model = modelFrom(documentOf("2025-11-25"));
const dialects = { old: "2020-12", new: "2020-12" };
const errata: ErrataNote = {
  kind: "errata",
  targets: ["/$defs/Tool/properties/inputSchema"],
  becomes: {},
  reason: "",
  link: "",
  carried: false,
  pointer: "",
};

function reported(published: Published): string[] {
  return diffModels(model, model, defaultPolicy, { ...dialects, published }).map(line);
}

test("a revision that was published again is not reported as a new one", () => {
  const published = { revision: "2025-11-25", old: "a".repeat(64), new: "b".repeat(64), dropped: [] };
  expect(reported(published)).toEqual(["published-file-changed 2025-11-25 client:safe server:safe"]);
  expect(reported({ ...published, new: published.old })).toEqual([]);
});

test("corrections are reported if the new file contains them, or lacks their places", () => {
  const problem = { note: errata, target: errata.targets[0]!, message: "the schema already says so" };
  const dropped = [
    { ...problem, code: "MG1203" as const },
    { ...problem, code: "MG1202" as const, message: "the schema has nothing at this place" },
    // Other dropped notes are not findings: a person has to confirm them.
    { ...problem, code: "MG1203" as const, note: { ...errata, kind: "open" as const } },
  ];
  expect(reported({ revision: "2025-11-25", old: "a", new: "b", dropped })).toEqual([
    "published-file-changed 2025-11-25 client:safe server:safe",
    "errata-stale Tool.inputSchema client:safe server:safe",
    "errata-missing-target Tool.inputSchema client:safe server:safe",
  ]);
});

test("a changed published file is breaking only if the configuration sets that severity", () => {
  const published = { revision: "2025-11-25", old: "a", new: "b", dropped: [] };
  const policy = { ...defaultPolicy, severities: { "published-file-changed": "breaking" } } as const;
  const document: JsonObject = documentOf("2025-11-25");
  const [finding] = diffModels(model, modelFrom(document), policy, { ...dialects, published });
  expect(finding!.level).toEqual({ client: "breaking", server: "breaking" });
});
