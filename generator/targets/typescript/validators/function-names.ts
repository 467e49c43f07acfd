import type { Scalar, Schema } from "@mcpgen/engine";
import { type Layout, group, indent, line } from "../../../print/layout.js";
import { preludeNames } from "./prelude.js";
import { setLiteral } from "./set-literal.js";
import { stringLiteral } from "../../../print/text.js";
import { isHazardous } from "../texts/modules.js";

/** Prefix of function names: `is` for the exact variant, `accepts` for the open one. */
export type Prefix = "is" | "accepts";

/** Suffixes of functions that validate a definition in another mode. */
type Way = "deep" | "stepwise";

const ways: readonly Way[] = ["deep", "stepwise"];

/**
 * Names of the functions in a file: `isX` and `acceptsX` for definition X, and the same with an underscore
 * and a word for the functions they call. Only a definition's name can contain another underscore, so names
 * of different definitions never collide. The exception is a definition named like another's inner function;
 * that function then gets a number.
 */
export class FunctionNames {
  private readonly identifiers: ReadonlyMap<string, string>;
  private readonly exports: ReadonlySet<string>;
  private readonly hidden: ReadonlySet<string>;

  /** The matchers of the schema's patterns. */
  readonly patterns: Schema["patterns"];

  /**
   * @param identifiers definition name → its capitalised identifier in function names
   * @param patterns the matchers of the schema's patterns
   * @param hidden definitions whose functions are not exported
   */
  constructor(
    identifiers: ReadonlyMap<string, string>,
    patterns: Schema["patterns"],
    hidden: ReadonlySet<string> = new Set(),
  ) {
    this.identifiers = identifiers;
    this.patterns = patterns;
    this.hidden = hidden;
    const prefixes: readonly Prefix[] = ["is", "accepts"];
    const names = [...identifiers.values()];
    this.exports = new Set(prefixes.flatMap((prefix) => names.map((name) => prefix + name)));
  }

  /** The identifier of a definition in function names. */
  identifier(definition: string): string {
    return this.identifiers.get(definition)!;
  }

  isExported(definition: string): boolean {
    return !this.hidden.has(definition);
  }

  exported(prefix: Prefix, definition: string): string {
    return prefix + this.identifier(definition);
  }

  /**
   * The name of an exported function inside the file; differs from the exported name if a shared function has
   * it.
   */
  local(prefix: Prefix, definition: string): string {
    const name = this.exported(prefix, definition);
    return preludeNames.includes(name) ? this.free(name) : name;
  }

  /** The name of a function that validates a definition in another mode. */
  inner(prefix: Prefix, definition: string, way: Way): string {
    return this.free(`${this.exported(prefix, definition)}_${way}`);
  }

  /**
   * `wanted`, with a number if it is in use.
   *
   * @param numbers the last number used for each name, so that thousands of equal names stay fast
   */
  free(wanted: string, taken: ReadonlySet<string> = this.exports, numbers?: Map<string, number>): string {
    const isTaken = (name: string): boolean => taken.has(name) || this.exports.has(name);
    if (!isTaken(wanted) && !preludeNames.includes(wanted)) return wanted;
    let number = (numbers?.get(wanted) ?? 1) + 1;
    while (isTaken(`${wanted}${number}`)) number++;
    numbers?.set(wanted, number);
    return `${wanted}${number}`;
  }
}

/** Names of the inner functions and constants of a definition's validators. */
export class PartNames {
  private readonly taken: Set<string>;
  private readonly numbers = new Map<string, number>();
  /** Constants in order of first use, with their names by content. */
  private readonly constants: (readonly [name: string, print: () => Layout])[] = [];
  private readonly constantNames = new Map<string, string>();
  private readonly names: FunctionNames;
  private readonly definition: string;

  constructor(names: FunctionNames, definition: string) {
    this.names = names;
    this.definition = definition;
    const prefixes: readonly Prefix[] = ["is", "accepts"];
    this.taken = new Set(
      prefixes.flatMap((prefix) => ways.map((way) => names.inner(prefix, definition, way))),
    );
  }

  /** A name for a new inner function. */
  add(prefix: Prefix, hint: string, way?: Way): string {
    const word = camelCase([hint || "part", way ?? ""].join(" "));
    const name = this.names.free(
      `${this.names.exported(prefix, this.definition)}_${word}`,
      this.taken,
      this.numbers,
    );
    this.taken.add(name);
    return name;
  }

  /** The constant for a regular expression. */
  ofPattern(pattern: string): string {
    return this.constant("pattern", pattern, () => patternLiteral(pattern, this.names.patterns));
  }

  /** The constant for a set of scalars. */
  ofValues(values: readonly Scalar[]): string {
    return this.constant("values", JSON.stringify(values), () => setLiteral(values));
  }

  /** @param meaning a text that is equal for equal constants */
  private constant(word: "pattern" | "values", meaning: string, print: () => Layout): string {
    const key = `${word} ${meaning}`;
    let name = this.constantNames.get(key);
    if (name === undefined) {
      const number = (this.numbers.get(`${word} of all`) ?? 0) + 1;
      this.numbers.set(`${word} of all`, number);
      name = `${word}${this.names.identifier(this.definition)}_${number}`;
      this.constantNames.set(key, name);
      this.constants.push([name, print]);
    }
    return name;
  }

  /** The constants among `used`, in order of first use. */
  constantsIn(used: ReadonlySet<string>): Layout[] {
    return this.constants.flatMap(([name, print]) => (used.has(name) ? [declared(name, print())] : []));
  }
}

function declared(name: string, literal: Layout): Layout {
  return group(`const ${name} =`, literal, ";");
}

/**
 * A regular expression for `pattern`, or an automaton if the expression could be slow. Escapes the characters
 * that string literals escape.
 */
function patternLiteral(pattern: string, patterns: Schema["patterns"]): Layout {
  if (isHazardous(pattern, patterns)) return ` textPatterns.linearMatcher(${stringLiteral(pattern)})`;
  const source = new RegExp(pattern, "u").source.replace(/[^ -~]/gu, (character) =>
    stringLiteral(character) === `"${character}"` ? character : escaped(character),
  );
  return group(indent(line, `/${source}/u`));
}

/** A surrogate pair is one character under the flag `u`, so it is escaped as one. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

const longestWord = 30;

/**
 * The letters and digits of `text` as one word in camel case, shortened if it is long; empty if there are
 * none.
 */
export function camelCase(text: string): string {
  const parts = text.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return parts
    .map((part, index) =>
      index === 0
        ? part.charAt(0).toLowerCase() + part.slice(1)
        : part.charAt(0).toUpperCase() + part.slice(1),
    )
    .join("")
    .slice(0, longestWord);
}
