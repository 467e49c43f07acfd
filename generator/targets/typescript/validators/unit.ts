import { type SchemaNode, referencesOf } from "@mcpgen/engine";
import { withoutCovered } from "./covers.js";
import { type Expression, call, yieldCall } from "./expression.js";
import type { Layout } from "../../../print/layout.js";
import { type FunctionNames, type PartNames, type Prefix, camelCase } from "./function-names.js";
import type { Printed } from "./function.js";
import type { Kind, Shapes } from "./shape.js";
import type { Statement } from "./statement.js";
import { capitalised } from "../../../print/text.js";
import { preludeNames } from "./prelude.js";

/** A variant of validation: exact, or open (accepts unknown members of open unions and sets). */
export interface Reading {
  readonly shapes: Shapes;
  readonly prefix: Prefix;
}

/**
 * The recursive functions of `check.ts`. Files that check members, items and unions call them through their
 * place, so that these files do not import each other.
 */
interface Recursion {
  check(node: SchemaNode, subject: string, place: Place, within?: ReadonlySet<Kind>): Statement[];
  verdictOn(node: SchemaNode, subject: string, place: Place, within?: ReadonlySet<Kind>): Statement[];
  conditionFor(node: SchemaNode, subject: string, place: Place, within?: ReadonlySet<Kind>): Expression;
}

/** The names that the validators of one file share. */
export interface FileNames {
  readonly names: FunctionNames;
  /** Definitions whose open variant differs from the exact one. */
  readonly differing: ReadonlySet<string>;
}

/** The state that the validators of one file share. */
export interface FileContext extends FileNames {
  readonly recursion: Recursion;
}

/**
 * How the functions of a unit call definitions that can contain the unit's own:
 * - `straight`: there are no such definitions.
 * - `walk`: recursion. Beyond a certain depth, parts are put in a list for later; this requires that every
 *   part must be valid.
 * - `guarded`: recursion. Beyond a certain depth, it continues in mode `judge`.
 * - `judge`: generator functions yield to a driver with an explicit stack. This also works where several arms
 *   may be tried.
 */
type Mode = "straight" | "walk" | "guarded" | "judge";

/** An inner function of a unit. Its position in the output is fixed before its text is made. */
interface Part {
  readonly name: string;
  printed?: Printed;
}

/** One definition in one variant and mode, while its code is emitted. */
export class Unit {
  readonly file: FileContext;
  readonly reading: Reading;
  readonly mode: Mode;
  /** Definitions in the same cycle of references. */
  readonly cycle: ReadonlySet<string>;
  /** Names of functions that the unit may call, so locals must not have them. */
  readonly called: ReadonlySet<string>;
  readonly parts: PartNames;
  /** Inner functions in order of first use. */
  private readonly splitOff: Part[] = [];
  /** Whether some recursive call returns only one of several results that decide together. */
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
   * Adds an inner function after those that were started earlier.
   *
   * @param hint word for the function's name
   */
  addPart(hint: string, print: (name: string) => Printed): string {
    const part: Part = {
      name: this.parts.add(this.reading.prefix, hint, this.mode === "judge" ? "stepwise" : undefined),
    };
    this.splitOff.push(part);
    part.printed = print(part.name);
    return part.name;
  }

  /** The inner functions that `start` needs, directly or indirectly. */
  partsFor(start: Printed): Printed[] {
    const used = new Set(start.used);
    return this.splitOff.flatMap(({ name, printed }) => {
      if (!printed || !used.has(name)) return [];
      for (const word of printed.used) used.add(word);
      return [printed];
    });
  }
}

/** A position inside a function; each omitted field has its value for the start of the function. */
interface At {
  readonly scope?: Scope;
  readonly tested?: boolean;
  readonly hint?: string;
  readonly called?: { recursion: boolean };
}

/** The position in an emitted function where a node is checked. */
export class Place {
  readonly unit: Unit;
  readonly scope: Scope;
  /** Whether the result is one of several, so that `false` does not decide the whole. */
  readonly tested: boolean;
  /** Word for the name of an inner function that is created here. */
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

  /** Records that the function calls a definition of the unit's cycle. */
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

  /** The start of the body of a new function. */
  inOwnFunction(): Place {
    return new Place(this.unit, { tested: this.tested });
  }

  /** Statements that return `false` unless `node` accepts `subject`, and otherwise continue. */
  check(node: SchemaNode, subject: string, within?: ReadonlySet<Kind>): Statement[] {
    return this.unit.file.recursion.check(node, subject, this, within);
  }

  /** The statements of a function that returns whether `node` accepts `subject`. */
  verdictOn(node: SchemaNode, subject: string, within?: ReadonlySet<Kind>): Statement[] {
    return this.unit.file.recursion.verdictOn(node, subject, this, within);
  }

  /** A condition for `node`; calls a separate function if an expression is not enough. */
  conditionFor(node: SchemaNode, subject: string, within?: ReadonlySet<Kind>): Expression {
    return this.unit.file.recursion.conditionFor(node, subject, this, within);
  }

  /** The relevant arms of a union. */
  arms(arms: readonly SchemaNode[]): readonly SchemaNode[] {
    return this.shapes.armsOf(arms, withoutCovered);
  }

  /** Whether the node, or a node below it, refers to definitions of the unit's cycle. */
  mentionsCycle(node: SchemaNode): boolean {
    if (this.unit.mode === "straight") return false;
    for (const name of referencesOf(node)) if (this.unit.cycle.has(name)) return true;
    return false;
  }

  isRecursive(definition: string): boolean {
    return this.unit.mode !== "straight" && this.unit.cycle.has(definition);
  }

  /** A call of a definition's validator. */
  definition(name: string, subject: Layout): Expression {
    const { file, reading } = this.unit;
    if (this.isRecursive(name)) return this.recursion(name, subject);
    return call(file.names.local(file.differing.has(name) ? reading.prefix : "is", name), subject);
  }

  /** A call of one of the unit's inner functions. */
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

/** Words that cannot name a local, because they are reserved or mean something else in emitted code. */
const reserved: ReadonlySet<string> = new Set([
  ...(
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield " +
    "Array Infinity NaN Number Object undefined value depth later textFormats textPatterns"
  ).split(" "),
  ...preludeNames,
]);

/** A name like a validator's, which a local would shadow. */
const validatorLike = /^(is|accepts)[A-Z]/;

/** Names of the locals of one emitted function. */
class Scope {
  private readonly taken: Set<string>;
  /** The last number used for each name. */
  private readonly numbers = new Map<string, number>();

  /** @param called functions whose names locals must not have */
  constructor(called: ReadonlySet<string>) {
    this.taken = new Set(called);
  }

  /**
   * A name for a local that holds the member `property`, or that the word `property` describes. If the name
   * is in use, it is prefixed with `subject`, the local that contains the value: `outputSchemaProperties`.
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

/** Maximum length of a prefixed name; longer ones are harder to read than numbered ones. */
const longest = 32;

function pathOf(subject: string, word: string): string | undefined {
  const path = subject + capitalised(word);
  return /^[A-Za-z]\w*$/.test(subject) && path.length <= longest ? path : undefined;
}

function wordOf(property: string): string {
  // The last segment of a name such as `example.com/traceId` describes it.
  const segments = property.split(/[./]/).filter((segment) => /[A-Za-z0-9]/.test(segment));
  const word = camelCase(segments.at(-1) ?? "");
  return /^[A-Za-z]/.test(word) ? word : `member${word}`;
}
