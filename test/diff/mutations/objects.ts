import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Random } from "../../../generator/sample/values.js";
import { type Make, anyValue, both, object, scalars, two, twoSchemas, word } from "./mutation.js";

const closed: JsonObject = { additionalProperties: false };

/** Properties that come, go, or change whether they must be there. */
function propertyChanges(): Make[] {
  const makes: Make[] = [];
  for (const isClosed of [false, true]) {
    for (const required of [false, true]) {
      const more = isClosed ? closed : {};
      const pair = (random: Random): readonly [JsonValue, JsonValue] => {
        const key = word(random);
        const without = object({ kept: { type: "string" } }, ["kept"], more);
        const withIt = object(
          { kept: { type: "string" }, [key]: anyValue(random) },
          required ? ["kept", key] : ["kept"],
          more,
        );
        return [without, withIt];
      };
      makes.push((random) => {
        const [old, next] = pair(random);
        const rule = required ? "property-added-required" : "property-added-optional";
        return { old, new: next, rule, ...(isClosed && { when: "the old object is closed" }) };
      });
      makes.push((random) => {
        const [next, old] = pair(random);
        const when = `it was ${required ? "required" : "optional"}${isClosed ? ", and the new object is closed" : ""}`;
        return { old, new: next, rule: "property-removed", when };
      });
    }
  }
  return makes;
}

/** Members that an open object declares on one side and forbids on the other. */
function forbiddenMembers(): Make[] {
  return [false, true].flatMap((required) => {
    const pair = (random: Random): readonly [JsonValue, JsonValue] => {
      const key = word(random);
      const kept = { kept: { type: "string" } };
      return [
        object({ ...kept, [key]: anyValue(random) }, required ? ["kept", key] : ["kept"]),
        object({ ...kept, [key]: false }, ["kept"]),
      ];
    };
    const removed: Make = (random) => {
      const [old, next] = pair(random);
      const when = `it was ${required ? "required" : "optional"}, and the new object is closed`;
      return { old, new: next, rule: "property-removed", when };
    };
    const added: Make = (random) => {
      const [next, old] = pair(random);
      const rule = required ? "property-added-required" : "property-added-optional";
      return { old, new: next, rule, when: "the old object is closed" };
    };
    return [removed, added];
  });
}

export const objectChanges: readonly Make[] = [
  ...propertyChanges(),
  ...forbiddenMembers(),
  ...both("property-became-required", "property-became-optional", (random) => {
    const key = word(random);
    const value = anyValue(random);
    return [object({ [key]: value }, []), object({ [key]: value })];
  }),
  ...both("object-closed", "object-opened", (random) => {
    const properties = { kept: anyValue(random) };
    return [
      object(properties, [], random.chance(0.5) ? { additionalProperties: {} } : {}),
      object(properties, [], closed),
    ];
  }),
  ...both("object-closed", "object-opened", (random) => {
    const kept = { kept: anyValue(random) };
    return [object(kept, []), object({ ...kept, [word(random)]: false }, [])];
  }),
  ...both("map-value-widened", "map-value-narrowed", (random) => {
    const [one, other] = two(scalars, random);
    return [
      { type: "object", additionalProperties: { type: one } },
      {
        type: "object",
        additionalProperties: random.pick<JsonValue>([
          { type: [one, other] },
          {},
          { anyOf: [{ type: one }, { type: "array" }] },
        ]),
      },
    ];
  }),
  ...both("default-added", "default-removed", (random) => {
    const [value] = two([1, 2, 3], random);
    return [{ type: "number" }, { type: "number", default: value }];
  }),
  ...both("default-changed", "default-changed", (random) =>
    twoSchemas([1, 2, 3], random, (value) => ({ type: "number", default: value })),
  ),
  ...both("deprecated-added", "deprecated-removed", (random) => {
    const value = anyValue(random);
    return [value, { ...value, deprecated: true }];
  }),
];
