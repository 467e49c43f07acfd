import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Random } from "../../../generator/sample/values.js";
import { definitionsOf, referenced, strings } from "../../support/schema-changes/document.js";

/** A key that no document declares and no operator adds. */
const undeclared = "x-undeclared";

/** A limit on how far a place may lie below the depth that a sample allows. */
const deepest = -8;

const texts = ["", "a", "text", "https://example.com/", "aGVsbG8=", "x".repeat(40)];
const numbers = [0, 1, 0.5, -1, 3, 700, 5000];

/** Draws instances of one document's schemas. It prefers members that lead to the places in `focus`. */
export class Sampler {
  private readonly definitions: Readonly<Record<string, JsonObject>>;
  /** Definitions that hold a place of interest, at whatever depth. */
  private readonly holders: ReadonlySet<string>;
  private readonly focus: ReadonlySet<JsonObject>;
  private readonly leading = new Map<JsonObject, boolean>();
  private readonly random: Random;

  /**
   * @param focus paths of the places of interest
   * @param holders definitions from which one of these places is reached
   */
  constructor(
    document: JsonObject,
    focus: readonly (readonly string[])[],
    holders: ReadonlySet<string>,
    random: Random,
  ) {
    this.definitions = definitionsOf(document);
    this.holders = holders;
    this.focus = new Set(focus.flatMap((path) => nodesAlong(document, path)));
    this.random = random;
  }

  /** An instance of a definition; not always a valid one. */
  draw(name: string): JsonValue {
    return this.value({ $ref: `#/$defs/${name}` }, 7);
  }

  private value(schema: JsonValue | undefined, room: number): JsonValue {
    if (!isJsonObject(schema) || room < deepest) return this.any();
    const target = referenced(schema);
    if (target !== undefined) return this.value(this.definitions[target], room - 1);
    if (schema["const"] !== undefined) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.random.pick(schema["enum"]);
    const arms = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(arms) && arms.length > 0) return this.value(this.arm(arms, room), room - 1);
    if (Array.isArray(schema["allOf"])) return this.all(schema, schema["allOf"], room);
    const { type } = schema;
    const chosen = Array.isArray(type) && type.length > 0 ? this.random.pick(type) : type;
    return this.typed(schema, typeof chosen === "string" ? chosen : undefined, room);
  }

  private all({ allOf: _parts, ...own }: JsonObject, parts: readonly JsonValue[], room: number): JsonValue {
    const values = [...parts, own].map((part) => this.value(part, room - 1)).filter(isJsonObject);
    return Object.assign({}, ...values) as JsonObject;
  }

  private arm(arms: readonly JsonValue[], room: number): JsonValue {
    const leading = arms.filter((arm) => this.leads(arm));
    if (leading.length > 0 && this.random.chance(0.8)) return this.random.pick(leading);
    if (room > 0) return this.random.pick(arms);
    return arms.find((arm) => isJsonObject(arm) && typeof arm["type"] === "string") ?? arms[0]!;
  }

  private typed(schema: JsonObject, type: string | undefined, room: number): JsonValue {
    switch (type) {
      case "object":
        return this.object(schema, room);
      case "array":
        return this.array(schema, room);
      case "string":
        return this.random.pick(texts);
      case "integer":
        return this.random.pick(numbers.filter(Number.isInteger));
      case "number":
        return this.random.pick(numbers);
      case "boolean":
        return this.random.chance(0.5);
      case "null":
        return null;
      default:
        return this.any();
    }
  }

  private object(schema: JsonObject, room: number): JsonObject {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = strings(schema["required"]);
    const result: JsonObject = {};
    for (const key of new Set([...Object.keys(properties), ...required])) {
      const member = properties[key];
      const likely = this.leads(member) ? 0.8 : this.focus.has(schema) ? 0.4 : room > 0 ? 0.15 : 0;
      if (required.includes(key) || this.random.chance(likely))
        result[key] = this.value(member ?? {}, room - 1);
    }
    const others = schema["additionalProperties"];
    if (isJsonObject(others) && Object.keys(others).length > 0 && this.random.chance(0.7))
      result[this.random.pick(["key", "other"])] = this.value(others, room - 1);
    else if (others !== false && this.focus.has(schema) && this.random.chance(0.3))
      result[undeclared] = this.any();
    return result;
  }

  private array(schema: JsonObject, room: number): JsonValue[] {
    const { items } = schema;
    const most = room < 0 ? 1 : this.leads(items) || this.focus.has(schema) ? 4 : room > 0 ? 2 : 1;
    return Array.from({ length: this.random.below(most) }, () => this.value(items, room - 1));
  }

  private any(): JsonValue {
    return this.random.pick<JsonValue>(["text", 1, 0.5, true, null, {}, [], { key: "text" }]);
  }

  /** Whether a schema is on the way to a place of interest. */
  private leads(schema: JsonValue | undefined): boolean {
    if (!isJsonObject(schema)) return false;
    let known = this.leading.get(schema);
    if (known === undefined) this.leading.set(schema, (known = this.findLead(schema)));
    return known;
  }

  private findLead(schema: JsonObject): boolean {
    if (this.focus.has(schema)) return true;
    const target = referenced(schema);
    if (target !== undefined) return this.holders.has(target);
    const inside = [
      schema["anyOf"],
      schema["oneOf"],
      schema["allOf"],
      isJsonObject(schema["properties"]) ? Object.values(schema["properties"]) : [],
    ];
    return (
      inside.some((arms) => Array.isArray(arms) && arms.some((arm) => this.leads(arm))) ||
      this.leads(schema["items"]) ||
      this.leads(schema["additionalProperties"])
    );
  }
}

/** The schemas that a path passes, as far as the document has them. */
function nodesAlong(document: JsonObject, path: readonly string[]): JsonObject[] {
  const found: JsonObject[] = [];
  let current: JsonValue | undefined = document;
  for (const token of path) {
    if (typeof current !== "object" || current === null) break;
    current = (current as Readonly<Record<string, JsonValue>>)[token];
    if (isJsonObject(current)) found.push(current);
  }
  return found;
}
