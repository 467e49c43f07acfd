// Explains the problems of a value by a written schema. A server of a contract contains its tools' schemas anyway,
// because it sends them to clients, so the explanation does not need another form of them.
import { isJsonObject as isObject, pointer as inside } from "../ir/json.js";
import { listOf, referred } from "../ir/subschemas.js";
import { type Judge, locateIssue } from "./locate.js";
import {
  alternatives,
  choiceText,
  nearest,
  placeOf,
  scalarText,
  sentence,
  summaryOf,
  valueText,
} from "./text.js";

/** Maximum number of subschemas that one explanation compares with parts of a value. */
const mostSteps = 20_000;

/** The maximum if the comparison decides whether the value is accepted. */
const mostCheckSteps = 100_000;

/** Number of listed values that count as one subschema. */
const choicesAStep = 32;

/** Maximum nesting of subschemas, including references. */
const deepest = 100;

/** Maximum number of collected issues. */
const enough = 16;

/** One issue. */
interface Wrong {
  readonly place: string;
  readonly expected: string;
  readonly value: unknown;
  /** Replaces the text of the value. */
  readonly got?: string;
  readonly advice?: string;
  /** Whether a member is missing. */
  readonly missing?: boolean;
  /** The allowed values, if the value is not among them. */
  readonly choices?: readonly unknown[] | undefined;
  /** Whether the type or value is not among the allowed ones. */
  readonly kind?: boolean;
}

interface Node {
  readonly [keyword: string]: unknown;
}

/**
 * Explains in at most three lines why a validator refuses a value. The schema is searched first; if all searched
 * keywords pass, the validator gives the place where it stopped.
 *
 * @param schema the written schema, which contains the targets of its references; without it, the validator gives the
 *   first wrong place
 */
export function explainRefusal(judge: Judge, schema: unknown, value: unknown): string {
  if (value === undefined) return "it is missing";
  const search = new Search(schema);
  const problem = search.problem(value, "");
  if (problem !== undefined) return problem;
  const { pointer, got, message } = locateIssue(judge, value);
  const expected = search.texts.get(pointer);
  return expected === undefined ? message : sentence(placeOf(pointer), expected, got);
}

/**
 * Checks a value without a validator, for schemas of a few keywords: type, const, enum, bounds, required, properties,
 * items, uniqueItems, anyOf, oneOf, allOf and references inside the schema. Patterns and formats are not checked.
 *
 * @param place JSON Pointer of the value in the sentences
 * @returns at most three lines that explain the problems; `undefined` if the value is valid
 */
export function schemaProblem(schema: unknown, value: unknown, place = ""): string | undefined {
  const search = new Search(schema, mostCheckSteps);
  return search.problem(value, place) ?? (search.isCut ? "it is too large to be checked" : undefined);
}

/** The keywords for numbers, each with its words in a sentence and its test. */
const bounds: readonly (readonly [
  keyword: string,
  words: string,
  holds: (value: number, bound: number) => boolean,
])[] = [
  ["minimum", "at least", (value, bound) => value >= bound],
  ["maximum", "at most", (value, bound) => value <= bound],
  ["exclusiveMinimum", ">", (value, bound) => value > bound],
  ["exclusiveMaximum", "<", (value, bound) => value < bound],
  // The test has a tolerance, because floating point cannot represent all multiples.
  ["multipleOf", "a multiple of", (value, step) => Math.abs(value / step - Math.round(value / step)) < 1e-6],
];

/** Compares values with subschemas of one schema. */
export class Search {
  found: Wrong[] = [];
  /**
   * Strings that a pattern or a format describes, by place. Only the validator matches them, because matching may take
   * long.
   */
  readonly texts = new Map<string, string>();
  readonly #constants = new Map<readonly unknown[], ReadonlySet<unknown> | undefined>();
  readonly #root: unknown;
  #steps: number;
  #isTooDeep = false;

  constructor(root: unknown, steps = mostSteps) {
    this.#root = root;
    this.#steps = steps;
  }

  /** Whether a part of the value was not compared, because the value is too large or too deep. */
  get isCut(): boolean {
    return this.#isTooDeep || this.#steps < 0;
  }

  /** Compares a value with the whole schema, and returns its problems. */
  problem(value: unknown, place: string): string | undefined {
    this.compare(value, this.#root, place, 0);
    const lines = this.found.map((wrong) =>
      sentence(placeOf(wrong.place), wrong.expected, wrong.got ?? valueText(wrong.value), wrong.advice),
    );
    return lines.length > 0 ? summaryOf(lines) : undefined;
  }

  compare(value: unknown, schema: unknown, place: string, depth: number): void {
    if (schema === false) return this.#report(place, "nothing", value);
    if (!isObject(schema) || this.found.length >= enough) return;
    if (depth > deepest) this.#isTooDeep = true;
    if (--this.#steps < 0 || depth > deepest) return;
    const node: Node = schema;
    if (node["$ref"] !== undefined) this.compare(value, referred(node["$ref"], this.#root), place, depth + 1);
    if (!this.#compareKind(value, node, place)) return;
    if (typeof value === "number") this.#compareNumber(value, node, place);
    else if (typeof value === "string") this.#compareString(value, node, place);
    else if (Array.isArray(value)) this.#compareArray(value, node, place, depth);
    else if (isObject(value)) this.#compareObject(value, node, place, depth);
    for (const part of listOf(node["allOf"])) this.compare(value, part, place, depth + 1);
    this.#compareArms(value, listOf(node["anyOf"]), place, depth);
    this.#compareArms(value, listOf(node["oneOf"]), place, depth);
  }

  #report(place: string, expected: string, value: unknown, more: Partial<Wrong> = {}): void {
    this.found.push({ place, expected, value, ...more });
  }

  #reportChoice(place: string, choices: readonly unknown[], value: unknown): void {
    this.#report(place, choiceText(choices), value, { choices, kind: true, advice: meant(value, choices) });
  }

  /** Compares with type, constant and listed values; `false` if one of them refuses the value. */
  #compareKind(value: unknown, node: Node, place: string): boolean {
    const choices = choicesOf(node);
    const types = typesOf(node);
    this.#steps -= (choices?.length ?? 0) / choicesAStep;
    // Objects and arrays are not compared: they count as allowed.
    const isAllowed =
      !choices || choices.includes(value) || (isComposite(value) && choices.some(isComposite));
    if (isAllowed && (!types || types.some((type) => isOfType(type, value)))) return true;
    if (choices) this.#reportChoice(place, choices, value);
    else this.#report(place, alternatives(types!), value, { kind: true });
    return false;
  }

  #compareNumber(value: number, node: Node, place: string): void {
    for (const [keyword, words, holds] of bounds) {
      const bound = node[keyword];
      if (typeof bound === "number" && !holds(value, bound)) this.#report(place, `${words} ${bound}`, value);
    }
  }

  #compareString(value: string, node: Node, place: string): void {
    const { minLength, maxLength, pattern, format } = node;
    if (minLength ?? maxLength) this.#compareSize([...value].length, node, "Length", "character", place);
    if (pattern !== undefined) this.texts.set(place, `a string that matches ${scalarText(pattern)}`);
    else if (format !== undefined) this.texts.set(place, `a string of the format ${scalarText(format)}`);
  }

  #compareSize(size: number, node: Node, keyword: string, unit: string, place: string): void {
    const got = String(size);
    const { [`min${keyword}`]: least = 0, [`max${keyword}`]: most = Infinity } = node;
    const counted = (count: unknown): string => `${String(count)} ${unit}${count === 1 ? "" : "s"}`;
    if (size < Number(least)) this.#report(place, `at least ${counted(least)}`, size, { got });
    if (size > Number(most)) this.#report(place, `at most ${counted(most)}`, size, { got });
  }

  #compareArray(value: readonly unknown[], node: Node, place: string, depth: number): void {
    const { items, uniqueItems } = node;
    const first = listOf(node["prefixItems"]);
    this.#compareSize(value.length, node, "Items", "item", place);
    const earlier = new Map<unknown, number>();
    for (let index = 0; index < value.length && this.#steps >= 0; index++) {
      const item = value[index];
      const there = inside(place, index);
      this.compare(item, index < first.length ? first[index] : items, there, depth + 1);
      if (uniqueItems !== true) continue;
      const key = JSON.stringify(item);
      if (earlier.has(key))
        this.#report(there, "no item twice", item, { got: `item ${earlier.get(key)} again` });
      earlier.set(key, index);
    }
  }

  #compareObject(value: Node, node: Node, place: string, depth: number): void {
    const properties = isObject(node["properties"]) ? node["properties"] : {};
    // As in JSON, a member that is undefined is absent.
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    const others = keys.filter((key) => !Object.hasOwn(properties, key));
    for (const key of listOf(node["required"]) as readonly string[]) {
      if (Object.hasOwn(value, key) && value[key] !== undefined) continue;
      const instead = nearest(key, others);
      const advice =
        instead === undefined ? "" : `; did you mean ${scalarText(key)} by ${scalarText(instead)}?`;
      const part = Object.hasOwn(properties, key) ? properties[key] : undefined;
      this.#report(inside(place, key), this.#expectation(part), undefined, { missing: true, advice });
    }
    for (const key of keys)
      if (Object.hasOwn(properties, key))
        this.compare(value[key], properties[key], inside(place, key), depth + 1);
    this.#compareSize(keys.length, node, "Properties", "key", place);
    this.#compareOthers(value, others, node, place, depth);
  }

  /** Compares members that `properties` does not name. */
  #compareOthers(value: Node, keys: readonly string[], node: Node, place: string, depth: number): void {
    const { additionalProperties: schema, patternProperties } = node;
    for (const key of patternProperties === undefined ? keys : [])
      if (schema === false)
        this.#report(inside(place, key), "no such key", value[key], {
          advice: meant(
            key,
            Object.keys(node["properties"] ?? {}).filter((name) => !(name in value)),
          ),
        });
      else this.compare(value[key], schema, inside(place, key), depth + 1);
  }

  /** The issues of a value under another schema, without reporting them. */
  #trial(value: unknown, schema: unknown, place: string, depth: number): readonly Wrong[] {
    const { found } = this;
    this.found = [];
    this.compare(value, schema, place, depth + 1);
    const wrong = this.found;
    this.found = found;
    return wrong;
  }

  /**
   * If no alternative fits: the one place where all alternatives fail, or else the issues of the alternative that was
   * probably meant.
   */
  #compareArms(value: unknown, arms: readonly unknown[], place: string, depth: number): void {
    const constants = isComposite(value) ? undefined : this.#constantsOf(arms);
    if (constants?.has(value)) return;
    if (constants) return this.#reportChoice(place, [...constants], value);
    const trials = arms.map((arm) => this.#trial(value, arm, place, depth));
    if (trials.some((wrong) => wrong.length === 0)) return;
    const ofKind = trials.filter(([first]) => !(first!.place === place && first!.kind));
    const near = ofKind.length === 0 ? trials : ofKind;
    for (const { place: there } of near.length > 1 ? near[0]! : []) {
      const all = near.map((wrong) => wrong.find((each) => each.place === there && each.kind));
      if (!all.every((wrong) => wrong !== undefined)) continue;
      const part = all[0]!.value;
      const choices = all.flatMap((wrong) => wrong.choices ?? []);
      if (all.every((wrong) => wrong.choices)) return this.#reportChoice(there, choices, part);
      const expected = alternatives([...new Set(all.map((wrong) => wrong.expected))]);
      return this.#report(there, expected, part, { kind: true });
    }
    // A wrong discriminator weighs most, a missing member more than a wrong value.
    const weigh = (wrong: readonly Wrong[]): number =>
      wrong.reduce((sum, { choices, missing }) => sum + (choices ? 9 : missing ? 3 : 1), 0);
    const [best = []] = [...near].sort((one, other) => weigh(one) - weigh(other));
    this.found.push(...best);
  }

  /** The values of a union in which each arm has `const`; `undefined` for other unions. */
  #constantsOf(arms: readonly unknown[]): ReadonlySet<unknown> | undefined {
    if (this.#constants.has(arms)) return this.#constants.get(arms);
    const isChoice = arms.length > 0 && arms.every((arm) => isObject(arm) && "const" in arm);
    const values = isChoice ? new Set((arms as readonly Node[]).map((arm) => arm["const"])) : undefined;
    this.#constants.set(arms, values);
    return values;
  }

  /** Describes in a few words what a schema expects. */
  #expectation(schema: unknown, depth = 0): string {
    if (!isObject(schema) || depth > deepest) return "a value";
    const choices = choicesOf(schema);
    if (choices) return choiceText(choices);
    if (schema["$ref"] !== undefined)
      return this.#expectation(referred(schema["$ref"], this.#root), depth + 1);
    const arms = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
    const constants = this.#constantsOf(arms);
    if (constants) return choiceText([...constants]);
    const texts = typesOf(schema) ?? arms.slice(0, 4).map((arm) => this.#expectation(arm, depth + 1));
    return texts.length === 0 ? "a value" : alternatives([...new Set(texts)]);
  }
}

function meant(value: unknown, names: readonly unknown[]): string {
  const found = typeof value === "string" ? nearest(value, names) : undefined;
  return found === undefined ? "" : `; did you mean ${scalarText(found)}?`;
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function choicesOf(node: Node): readonly unknown[] | undefined {
  return "const" in node ? [node["const"]] : (node["enum"] as readonly unknown[] | undefined);
}

function typesOf({ type }: Node): readonly string[] | undefined {
  return type === undefined ? undefined : Array.isArray(type) ? (type as string[]) : [String(type)];
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  // JSON has no NaN and no infinity.
  if (type === "number") return Number.isFinite(value);
  return type === "object" ? isObject(value) : typeof value === type;
}
