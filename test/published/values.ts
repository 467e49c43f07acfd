import { type JsonObject, type JsonValue, type Schema, isJsonObject, readDocument } from "@mcpgen/engine";
import { mutants } from "../../generator/sample/invalid.js";
import { randomFrom } from "../../generator/sample/values.js";
import { minimalValid, sampleValid } from "../../generator/sample/sample.js";

/** A schema whose root is the definition with an empty name. */
function named(json: JsonObject): Schema | undefined {
  const { root, definitions, ...rest } = readDocument(json, { enums: "written" });
  return (
    root &&
    ({ ...rest, root, definitions: new Map([...definitions, ["", { name: "", node: root }]]) } as Schema)
  );
}

/** Valid values of a schema, the smallest first; empty if the schema accepts nothing. */
export function validValues(json: JsonObject, count: number, seed: string): JsonValue[] {
  const schema = named(json);
  if (!schema) return [];
  const random = randomFrom(seed);
  const values = [
    minimalValid(schema, ""),
    ...Array.from({ length: count }, () => sampleValid(schema, "", random)),
  ];
  return values.filter((value) => value !== undefined);
}

/** Values that differ from a valid one in one place; some of them are valid, too. */
export function changedValues(json: JsonObject, value: JsonValue, seed: string): JsonValue[] {
  const schema = named(json);
  return schema ? mutants(schema, "", value, randomFrom(seed)).map((mutant) => mutant.value) : [];
}

const others: readonly JsonValue[] = [true, 5.5, "text", null, ["text"], { member: "text" }];

/** Values in which a member that `properties` names is of a type that its schema's `type` does not have. */
export function wrongTypes(json: JsonObject, value: JsonValue): JsonObject[] {
  if (!isJsonObject(value) || !isJsonObject(json["properties"])) return [];
  return Object.entries(json["properties"]).flatMap(([name, schema]) => {
    const { type } = isJsonObject(schema) ? schema : {};
    if (typeof type !== "string") return [];
    const wrong = others.find(
      (other) => typeOf(other) !== type && !(type === "number" && typeof other === "number"),
    );
    return wrong === undefined ? [] : [{ ...value, [name]: wrong }];
  });
}

function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}
