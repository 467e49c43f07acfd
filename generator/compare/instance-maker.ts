import type { JsonValue, SchemaNode } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { buildInstance } from "../sample/build.js";
import { firstChoices, randomChoices } from "../sample/choices.js";
import { heightsOf } from "../sample/height.js";
import { randomFrom } from "../sample/random.js";
import type { Conjunction, ShapeType } from "./shape/form.js";
import type { FormReader } from "./shape/form-reader.js";

/** The makers of both sides. */
export interface Makers {
  readonly old: Maker;
  readonly new: Maker;
}

/** Makes and judges values of places of one schema. Deterministic. */
export class Maker {
  readonly reader: FormReader;

  constructor(reader: FormReader) {
    this.reader = reader;
  }

  /** The smallest value of a place; the caller proves that it is one. */
  minimal(nodes: Conjunction): JsonValue | undefined {
    const { schema } = this.reader;
    const choices = firstChoices(heightsOf(schema));
    return buildInstance({ schema, choices }, nodes, 5, "example");
  }

  /** A value that satisfies a place, the smallest if it does; `undefined` if none of those that are tried does. */
  fitting(nodes: Conjunction): JsonValue | undefined {
    const smallest = this.minimal(nodes);
    const tried = smallest === undefined || this.isValid(nodes, smallest) ? [] : this.samples(nodes, 60);
    return [smallest, ...tried].find((value) => value !== undefined && this.isValid(nodes, value));
  }

  /** The smallest value of a place that is of `type`; `undefined` if the place allows no such value. */
  ofType(nodes: Conjunction, type: ShapeType): JsonValue | undefined {
    const typed: SchemaNode = { pointer: "", types: [type] };
    for (const alternative of this.reader.alternativesOf(nodes)) {
      const all = [...alternative, typed];
      const value = this.minimal(all);
      if (value !== undefined && this.isValid(all, value)) return value;
    }
    return undefined;
  }

  /** Values of all kinds, some of them odd. */
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
