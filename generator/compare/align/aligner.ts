import { type Schema, type JsonValue, type SchemaNode, canonicalText, jsonEqual } from "@mcpgen/engine";
import { type Location, commonLocation, isRenamed, locationOf } from "../location.js";
import { type Conjunction, isAlone } from "../shape/form.js";
import { FormReader } from "../shape/form-reader.js";
import { reachedFrom } from "../reach.js";
import { compareForms } from "./compare.js";
import type { Alignment, Edge, Pair, Place, Renames, Fact } from "./pair.js";

interface PairOptions {
  readonly isMapValue?: boolean;
  /** Overrides the location of the places if their own would mislead. */
  readonly location?: Location;
}

/**
 * Matches the parts of two schemas, starting at given places, and compares each pair of corresponding places
 * once. Names of definitions serve only as labels.
 */
export class Aligner implements Alignment {
  readonly old: FormReader;
  readonly new: FormReader;
  readonly pairs = new Map<string, Pair>();
  readonly renames: Renames | undefined;
  /** Aligner for schemas inside conditions; a condition aligner uses itself. */
  private conditionAligner: Aligner | undefined;
  private readonly pending: Pair[] = [];
  private readonly schemas: readonly [Schema, Schema];

  constructor(old: Schema, next: Schema, renames?: Renames, beside?: Aligner) {
    this.renames = renames;
    this.old = beside?.old ?? new FormReader(old);
    this.new = beside?.new ?? new FormReader(next);
    this.schemas = [old, next];
    if (beside) this.conditionAligner = this;
  }

  /** Creates the pair of two places; `run` compares the places below them. */
  pair(old: Conjunction, next: Conjunction, options: PairOptions = {}): Pair {
    const places = [placeOf(this.schemas[0], old), placeOf(this.schemas[1], next)] as const;
    const location = options.location ?? this.locationOf(places, old, next);
    const key = [
      this.old.keyOf(places[0].nodes),
      this.new.keyOf(places[1].nodes),
      `${location.definition} ${location.path}`,
      options.isMapValue ? "value" : "",
    ].join("|");
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = {
        old: places[0],
        new: places[1],
        location,
        isMapValue: options.isMapValue ?? false,
        facts: [],
        edges: [],
        arms: [],
      };
      this.pairs.set(key, pair);
      this.pending.push(pair);
    }
    return pair;
  }

  /** Creates the pair of two definitions. */
  pairDefinitions(old: string, next: string): Pair {
    const nodeOf = ({ schema }: FormReader, name: string): SchemaNode => schema.definitions.get(name)!.node;
    return this.pair([nodeOf(this.old, old)], [nodeOf(this.new, next)]);
  }

  addChild(from: Pair, edge: Omit<Edge, "child">, old: Conjunction, next: Conjunction): void {
    const child = this.pair(old, next, { isMapValue: edge.step.kind === "other" });
    from.edges.push({ ...edge, child });
    // Annotations beside a reference apply only to this place.
    if (old[0] && next[0]) from.facts.push(...compareAnnotations(old[0], next[0]));
  }

  /**
   * Compares schemas inside a condition with a separate aligner. No part of a message corresponds to them, so
   * their differences are not reported as differences of the message.
   */
  areSame(from: Pair, old: Conjunction, next: Conjunction): boolean {
    const nested = (this.conditionAligner ??= new Aligner(...this.schemas, this.renames, this));
    const inside = nested.pair(old, next);
    if (nested === this) {
      // The outermost pair collects the facts through this edge.
      from.edges.push({ child: inside, step: { kind: "other" }, old, new: next });
      return true;
    }
    nested.run();
    return [...reachedFrom({ pair: inside }).keys()].every(({ facts }) => facts.every(isAnnotation));
  }

  /** Compares all known pairs, and all pairs found below them. */
  run(): void {
    for (let pair = this.pending.pop(); pair; pair = this.pending.pop()) {
      compareForms(this, pair);
      const { old, new: next } = pair;
      if (old.definition !== undefined && next.definition !== undefined) {
        pair.facts.push(...compareAnnotations(old.nodes[0]!, next.nodes[0]!));
      }
    }
  }

  /**
   * Chooses the location of a pair. If the place now refers to another definition, it is named after the
   * place rather than after a definition.
   */
  private locationOf([old, next]: readonly [Place, Place], from: Conjunction, to: Conjunction): Location {
    const [a, b] = [old.definition, next.definition];
    if (!from[0] || !to[0] || !this.isRetargeted(a, b)) return commonLocation(old.location, next.location);
    return commonLocation(locationOf(from[0].pointer), locationOf(to[0].pointer));
  }

  /** Whether two places have different definitions of which neither is the other renamed. */
  private isRetargeted(a: string | undefined, b: string | undefined): boolean {
    const [old, next] = this.schemas;
    if (a !== undefined && b !== undefined) return a !== b && !isRenamed(a, b, this.schemas);
    // An inline schema became a definition or vice versa; the definition is new, or exists already in the
    // other schema.
    return (a !== undefined && next.definitions.has(a)) || (b !== undefined && old.definitions.has(b));
  }
}

/** Resolves a place that is only a reference. */
function placeOf(schema: Schema, nodes: Conjunction): Place {
  let current = nodes;
  let definition: string | undefined;
  for (
    let [only] = current;
    current.length === 1 && only?.ref !== undefined && isAlone(only);
    [only] = current
  ) {
    definition = only.ref;
    current = [schema.definitions.get(definition)!.node];
  }
  const pointer = current[0]?.pointer ?? "";
  if (
    definition === undefined &&
    schema.definitions.get(locationOf(pointer).definition)?.node === current[0]
  ) {
    definition = locationOf(pointer).definition;
  }
  const location = definition === undefined ? locationOf(pointer) : { definition, path: "" };
  return { nodes: current, location, pointer, definition, written: nodes };
}

/** The annotations of two nodes: defaults, deprecation, prose. */
export function compareAnnotations(old: SchemaNode, next: SchemaNode): Fact[] {
  const facts: Fact[] = [];
  const found = (rule: string, before: string | null, after: string | null): void =>
    void facts.push({ rule, ...placesOf(old, next), old: before, new: after });

  if (old.default && next.default) {
    if (!jsonEqual(old.default.value, next.default.value)) {
      found("default-changed", text(old.default.value), text(next.default.value));
    }
  } else if (next.default) found("default-added", null, text(next.default.value));
  else if (old.default) found("default-removed", text(old.default.value), null);

  if (!old.deprecated && next.deprecated) found("deprecated-added", null, "deprecated");
  if (old.deprecated && !next.deprecated) found("deprecated-removed", "deprecated", null);
  facts.push(...compareProse(old, next));
  return facts;
}

/** Whether a fact concerns annotations, which do not affect validity. */
function isAnnotation({ rule }: Fact): boolean {
  return /^(?:default|deprecated|description|docs)-/.test(rule);
}

function text(value: JsonValue): string {
  return `default ${canonicalText(value)}`;
}

/** Compares prose, if both sides have it. */
function compareProse(old: SchemaNode, next: SchemaNode): Fact[] {
  if (old.description === undefined || next.description === undefined) return [];
  if (old.description === next.description) return [];
  const places = placesOf(old, next);
  const [before, after] = [normative(old.description), normative(next.description)];
  if (before !== after) return [{ rule: "docs-normative", ...places, old: before, new: after }];
  return [{ rule: "description-changed", ...places, old: old.description, new: next.description }];
}

function placesOf(old: SchemaNode, next: SchemaNode): Pick<Fact, "subject" | "at"> {
  return {
    subject: commonLocation(locationOf(old.pointer), locationOf(next.pointer)),
    at: { old: old.pointer, new: next.pointer },
  };
}

/** The RFC 2119 keywords in a text, with their counts. */
function normative(description: string): string {
  const words =
    description.match(/\b(?:MUST|SHALL|SHOULD)(?: NOT)?\b|\b(?:MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/g) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, count]) => `${word} × ${count}`)
    .join(", ");
}
