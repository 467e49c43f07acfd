import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Random } from "../../../generator/sample/values.js";

/** The dialect whose keywords a random schema is made of. */
export type Spelling = "2020-12" | "draft-07";

/** The names that a random schema is made of. */
export interface Vocabulary {
  readonly members: readonly string[];
  readonly definitions: readonly string[];
}

/** Few names, so that keywords often concern the same member. Some are names of inherited members, or need escapes. */
const usual: Vocabulary = {
  members: [
    ...["a", "b", "c", "type", "kind", "value", "depth", "later"],
    ...["constructor", "toString", "__proto__", "x-y/z", "isA", "const", "1st"],
  ],
  definitions: ["A", "B", "Error", "tree", "x-y"],
};
const tags = ["one", "two", "three"];
const patterns = ["^a", "o", "^.$", "^[a-z]+$", "/", "^x-"];
const formats = ["date-time", "email", "uri", "ipv4", "uuid", "no-such-format"];
const types = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Random schemas of every keyword; the same stream gives the same schemas. */
export class SchemaMaker {
  private readonly random: Random;
  private readonly spelling: Spelling;
  private readonly definitionsAt: string;
  /** Keywords that identify and refer other than by pointer; protocol documents do without. */
  private readonly resources: boolean;
  private readonly vocabulary: Vocabulary;
  /** The definitions to which a schema of the same value may refer, so that no definition refers to itself. */
  private reachable: readonly string[];
  private anchored = false;

  constructor(random: Random, spelling: Spelling, resources: boolean, vocabulary: Vocabulary = usual) {
    this.vocabulary = vocabulary;
    this.reachable = vocabulary.definitions;
    this.random = random;
    this.spelling = spelling;
    this.resources = resources;
    this.definitionsAt = spelling === "2020-12" ? "$defs" : "definitions";
  }

  /** A document as a tool has it: its root describes an object, more or less. */
  document(object: boolean): JsonObject {
    const { random } = this;
    this.anchored = false;
    const definitions = this.definitions();
    const root = random.chance(0.9) ? this.object(4) : this.schemaObject(4);
    return {
      ...(random.chance(0.3) && { $schema: this.dialect() }),
      ...(this.resources && random.chance(0.1) && { $id: "https://example.com/root.json" }),
      ...root,
      ...(object ? { type: "object" } : {}),
      [this.definitionsAt]: definitions,
    };
  }

  /** Definitions that may refer to each other. */
  definitions(): JsonObject {
    const { definitions } = this.vocabulary;
    const made = definitions.map((name, index) => {
      this.reachable = definitions.slice(index + 1);
      return [name, this.definition(name)] as const;
    });
    this.reachable = definitions;
    return Object.fromEntries(made);
  }

  dialect(): string {
    return this.spelling === "2020-12"
      ? "https://json-schema.org/draft/2020-12/schema"
      : "http://json-schema.org/draft-07/schema#";
  }

  schema(depth: number): JsonValue {
    if (this.random.chance(0.08)) return this.random.chance(0.6);
    return this.schemaObject(depth);
  }

  private definition(name: string): JsonValue {
    const schema = this.schema(3);
    if (!this.resources || typeof schema !== "object" || this.spelling === "draft-07") return schema;
    const identified: JsonObject = { ...(schema as JsonObject) };
    if (name === "x-y") identified["$anchor"] = "anchored";
    if (name === "x-y") identified["$dynamicAnchor"] = "dynamic";
    this.anchored ||= name === "x-y";
    return identified;
  }

  private schemaObject(depth: number): JsonObject {
    const { random } = this;
    if (random.chance(0.03)) return {};
    if (random.chance(0.12)) return this.reference();
    const schema: JsonObject = {};
    const groups = 1 + random.below(random.chance(0.3) ? 4 : 2);
    for (let group = 0; group < groups; group++)
      Object.assign(schema, depth > 0 && random.chance(0.6) ? this.applicator(depth - 1) : this.assertion());
    if (random.chance(0.5) && schema["type"] === undefined) schema["type"] = this.type();
    if (random.chance(0.15)) Object.assign(schema, this.annotation(depth));
    if (random.chance(0.08)) Object.assign(schema, this.reference());
    return schema;
  }

  private reference(): JsonObject {
    const { random } = this;
    if (this.anchored && random.chance(0.2))
      return random.pick([{ $ref: "#anchored" }, { $dynamicRef: "#dynamic" }]);
    if (this.reachable.length === 0) return { type: this.type() };
    return { $ref: `#/${this.definitionsAt}/${random.pick(this.reachable)}` };
  }

  /** Calls `make` for the members or items of the value, where all definitions may be used. */
  private below<T>(make: () => T): T {
    const before = this.reachable;
    this.reachable = this.vocabulary.definitions;
    const made = make();
    this.reachable = before;
    return made;
  }

  private type(): JsonValue {
    const { random } = this;
    if (random.chance(0.75)) return random.pick(types);
    return this.some(1 + random.below(3), () => random.pick(types));
  }

  private assertion(): JsonObject {
    const { random } = this;
    const count = (): number => random.below(4);
    const amount = (): number => random.pick([0, 1, 2, -1, 0.5, 3, 1e21, -2.5]);
    return random.pick<() => JsonObject>([
      () => ({ type: this.type() }),
      () => ({ const: this.value(2) }),
      () => ({ enum: this.list(1 + random.below(4), () => this.value(2)) }),
      () => ({ enum: this.some(1 + random.below(3), () => random.pick(tags)) }),
      () => this.members({ minimum: amount, maximum: amount, multipleOf: () => random.pick([1, 2, 0.5]) }),
      () => this.members({ exclusiveMinimum: amount, exclusiveMaximum: amount }),
      () => this.members({ minLength: count, maxLength: count, pattern: () => random.pick(patterns) }),
      () => this.members({ minItems: count, maxItems: count, uniqueItems: () => random.chance(0.7) }),
      () => this.members({ minProperties: count, maxProperties: count }),
      () => ({ required: this.names(3) }),
      () => this.dependentNames(),
      () => ({ format: random.pick(formats) }),
    ])();
  }

  private applicator(depth: number): JsonObject {
    const { random } = this;
    const schema = (): JsonValue => this.schema(depth);
    const part = (): JsonValue => this.below(schema);
    const list = (): JsonValue[] => this.list(1 + random.below(3), schema);
    const modern = this.spelling === "2020-12";
    return random.pick<() => JsonObject>([
      () => this.object(depth),
      () => this.object(depth),
      () => this.members({ properties: () => this.map(3, part), required: () => this.names(2) }),
      () => this.members({ patternProperties: () => this.patternMap(part), additionalProperties: part }),
      () => ({ propertyNames: part() }),
      () => this.dependentSchemas(schema),
      () => this.tuple(part),
      () => ({ type: "array", items: part() }),
      () => ({ contains: part(), ...(modern && this.members({ minContains: () => random.below(3) })) }),
      () => ({ contains: part(), ...(modern && { maxContains: random.below(3) }) }),
      () => ({ anyOf: this.arms(depth) }),
      () => ({ anyOf: this.arms(depth) }),
      () => ({ oneOf: this.arms(depth) }),
      () => ({ allOf: list() }),
      () => ({ not: schema() }),
      () => ({ if: schema(), ...this.members({ then: schema, else: schema }) }),
      () => (modern ? { ...this.applicator(depth), unevaluatedProperties: part() } : { not: schema() }),
      () => (modern ? { ...this.applicator(depth), unevaluatedItems: part() } : { allOf: list() }),
    ])();
  }

  private object(depth: number): JsonObject {
    const { random } = this;
    const properties = this.below(() => this.map(4, () => this.schema(Math.max(0, depth - 1))));
    return {
      type: "object",
      properties,
      ...(random.chance(0.6) && {
        required: this.some(2, () => random.pick([...Object.keys(properties), "a"])),
      }),
      ...(random.chance(0.3) && {
        additionalProperties: random.chance(0.5)
          ? false
          : this.below(() => this.schema(Math.max(0, depth - 1))),
      }),
    };
  }

  private arms(depth: number): JsonValue[] {
    const { random } = this;
    const tagged = random.chance(0.4);
    return this.list(1 + random.below(4), (index) =>
      tagged && random.chance(0.9) ? this.arm(tags[index % tags.length]!, depth) : this.schema(depth),
    );
  }

  private arm(tag: string, depth: number): JsonObject {
    const { random } = this;
    const properties = this.below(() => this.map(2, () => this.schema(Math.max(0, depth - 1))));
    return {
      type: "object",
      properties: { ...properties, type: random.chance(0.8) ? { const: tag } : { enum: [tag] } },
      required: ["type", ...(random.chance(0.3) ? this.names(1) : [])].filter(unique),
    };
  }

  private tuple(schema: () => JsonValue): JsonObject {
    const { random } = this;
    const items = this.list(1 + random.below(3), schema);
    const rest = random.chance(0.5) ? { rest: random.chance(0.4) ? false : schema() } : {};
    const least = random.chance(0.4) ? { minItems: random.below(4) } : {};
    if (this.spelling === "2020-12")
      return { prefixItems: items, ...("rest" in rest && { items: rest.rest }), ...least };
    return { items, ...("rest" in rest && { additionalItems: rest.rest }), ...least };
  }

  private dependentNames(): JsonObject {
    const named = this.map(2, () => this.names(2));
    return this.spelling === "2020-12" ? { dependentRequired: named } : { dependencies: named };
  }

  private dependentSchemas(schema: () => JsonValue): JsonObject {
    const named = this.map(2, schema);
    return this.spelling === "2020-12" ? { dependentSchemas: named } : { dependencies: named };
  }

  private annotation(depth: number): JsonObject {
    const { random } = this;
    const modern = this.spelling === "2020-12";
    return this.members({
      title: () => "A title */ with `odd` ${text}",
      description: () => random.pick(["Some words.", "Two\nlines.", "*/"]),
      $comment: () => "a comment",
      default: () => this.value(1),
      examples: () => [this.value(1)],
      readOnly: () => random.chance(0.5),
      writeOnly: () => random.chance(0.5),
      contentEncoding: () => "base64",
      contentMediaType: () => "application/json",
      ...(modern && {
        deprecated: () => random.chance(0.5),
        contentSchema: () => this.schema(Math.min(depth, 1)),
      }),
    });
  }

  private value(depth: number): JsonValue {
    const { random } = this;
    if (depth > 0 && random.chance(0.15)) return this.list(random.below(3), () => this.value(depth - 1));
    if (depth > 0 && random.chance(0.2)) return this.map(2, () => this.value(depth - 1));
    return random.pick<JsonValue>([
      ...[null, true, false, 0, 1, 2, -1, 2.5, 1e21],
      ...["", "aa", 'say "a"', "\u{1F600}", ...tags],
    ]);
  }

  private names(most: number): string[] {
    return this.some(this.random.below(most + 1), () => this.random.pick(this.vocabulary.members));
  }

  /** Creates own members for all names: `__proto__` as a key of a literal would set the prototype. */
  private map(most: number, make: () => JsonValue): JsonObject {
    return Object.fromEntries(this.names(most).map((name) => [name, make()]));
  }

  private patternMap(make: () => JsonValue): JsonObject {
    const chosen = this.some(1 + this.random.below(2), () => this.random.pick(patterns));
    return Object.fromEntries(chosen.map((pattern) => [pattern, make()]));
  }

  /** Some of the members, at least one. */
  private members(makers: { readonly [name: string]: () => JsonValue }): JsonObject {
    const keys = Object.keys(makers);
    const chosen = keys.filter(() => this.random.chance(0.5));
    const kept = chosen.length > 0 ? chosen : [this.random.pick(keys)];
    return Object.fromEntries(kept.map((key) => [key, makers[key]!()]));
  }

  private list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  /** At most so many, each once. */
  private some<T>(most: number, make: () => T): T[] {
    return this.list(most, make).filter(unique);
  }
}

function unique<T>(value: T, index: number, all: readonly T[]): boolean {
  return all.indexOf(value) === index;
}
