import type { JsonValue, SchemaNode } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { buildInstance, firstChoices, randomChoices, heightsOf } from "../sample/build.js";
import { randomFrom } from "../sample/values.js";
import { type Conjunction, type ShapeType, shapeTypes } from "./shape/form.js";
import type { FormReader } from "./shape/form-reader.js";

/** Makers of values for both sides. */
export interface Makers {
  readonly old: Maker;
  readonly new: Maker;
}

/** The smallest values by place: a comparison asks for most of them several times. */
const known = new WeakMap<FormReader, Map<string, JsonValue | undefined>>();

/** One node for each type, so that its conjunctions are known, too. */
const typed = new Map(
  shapeTypes.map((type): [ShapeType, SchemaNode] => [type, { pointer: "", types: [type] }]),
);

/** Makes and validates values for places of a schema, deterministically. */
export class Maker {
  readonly reader: FormReader;

  constructor(reader: FormReader) {
    this.reader = reader;
  }

  /**
   * The smallest value of a place. If the place rejects it, because the first arm accepts no value, another
   * one. The caller must verify the result.
   */
  minimal(nodes: Conjunction): JsonValue | undefined {
    let values = known.get(this.reader);
    if (!values) known.set(this.reader, (values = new Map()));
    const key = this.reader.keyOf(nodes);
    if (!values.has(key)) values.set(key, this.smallest(nodes));
    return values.get(key);
  }

  private smallest(nodes: Conjunction): JsonValue | undefined {
    const { schema } = this.reader;
    const choices = firstChoices(heightsOf(schema));
    const smallest = buildInstance({ schema, choices }, nodes, 5, "example");
    if (smallest === undefined || this.isValid(nodes, smallest)) return smallest;
    return this.samples(nodes, 60).find((value) => this.isValid(nodes, value)) ?? smallest;
  }

  /** The smallest value with the given type; `undefined` if the place allows none. */
  ofType(nodes: Conjunction, type: ShapeType): JsonValue | undefined {
    for (const alternative of this.reader.alternativesOf(nodes)) {
      const all = [...alternative, typed.get(type)!];
      const value = this.minimal(all);
      if (value !== undefined && this.isValid(all, value)) return value;
    }
    return undefined;
  }

  /** The smallest value, then further ones; the caller stops when one is suitable. */
  *values(nodes: Conjunction): Generator<JsonValue | undefined> {
    yield this.minimal(nodes);
    yield* this.samples(nodes, 8);
  }

  /** Values of all kinds, including unusual ones. */
  samples(nodes: Conjunction, count: number): JsonValue[] {
    const { schema } = this.reader;
    const random = randomFrom(`samples of ${this.reader.keyOf(nodes)}`);
    return Array.from({ length: count }, () =>
      buildInstance({ schema, choices: randomChoices(random, heightsOf(schema)) }, nodes, 3, "example"),
    );
  }

  isValid(nodes: Conjunction, value: JsonValue): boolean {
    return nodes.every((node) => isValid(this.reader.schema, node, value));
  }
}
