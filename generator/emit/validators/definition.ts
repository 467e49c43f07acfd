import type { Definition, SchemaNode } from "@mcpgen/engine";
import { verdictOn } from "./check.js";
import { type Expression, call, compare } from "./expression.js";
import { type Head, judgeHead, plainHead, type Printed, printFunction, walkerHead } from "./function.js";
import { type Layout, group, indent, line, print, softline, whenBroken } from "../layout.js";
import { type PreludeName, preludeNames } from "./prelude.js";
import { type Statement, returns, when } from "./statement.js";
import { type FileContext, type Mode, Patterns, Place, type Reading, Unit } from "./unit.js";

/** Definitions nested deeper than this are judged without the call stack. */
const deepest = "64";

/** Emits the validators of single definitions. */
export class DefinitionEmitter {
  /** The shared functions that what was emitted so far uses. */
  readonly prelude = new Set<PreludeName>();
  private readonly file: FileContext;
  private readonly types: ReadonlyMap<string, string>;
  private readonly cycles: ReadonlyMap<string, ReadonlySet<string>>;
  /** Per reading: cycles of definitions in which some verdict is only one of several asked for. */
  private readonly backtracking = new Map<Reading, Map<ReadonlySet<string>, boolean>>();

  constructor(
    file: FileContext,
    types: ReadonlyMap<string, string>,
    cycles: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.file = file;
    this.types = types;
    this.cycles = cycles;
  }

  /** The functions and constants of one definition, in the order they are printed. */
  emit(definition: Definition, exact: Reading, open: Reading): string[] {
    const patterns = new Patterns(this.file.identifiers.get(definition.name)!);
    const functions = this.validator(definition, exact, patterns);
    if (this.file.differing.has(definition.name))
      functions.push(...this.validator(definition, open, patterns));
    else functions.push({ text: this.alias(definition.name), used: new Set() });
    const used = new Set(functions.flatMap((one) => [...one.used]));
    for (const name of preludeNames) if (used.has(name)) this.prelude.add(name);
    return [
      ...patterns.literals(used).map(([name, literal]) => print(constant(name, literal))),
      ...functions.map(({ text }) => text),
    ];
  }

  /** The exported function of one reading, then those it is made of. */
  private validator(definition: Definition, reading: Reading, patterns: Patterns): Printed[] {
    const { name } = definition;
    const identifier = this.file.identifiers.get(name)!;
    const head = {
      ...plainHead(reading.validator + identifier),
      ...(reading.validator === "is" && { proves: this.types.get(name)! }),
    };
    const exported = { ...head, name: `export ${head.name}` };
    const cycle = this.cycles.get(name);
    if (!cycle) return this.functions(definition, reading, "straight", patterns, exported);
    const start = printFunction(exported, [returns(call(reading.walker + identifier, "value", "0"))]);
    if (!this.isBacktracking(cycle, reading)) {
      const walker = walkerHead(reading.walker + identifier, true);
      const tooDeep = call("postpone", reading.walker + identifier, "value", "later");
      return [start, ...this.functions(definition, reading, "walk", patterns, walker, tooDeep)];
    }
    const walker = walkerHead(reading.walker + identifier, false);
    const tooDeep = call("settle", `${reading.judge}${identifier}(value)`);
    return [
      start,
      ...this.functions(definition, reading, "guarded", patterns, walker, tooDeep),
      ...this.functions(definition, reading, "judge", patterns, judgeHead(reading.judge + identifier)),
    ];
  }

  /** The function that judges a definition in one mode, then those it is made of. */
  private functions(
    { name, node }: Definition,
    reading: Reading,
    mode: Mode,
    patterns: Patterns,
    head: Head,
    tooDeep?: Expression,
  ): Printed[] {
    const { body, unit } = this.body(name, node, reading, mode, patterns);
    const guard = tooDeep ? when(compare("depth", ">", deepest), [returns(tooDeep)]) : [];
    const start = printFunction(head, [...guard, ...body]);
    return [start, ...unit.partsFor(start)];
  }

  private body(
    name: string,
    node: SchemaNode,
    reading: Reading,
    mode: Mode,
    patterns: Patterns,
  ): { body: Statement[]; unit: Unit } {
    const unit = new Unit(this.file, reading, mode, name, this.cycles.get(name) ?? new Set(), patterns);
    return { body: verdictOn(node, "value", new Place(unit)), unit };
  }

  private isBacktracking(cycle: ReadonlySet<string>, reading: Reading): boolean {
    const known = this.backtracking.get(reading) ?? new Map<ReadonlySet<string>, boolean>();
    this.backtracking.set(reading, known);
    let result = known.get(cycle);
    if (result === undefined) {
      result = [...cycle].some((name) => {
        const trial = this.body(name, reading.shapes.definition(name), reading, "walk", new Patterns(""));
        return trial.unit.backtracks;
      });
      known.set(cycle, result);
    }
    return result;
  }

  /** Where nothing open is reached both readings are one function. */
  private alias(name: string): string {
    const identifier = this.file.identifiers.get(name)!;
    const type = group("(", indent(softline, "value: unknown", whenBroken(",")), softline, ")");
    return print(
      group(
        `export const accepts${identifier}: `,
        type,
        " => boolean =",
        group(indent(line, `is${identifier}`)),
        ";",
      ),
    );
  }
}

function constant(name: string, literal: string): Layout {
  return group(`const ${name} =`, group(indent(line, literal)), ";");
}
