import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { levelFor } from "../../generator/diff/finding.js";
import { documentOf, revisions } from "../support/revisions.js";
import { line, modelFrom } from "./models.js";
import { transformations } from "./transformations.js";

test.each(
  Object.keys(transformations).flatMap((name) => revisions.map((revision) => [name, revision] as const)),
)("%s: %s means the same on the wire", (name, revision) => {
  const document = documentOf(revision);
  const [model, other] = [modelFrom(document), modelFrom(transformations[name]!(document))];
  for (const findings of [diffModels(model, other), diffModels(other, model)]) {
    expect(findings.filter((finding) => levelFor(finding, "both") !== "safe").map(line)).toEqual([]);
    if (name === "shuffled") expect(findings).toEqual([]);
  }
});
