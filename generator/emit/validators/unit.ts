import { type SchemaNode, referencesOf } from "@mcpgen/engine";
import { withoutCovered } from "./covers.js";
import { type Expression, call, yieldCall } from "./expression.js";
import { type Layout } from "../layout.js";
import { patternLiteral } from "./pattern-literal.js";
import { Scope } from "./scope.js";
import type { Printed } from "./function.js";
import type { Shapes } from "./shape.js";

/** How a node is judged: to the letter, or taking members of open unions and sets that it does not know. */
export interface Reading {
  readonly shapes: Shapes;
  /** Prefixes of the functions emitted for this reading; no prefix begins another. */
  readonly validator: "is" | "accepts";
  readonly walker: "walk" | "roam";
  readonly judge: "judge" | "weigh";
  readonly part: "matches" | "admits";
  /** Of parts that are generator functions or called by such. */
  readonly judgePart: "holds" | "suits";
}

/** What the validators of one file have in common. */
export interface FileContext {
  /** Definition name → the identifier as it stands in function names, capitalised. */
  readonly identifiers: ReadonlyMap<string, string>;
  /** Definitions whose open reading differs from the exact one. */
  readonly differing: ReadonlySet<string>;
}

/**
 * How the functions of a unit reach definitions that can contain their own:
 * `straight`: there are none; `walk`: by recursion, and past a depth by a list of parts kept for later, which
 * needs every part to decide the verdict; `guarded`: by recursion, and past a depth by `judge`: by yielding to
 * the driver of an explicit stack, which serves positions where several arms may be tried.
 */
export type Mode = "straight" | "walk" | "guarded" | "judge";

/** The regular expressions of a definition, constants that all its functions share. */
export class Patterns {
  private readonly names = new Map<string, string>();
  private readonly identifier: string;

  constructor(identifier: string) {
    this.identifier = identifier;
  }

  nameOf(pattern: string): string {
    let name = this.names.get(pattern);
    if (name === undefined) {
      name = `pattern${this.identifier}_${this.names.size + 1}`;
      this.names.set(pattern, name);
    }
    return name;
  }

  /** Name and literal of those in `used`, in order of first use. */
  literals(used: ReadonlySet<string>): (readonly [name: string, literal: string])[] {
    return [...this.names]
      .filter(([, name]) => used.has(name))
      .map(([pattern, name]) => [name, patternLiteral(pattern)] as const);
  }
}

/** A function of a unit's own; it has a place in the order before its text is made. */
interface Part {
  readonly name: string;
  printed?: Printed;
}

/** One definition in one reading and mode: what is being emitted. */
export class Unit {
  readonly file: FileContext;
  readonly reading: Reading;
  readonly mode: Mode;
  /** Definitions that this one shares a cycle of references with. */
  readonly cycle: ReadonlySet<string>;
  readonly identifier: string;
  readonly patterns: Patterns;
  /** Functions split off from the unit's own, in order of first use. */
  private readonly parts: Part[] = [];
  /** A recursive reference stands where its verdict is only one of several that are asked for. */
  backtracks = false;
  private readonly names = new Set<string>();

  constructor(
    file: FileContext,
    reading: Reading,
    mode: Mode,
    name: string,
    cycle: ReadonlySet<string>,
    patterns: Patterns,
  ) {
    this.file = file;
    this.patterns = patterns;
    this.reading = reading;
    this.mode = mode;
    this.cycle = cycle;
    this.identifier = file.identifiers.get(name)!;
  }

  get shapes(): Shapes {
    return this.reading.shapes;
  }

  /**
   * Adds a function of the unit's own, after those that were begun before.
   *
   * @param hint a word for its name: prefix, definition, underscore, word
   */
  addPart(hint: string, print: (name: string) => Printed): string {
    const part: Part = { name: this.partName(hint) };
    this.parts.push(part);
    part.printed = print(part.name);
    return part.name;
  }

  /** The functions of the unit's own that `start` needs. */
  partsFor(start: Printed): Printed[] {
    const used = new Set(start.used);
    return this.parts.flatMap(({ name, printed }) => {
      if (!printed || !used.has(name)) return [];
      for (const word of printed.used) used.add(word);
      return [printed];
    });
  }

  private partName(hint: string): string {
    const prefix = this.mode === "judge" ? this.reading.judgePart : this.reading.part;
    const word = hint.replace(/[^A-Za-z0-9]+/g, "").slice(0, 30);
    let name = `${prefix}${this.identifier}_${word || 1}`;
    for (let number = 2; this.names.has(name); number++)
      name = `${prefix}${this.identifier}_${word}${number}`;
    this.names.add(name);
    return name;
  }
}

/** Where in an emitted function a node is judged. */
export class Place {
  readonly unit: Unit;
  readonly scope: Scope;
  /** The verdict is one of several that are asked for: a false one does not decide the whole. */
  readonly tested: boolean;
  /** What to name a function after that is split off here. */
  readonly hint: string;
  private readonly called: { recursion: boolean };

  constructor(unit: Unit, scope = new Scope(), tested = false, hint = "", called = { recursion: false }) {
    this.unit = unit;
    this.scope = scope;
    this.tested = tested;
    this.hint = hint;
    this.called = called;
  }

  get shapes(): Shapes {
    return this.unit.shapes;
  }

  /** The function that is emitted here reaches a definition of the unit's cycle. */
  get reachesCycle(): boolean {
    return this.called.recursion;
  }

  asTested(tested = true): Place {
    return new Place(this.unit, this.scope, this.tested || tested, this.hint, this.called);
  }

  under(hint: string): Place {
    return new Place(this.unit, this.scope, this.tested, hint, this.called);
  }

  /** The body of a function of its own. */
  inOwnFunction(): Place {
    return new Place(this.unit, new Scope(), this.tested);
  }

  /** The arms of a union that matter. */
  arms(arms: readonly SchemaNode[]): readonly SchemaNode[] {
    return this.shapes.armsOf(arms, withoutCovered);
  }

  /** The node, or what stands below it, refers to definitions of the unit's cycle. */
  mentionsCycle(node: SchemaNode): boolean {
    if (this.unit.mode === "straight") return false;
    for (const name of referencesOf(node)) if (this.unit.cycle.has(name)) return true;
    return false;
  }

  isRecursive(definition: string): boolean {
    return this.unit.mode !== "straight" && this.unit.cycle.has(definition);
  }

  /** The verdict of a named definition. */
  definition(name: string, subject: Layout): Expression {
    const { file, reading } = this.unit;
    const identifier = file.identifiers.get(name)!;
    if (this.isRecursive(name)) return this.recursion(reading, identifier, subject);
    const prefix = file.differing.has(name) ? reading.validator : "is";
    return call(`${prefix}${identifier}`, subject);
  }

  /** The verdict of a function split off from this unit. */
  part(name: string, subject: Layout, reachesCycle: boolean): Expression {
    if (!reachesCycle) return call(name, subject);
    this.called.recursion = true;
    if (this.unit.mode === "judge") return yieldCall(name, subject);
    return call(name, subject, "depth", ...(this.unit.mode === "walk" ? ["later"] : []));
  }

  private recursion(reading: Reading, identifier: string, subject: Layout): Expression {
    this.called.recursion = true;
    if (this.tested) this.unit.backtracks = true;
    if (this.unit.mode === "judge") return yieldCall(`${reading.judge}${identifier}`, subject);
    const deeper = ["depth + 1", ...(this.unit.mode === "walk" ? ["later"] : [])];
    return call(`${reading.walker}${identifier}`, subject, ...deeper);
  }
}
