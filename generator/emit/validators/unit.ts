import { type SchemaNode, referencesOf } from "@mcpgen/engine";
import { withoutCovered } from "./covers.js";
import { type Expression, call, yieldCall } from "./expression.js";
import type { Layout } from "../../print/layout.js";
import { type FunctionNames, type PartNames, type Prefix, camelCase } from "./function-names.js";
import type { Printed } from "./function.js";
import type { Kind, Shapes } from "./shape.js";
import type { Statement } from "./statement.js";
import { capitalised } from "../../print/text.js";
import { preludeNames } from "./prelude.js";

/** How a node is judged: to the letter, or taking members of open unions and sets that it does not know. */
export interface Reading {
  readonly shapes: Shapes;
  readonly prefix: Prefix;
}

/**
 * The recursion over a schema (`check.ts`). What judges members, items and unions reaches it through its place, so that
 * each of those files can be read, and loaded, without the others.
 */
interface Recursion {
  check(node: SchemaNode, subject: string, place: Place, within?: ReadonlySet<Kind>): Statement[];
  verdictOn(node: SchemaNode, subject: string, place: Place, within?: ReadonlySet<Kind>): Statement[];
  conditionFor(node: SchemaNode, subject: string, place: Place, within?: ReadonlySet<Kind>): Expression;
}

/** The names that the validators of one file share. */
export interface FileNames {
  readonly names: FunctionNames;
  /** Definitions whose open reading differs from the exact one. */
  readonly differing: ReadonlySet<string>;
}

/** The state that the validators of one file share. */
export interface FileContext extends FileNames {
  readonly recursion: Recursion;
}

/**
 * How the functions of a unit reach definitions that can contain their own:
 * `straight`: there are none; `walk`: by recursion, and past a depth by a list of parts kept for later, which
 * needs every part to decide the verdict; `guarded`: by recursion, and past a depth by `judge`: by yielding to
 * the driver of an explicit stack, which serves positions where several arms may be tried.
 */
type Mode = "straight" | "walk" | "guarded" | "judge";

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
  /** Names of functions the unit may call, which no local may hide. */
  readonly called: ReadonlySet<string>;
  readonly parts: PartNames;
  /** Functions split off from the unit's own, in order of first use. */
  private readonly splitOff: Part[] = [];
  /** Whether some recursive reference gives only one of several verdicts of its function. */
  backtracks = false;

  constructor(
    file: FileContext,
    name: string,
    { reading, mode, cycle, parts }: Pick<Unit, "cycle" | "mode" | "parts" | "reading">,
  ) {
    this.file = file;
    this.parts = parts;
    this.reading = reading;
    this.mode = mode;
    this.cycle = cycle;
    const referred = [...referencesOf(reading.shapes.definition(name))];
    this.called = new Set(
      referred.flatMap((other) => [file.names.local("is", other), file.names.local("accepts", other)]),
    );
  }

  get shapes(): Shapes {
    return this.reading.shapes;
  }

  /**
   * Adds a function of the unit, after those that were begun before.
   *
   * @param hint describes it in its name
   */
  addPart(hint: string, print: (name: string) => Printed): string {
    const part: Part = {
      name: this.parts.add(this.reading.prefix, hint, this.mode === "judge" ? "stepwise" : undefined),
    };
    this.splitOff.push(part);
    part.printed = print(part.name);
    return part.name;
  }

  /** The functions of the unit's own that `start` needs. */
  partsFor(start: Printed): Printed[] {
    const used = new Set(start.used);
    return this.splitOff.flatMap(({ name, printed }) => {
      if (!printed || !used.has(name)) return [];
      for (const word of printed.used) used.add(word);
      return [printed];
    });
  }
}

/** Where in a function a place is; without it, at its beginning. */
interface At {
  readonly scope?: Scope;
  readonly tested?: boolean;
  readonly hint?: string;
  readonly called?: { recursion: boolean };
}

/** The place in an emitted function at which a node is judged. */
export class Place {
  readonly unit: Unit;
  readonly scope: Scope;
  /** The verdict is one of several: a false one does not decide the whole. */
  readonly tested: boolean;
  /** The word that names a function that is split off here. */
  readonly hint: string;
  private readonly called: { recursion: boolean };

  constructor(
    unit: Unit,
    { scope = new Scope(unit.called), tested = false, hint = "", called = { recursion: false } }: At = {},
  ) {
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
    return this.with({ tested: this.tested || tested });
  }

  under(hint: string): Place {
    return this.with({ hint });
  }

  private with(at: At): Place {
    const { scope, tested, hint, called } = this;
    return new Place(this.unit, { scope, tested, hint, called, ...at });
  }

  /** The body of a separate function. */
  inOwnFunction(): Place {
    return new Place(this.unit, { tested: this.tested });
  }

  /** Statements that leave with `false` unless `node` accepts `subject`, and go on if it does. */
  check(node: SchemaNode, subject: string, within?: ReadonlySet<Kind>): Statement[] {
    return this.unit.file.recursion.check(node, subject, this, within);
  }

  /** The statements of a function that gives the verdict of `node` on `subject`. */
  verdictOn(node: SchemaNode, subject: string, within?: ReadonlySet<Kind>): Statement[] {
    return this.unit.file.recursion.verdictOn(node, subject, this, within);
  }

  /** A condition for `node` at any cost: a separate function, if need be. */
  conditionFor(node: SchemaNode, subject: string, within?: ReadonlySet<Kind>): Expression {
    return this.unit.file.recursion.conditionFor(node, subject, this, within);
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
    if (this.isRecursive(name)) return this.recursion(name, subject);
    return call(file.names.local(file.differing.has(name) ? reading.prefix : "is", name), subject);
  }

  /** The verdict of a function split off from this unit. */
  part(name: string, subject: Layout, reachesCycle: boolean): Expression {
    if (!reachesCycle) return call(name, subject);
    this.called.recursion = true;
    if (this.unit.mode === "judge") return yieldCall(name, subject);
    return call(name, subject, "depth", ...(this.unit.mode === "walk" ? ["later"] : []));
  }

  private recursion(definition: string, subject: Layout): Expression {
    const { file, mode, reading } = this.unit;
    this.called.recursion = true;
    if (this.tested) this.unit.backtracks = true;
    if (mode === "judge") return yieldCall(file.names.inner(reading.prefix, definition, "stepwise"), subject);
    const deeper = ["depth + 1", ...(mode === "walk" ? ["later"] : [])];
    return call(file.names.inner(reading.prefix, definition, "deep"), subject, ...deeper);
  }
}

/** Words that cannot name a local of an emitted function, or that emitted code means something else by. */
const reserved: ReadonlySet<string> = new Set([
  ...(
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield " +
    "Array Infinity NaN Number Object undefined value depth later textFormats textPatterns"
  ).split(" "),
  ...preludeNames,
]);

/** Reads like the name of a validator, which it would hide. */
const validatorLike = /^(is|accepts)[A-Z]/;

/** Names of the locals of one emitted function. */
class Scope {
  private readonly taken: Set<string>;
  /** The last number given to each name. */
  private readonly numbers = new Map<string, number>();

  /** @param called functions that must stay visible */
  constructor(called: ReadonlySet<string>) {
    this.taken = new Set(called);
  }

  /**
   * A name for a local that holds the member `property`, or for a local that the word `property` describes. Where the
   * name is taken, it begins with `subject`, the local that the value is a part of: `outputSchemaProperties`.
   */
  local(property: string, subject?: string): string {
    const word = wordOf(property);
    const wanted = isUsable(word) ? word : `${word}Value`;
    const path = subject !== undefined && this.taken.has(wanted) ? pathOf(subject, word) : wanted;
    return this.free(path !== undefined && isUsable(path) ? path : wanted);
  }

  private free(wanted: string): string {
    let name = wanted;
    let number = this.numbers.get(wanted) ?? 1;
    while (this.taken.has(name)) name = `${wanted}${++number}`;
    this.numbers.set(wanted, number);
    this.taken.add(name);
    return name;
  }
}

function isUsable(name: string): boolean {
  return !reserved.has(name) && !validatorLike.test(name);
}

/** Longer names are harder to read than numbered ones. */
const longest = 32;

function pathOf(subject: string, word: string): string | undefined {
  const path = subject + capitalised(word);
  return /^[A-Za-z]\w*$/.test(subject) && path.length <= longest ? path : undefined;
}

function wordOf(property: string): string {
  // The last segment of a name like `example.com/traceId` describes it.
  const segments = property.split(/[./]/).filter((segment) => /[A-Za-z0-9]/.test(segment));
  const word = camelCase(segments.at(-1) ?? "");
  return /^[A-Za-z]/.test(word) ? word : `member${word}`;
}
