import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { type Finding, subjectText } from "../../generator/diff/finding.js";
import { randomFrom } from "../../generator/sample/values.js";
import { cases, seed } from "../support/cases.mjs";
import { documentOf, revisions } from "../support/revisions.js";
import { mutate, withLimitedArms } from "../support/schema-changes/operators.js";
import { isProven } from "./gauntlet/proof.js";
import { Judge, type Shown, shownBy } from "./gauntlet/truth.js";
import { modelFrom } from "./models.js";

/**
 * The number of mutants of each document; there are two documents for each revision. It is small in short runs because
 * whole revisions are compared and compiled by ajv.
 */
const count = cases(1500, 4);
const draws = 40;

const textOf = ({ rule, subject, level }: Finding): string =>
  `${rule} ${subjectText(subject)} client:${level.client} server:${level.server}`;

/** Whether a finding reports the incompatibility that the message proves. */
function isFound({ role, as }: Shown, findings: readonly Finding[]): boolean {
  return findings.some(({ level }) =>
    as === "writer" ? level[role] === "breaking" : level[role] !== "safe",
  );
}

/** Each revision without changes, and with unions whose arms differ only in their limits. */
const documents = revisions.flatMap((revision) => [
  { name: revision, document: documentOf(revision) },
  {
    name: `${revision} with arms of different limits`,
    document: withLimitedArms(documentOf(revision), randomFrom(`limits ${revision} ${seed}`)),
  },
]);

test.each(documents)(
  `${count} changed documents of $name: findings and ajv agree about breaking changes`,
  ({ name, document }) => {
    const [model, judge] = [modelFrom(document), new Judge(document)];
    const failed: string[] = [];
    for (let index = 0; index < count; index++) {
      const random = randomFrom(`gauntlet ${name} ${seed} ${index}`);
      const { document: changed, changes, paths } = mutate(document, random.chance(0.5) ? 1 : 2, random);
      const findings = diffModels(model, modelFrom(changed));
      const judges = [judge, new Judge(changed, judge)] as const;
      const shown = shownBy(judges, paths, draws, random);
      const missed = shown.filter((each) => !isFound(each, findings));
      const breaking = findings.filter(
        ({ level }) => level.client === "breaking" || level.server === "breaking",
      );
      const unproven = breaking.filter((finding) => !isProven(finding, judges));
      judges[1].forget();
      if (missed.length + unproven.length === 0) continue;
      failed.push(
        [
          `#${index}`,
          ...changes.map((each) => `changed: ${each}`),
          ...findings.map((finding) => `found: ${textOf(finding)}`),
          ...missed.map((each) => `missed: ${JSON.stringify(each)}`),
          ...unproven.map((each) => `unproven: ${textOf(each)} ${JSON.stringify(each.counterexample)}`),
        ].join("\n"),
      );
    }
    expect(failed).toEqual([]);
  },
  3_600_000,
);

/** Later requests declare their id themselves. */
const byEnvelope = revisions.filter((revision) => {
  const { $defs } = documentOf(revision) as { $defs: { [name: string]: { properties?: object } } };
  return !Object.hasOwn($defs["CallToolRequest"]?.properties ?? {}, "id");
});

test.each(byEnvelope)("a request of %s that may no longer have an id breaks its sender", (revision) => {
  const document = documentOf(revision);
  const changed = structuredClone(document) as {
    $defs: { JSONRPCRequest: { properties: { id: unknown }; required: string[] } };
  };
  const { JSONRPCRequest: request } = changed.$defs;
  request.properties.id = false;
  request.required = request.required.filter((name) => name !== "id");
  const findings = diffModels(modelFrom(document), modelFrom(changed as never));
  expect(findings.some(({ level }) => level.client === "breaking")).toBe(true);
});

test.each(byEnvelope)(
  "an error of %s that may be null hides the envelope of no other message",
  (revision) => {
    const document = documentOf(revision);
    const changed = structuredClone(document) as { $defs: Record<string, { properties?: object }> };
    const nullable = (node: object): object => ({ anyOf: [node, { type: "null" }] });
    const errors = ["JSONRPCErrorResponse", "JSONRPCError"].filter((name) => name in changed.$defs);
    for (const name of errors) changed.$defs[name] = nullable(changed.$defs[name]!);
    const list = changed.$defs["ResourceListChangedNotification"]!.properties as { params: object };
    list.params = nullable(list.params);
    const judges = [new Judge(document), new Judge(changed as never)] as const;
    const findings = diffModels(modelFrom(document), modelFrom(changed as never));
    const breaking = findings.filter(
      ({ level }) => level.client === "breaking" || level.server === "breaking",
    );
    expect(breaking.filter((finding) => !isProven(finding, judges))).toEqual([]);
  },
);
