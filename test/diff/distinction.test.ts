import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { diffModels } from "../../generator/diff/diff-models.js";
import { documentOf, revisions } from "../support/revisions.js";
import { between, modelFrom } from "./models.js";

const arm = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

/** Arms that accept the smallest object of any arm, by the constraint because of which each refuses some objects. */
const others: Readonly<Record<string, readonly JsonObject[]>> = {
  "a limit": [arm({ title: { type: "string", maxLength: 3 } })],
  "a type": [arm({ title: { type: "number" } })],
  "a member that it forbids": [arm({ title: false as never })],
  "limits of several arms on one member": [
    arm({ title: { type: "string", maxLength: 3 }, first: { type: "string" } }),
    arm({ title: { type: "string", maxLength: 5 }, second: { type: "string" } }),
  ],
  "limits of several arms on several members": [
    arm({ title: { type: "string", maxLength: 3 }, first: { type: "string" } }),
    arm({ note: { type: "integer", maximum: 5 }, second: { type: "string" } }),
  ],
};

const own = arm({ title: { type: "string" }, note: { type: "integer" }, value: { type: "string" } });
const properties = own["properties"] as JsonObject;

/** Changes of an arm that refuse values which it took. */
const changes: Readonly<Record<string, JsonObject>> = {
  "requires one more member": {
    ...own,
    properties: { ...properties, added: { type: "string" } },
    required: ["added"],
  },
  "requires a member that was optional": { ...own, required: ["value"] },
  "is closed": { ...own, additionalProperties: false },
  "limits a member": { ...own, properties: { ...properties, value: { type: "string", maxLength: 4 } } },
  "has a member of another type": { ...own, properties: { ...properties, value: { type: "boolean" } } },
};

const rows = Object.keys(others).flatMap((how) => Object.keys(changes).map((what) => [how, what] as const));

test.each(rows)("beside arms that refuse by %s, an arm that %s breaks its writer", (how, what) => {
  const union = (last: JsonObject): JsonValue => ({ anyOf: [...others[how]!, last] });
  const breaking = between(union(own), union(changes[what]!)).filter(
    ({ level }) => level.client === "breaking",
  );
  expect(breaking.map(({ counterexample }) => counterexample?.valid)).toEqual([{ old: true, new: false }]);
});

test.each(Object.keys(changes))(
  "beside an arm that accepts any object, an arm that %s does not break its writer",
  (what) => {
    const union = (last: JsonObject): JsonValue => ({ anyOf: [{ type: "object" }, last] });
    expect(
      between(union(own), union(changes[what]!)).filter(({ level }) => level.client === "breaking"),
    ).toEqual([]);
  },
);

/** Revisions that describe the ids of requests only in the envelope. */
const byEnvelope = revisions.filter((revision) => {
  const { $defs } = documentOf(revision) as { $defs: { [name: string]: { properties?: object } } };
  return !Object.hasOwn($defs["CallToolRequest"]?.properties ?? {}, "id");
});

test.each(byEnvelope)("a request of %s that has lost its id is still compared as a request", (revision) => {
  const document = documentOf(revision);
  const changed = structuredClone(document) as {
    $defs: { JSONRPCRequest: { properties: JsonObject; required: string[] } };
  };
  const { JSONRPCRequest: request } = changed.$defs;
  delete request.properties["id"];
  request.properties["added"] = { type: "string" };
  request.required = [...request.required.filter((name) => name !== "id"), "added"];
  const findings = diffModels(modelFrom(document), modelFrom(changed as never));
  const added = findings.find(({ rule }) => rule === "property-added-required");
  expect(added).toMatchObject({
    level: { client: "breaking" },
    counterexample: { valid: { old: true, new: false } },
  });
});

test("beside a result that is taken by its limits, a result whose member has another type breaks its writer", () => {
  const document = structuredClone(documentOf("2026-07-28")) as {
    $defs: Record<string, { properties: Record<string, JsonValue> }>;
  };
  // The smallest text of one arm is that of the other result.
  document.$defs["InputRequiredResult"]!.properties["resultType"] = {
    anyOf: [
      { type: "string", minLength: 10 },
      { type: "string", pattern: "^t" },
    ],
  };
  const changed = structuredClone(document);
  changed.$defs["ReadResourceResult"]!.properties["ttlMs"] = { type: "boolean" };
  const found = diffModels(modelFrom(document as never), modelFrom(changed as never));
  expect(found.map(({ rule, level }) => [rule, level.server])).toEqual([["type-changed", "breaking"]]);
});
