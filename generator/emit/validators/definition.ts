import type { Definition, SchemaNode } from "@mcpgen/engine";
import { verdictOn } from "./check.js";
import { call, compare } from "./expression.js";
import { type Layout, group, indent, line, print, softline, whenBroken } from "./layout.js";
import { type Statement, printFunction, returns, signature, when } from "./statement.js";
import { type FileContext, type Mode, Patterns, Place, type Reading, Unit } from "./unit.js";

/** Definitions nested deeper than this are judged without the call stack. */
const deepest = "64";

/** Emits the validators of single definitions. */
export class DefinitionEmitter {
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
    const differs = this.file.differing.has(definition.name);
    const functions = [
      ...this.validator(definition, exact, patterns),
      ...(differs ? this.validator(definition, open, patterns) : [this.alias(definition.name)]),
    ];
    return [...patterns.literals().map(([name, literal]) => print(constant(name, literal))), ...functions];
  }

  /** The exported function of one reading, then those it is made of. */
  private validator({ name, node }: Definition, reading: Reading, patterns: Patterns): string[] {
    const cycle = this.cycles.get(name);
    const head = this.exportedHead(name, reading);
    if (!cycle) {
      const { body, unit } = this.body(name, node, reading, "straight", patterns);
      return [printFunction(head, body), ...unit.parts];
    }
    const mode = this.isBacktracking(cycle, reading) ? "guarded" : "walk";
    const identifier = this.file.identifiers.get(name)!;
    return [
      printFunction(head, [returns(call(`${reading.walker}${identifier}`, "value", "0"))]),
      ...this.walker(name, node, reading, mode, patterns),
      ...(mode === "guarded" ? this.judge(name, node, reading, patterns) : []),
    ];
  }

  private walker(
    name: string,
    node: SchemaNode,
    reading: Reading,
    mode: "walk" | "guarded",
    patterns: Patterns,
  ): string[] {
    const identifier = this.file.identifiers.get(name)!;
    const { body, unit } = this.body(name, node, reading, mode, patterns);
    const walker = `${reading.walker}${identifier}`;
    const parameters = ["value: unknown", "depth: number", ...(mode === "walk" ? ["later?: unknown[]"] : [])];
    this.file.prelude.add(mode === "walk" ? "postpone" : "settle");
    const tooDeep =
      mode === "walk"
        ? call("postpone", walker, "value", "later")
        : call("settle", `${reading.judge}${identifier}(value)`);
    const guard = when(compare("depth", ">", deepest), [returns(tooDeep)]);
    return [
      printFunction(signature(`function ${walker}`, parameters, "boolean"), [...guard, ...body]),
      ...unit.parts,
    ];
  }

  private judge(name: string, node: SchemaNode, reading: Reading, patterns: Patterns): string[] {
    const { body, unit } = this.body(name, node, reading, "judge", patterns);
    const head = `function* ${reading.judge}${this.file.identifiers.get(name)!}`;
    return [
      printFunction(signature(head, ["value: unknown"], "Generator<unknown, boolean, boolean>"), body),
      ...unit.parts,
    ];
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

  private exportedHead(name: string, reading: Reading): Layout {
    const result = reading.validator === "is" ? `value is ${this.types.get(name)!}` : "boolean";
    return signature(
      `export function ${reading.validator}${this.file.identifiers.get(name)!}`,
      ["value: unknown"],
      result,
    );
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
