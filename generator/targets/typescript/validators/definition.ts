import type { Definition } from "@mcpgen/engine";
import { check, conditionFor, verdictOn } from "./check.js";
import { type Expression, call, compare } from "./expression.js";
import { PartNames } from "./function-names.js";
import { type Head, judgeHead, plainHead, type Printed, printFunction, walkerHead } from "./function.js";
import { group, indent, line, print } from "../../../print/layout.js";
import { type PreludeName, preludeNames } from "./prelude.js";
import { type Statement, returns, when } from "./statement.js";
import { type FileContext, type FileNames, Place, type Reading, Unit } from "./unit.js";

/** Depth of nesting beyond which validation continues without the call stack. */
const deepest = "64";

/** The printed functions of a definition. */
interface Block {
  readonly exported: boolean;
  readonly functions: readonly Printed[];
  readonly parts: PartNames;
}

/** The way a definition is validated, and the names for new functions. */
type How = Pick<Unit, "mode" | "parts" | "reading">;

/** Emits the validators of individual definitions. */
export class DefinitionEmitter {
  /** The shared functions that the emitted code uses. */
  readonly prelude = new Set<PreludeName>();
  private readonly file: FileContext;
  private readonly types: ReadonlyMap<string, string>;
  private readonly cycles: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * For each variant and cycle of definitions: whether a recursive call returns only one of several results
   * that decide together.
   */
  private readonly backtracking = new Map<Reading, Map<ReadonlySet<string>, boolean>>();

  /**
   * @param types the types that validators prove, by definition; without an entry, a validator returns a
   * plain boolean
   */
  constructor(
    file: FileNames,
    types: ReadonlyMap<string, string>,
    cycles: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.file = { ...file, recursion: { check, conditionFor, verdictOn } };
    this.types = types;
    this.cycles = cycles;
  }

  /**
   * Emits the functions and constants of each definition in print order. For definitions that are not
   * exported, only functions that others use are printed.
   */
  emitAll(definitions: Iterable<Definition>, exact: Reading, open: Reading): string[] {
    const all = [...definitions];
    // Usually every definition is exported. Each is then printed completely, and only its text is kept.
    if (all.every(({ name }) => this.file.names.isExported(name))) {
      return all.map((definition) => {
        const { functions, parts } = this.block(definition, exact, open);
        return this.finished(functions, parts).join("\n\n");
      });
    }
    const blocks = all.map((definition) => this.block(definition, exact, open));
    const needed = new Set(blocks.filter(({ exported }) => exported).flatMap(({ functions }) => functions));
    const hidden = new Map(
      blocks
        .filter(({ exported }) => !exported)
        .flatMap(({ functions }) => functions.map((one) => [one.name, one] as const)),
    );
    // Functions used by a needed function are needed, too. Iterating over a Set includes elements added
    // during the loop.
    for (const { used } of needed) {
      for (const word of used) if (hidden.has(word)) needed.add(hidden.get(word)!);
    }
    return blocks.flatMap(({ functions, parts }) => {
      const kept = functions.filter((one) => needed.has(one));
      return kept.length === 0 ? [] : this.finished(kept, parts).join("\n\n");
    });
  }

  private block(definition: Definition, exact: Reading, open: Reading): Block {
    const { name } = definition;
    const { names, differing } = this.file;
    const parts = new PartNames(names, name);
    const functions = this.validator(definition, exact, parts);
    const exported = names.isExported(name);
    const opened = differing.has(name) ? this.validator(definition, open, parts) : undefined;
    if (opened && !(exported && isSame(functions, opened))) functions.push(...opened);
    else if (opened ?? this.types.has(name))
      functions.push({ name: "", text: this.alias(name), used: new Set() });
    return { exported, functions, parts };
  }

  /** Emits the functions of a definition that only this file calls, in the exact variant. */
  emitPrivate(definition: Definition, exact: Reading): string[] {
    const parts = new PartNames(this.file.names, definition.name);
    const head = plainHead(this.file.names.local("is", definition.name));
    return this.finished(this.judges(definition, exact, parts, head), parts);
  }

  private finished(functions: readonly Printed[], parts: PartNames): string[] {
    const used = new Set(functions.flatMap((one) => [...one.used]));
    for (const name of preludeNames) if (used.has(name)) this.prelude.add(name as PreludeName);
    const texts = parts.constantsIn(used).map(print);
    // An alias is printed directly below the function that it names.
    for (const { name, text } of functions)
      if (name === "" && texts.length > 0) texts.push(`${texts.pop()!}\n${text}`);
      else texts.push(text);
    return texts;
  }

  /** The exported function of one variant, then the functions that it calls. */
  private validator(definition: Definition, reading: Reading, parts: PartNames): Printed[] {
    const { name } = definition;
    const { names } = this.file;
    const { prefix } = reading;
    const local = names.local(prefix, name);
    const proves = prefix === "is" ? this.types.get(name) : undefined;
    const head = { ...plainHead(local), ...(proves !== undefined && { proves }) };
    if (!names.isExported(name)) return this.judges(definition, reading, parts, head);
    const exported = names.exported(prefix, name);
    if (local !== exported) {
      const renamed: Printed = { name: "", text: `export { ${local} as ${exported} };`, used: new Set() };
      return [...this.judges(definition, reading, parts, head), renamed];
    }
    return this.judges(definition, reading, parts, { ...head, name: `export ${head.name}` });
  }

  /** The function with the head `start`, then the functions that it calls. */
  private judges(definition: Definition, reading: Reading, parts: PartNames, start: Head): Printed[] {
    const { name } = definition;
    const { names } = this.file;
    const cycle = this.cycles.get(name);
    if (!cycle) return this.functions(definition, { reading, mode: "straight", parts }, start);
    const deep = names.inner(reading.prefix, name, "deep");
    const first = printFunction(start, [returns(call(deep, "value", "0"))]);
    if (!this.isBacktracking(cycle, reading)) {
      const tooDeep = call("postpone", deep, "value", "later");
      const how = { reading, mode: "walk", parts } as const;
      return [first, ...this.functions(definition, how, walkerHead(deep, true), tooDeep)];
    }
    const stepwise = names.inner(reading.prefix, name, "stepwise");
    const tooDeep = call("settle", `${stepwise}(value)`);
    return [
      first,
      ...this.functions(definition, { reading, mode: "guarded", parts }, walkerHead(deep, false), tooDeep),
      ...this.functions(definition, { reading, mode: "judge", parts }, judgeHead(stepwise)),
    ];
  }

  /** The function that validates a definition in one mode, then the functions that it calls. */
  private functions(definition: Definition, how: How, head: Head, tooDeep?: Expression): Printed[] {
    const { body, unit } = this.body(definition, how);
    const guard = tooDeep ? when(compare("depth", ">", deepest), [returns(tooDeep)]) : [];
    const start = printFunction(head, [...guard, ...body]);
    return [start, ...unit.partsFor(start)];
  }

  private body(
    { name, node }: Pick<Definition, "name" | "node">,
    how: How,
  ): { body: Statement[]; unit: Unit } {
    const unit = new Unit(this.file, name, { ...how, cycle: this.cycles.get(name) ?? new Set() });
    return { body: verdictOn(node, "value", new Place(unit)), unit };
  }

  private isBacktracking(cycle: ReadonlySet<string>, reading: Reading): boolean {
    const known = this.backtracking.get(reading) ?? new Map<ReadonlySet<string>, boolean>();
    this.backtracking.set(reading, known);
    let result = known.get(cycle);
    if (result === undefined) {
      result = [...cycle].some((name) => {
        const node = reading.shapes.definition(name);
        const parts = new PartNames(this.file.names, name);
        const trial = this.body({ name, node }, { reading, mode: "walk", parts });
        return trial.unit.backtracks;
      });
      known.set(cycle, result);
    }
    return result;
  }

  /** The alias of an open variant that equals the exact one. */
  private alias(name: string): string {
    const { names } = this.file;
    const head = `export const ${names.exported("accepts", name)}: (value: unknown) => boolean =`;
    return print([head, group(indent(line, names.local("is", name))), ";"]);
  }
}

/** Whether both variants of a definition are a single function with the same body. */
function isSame([exact, ...parts]: readonly Printed[], [open, ...openParts]: readonly Printed[]): boolean {
  return parts.length === 0 && openParts.length === 0 && exact!.body === open!.body;
}
