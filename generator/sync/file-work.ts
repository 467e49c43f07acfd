import { ts } from "ts-morph";
import type { Place, Finding } from "../diagnostics/coded-error.js";
import type { Anchor } from "./anchors.js";
import { type Holder, isScript } from "./declarations.js";
import { type Insertion, insertionsInto } from "./insertion.js";
import { type HandlerMember, type HandlerMembers, membersOf } from "./members.js";
import type { LookIn } from "./meanings.js";
import { type StubPlace, memberStub, sectionStub } from "./stub.js";
import type { HandlersType } from "./type-names.js";
import { type Section, type Wanted, nounOf, sections } from "./wanted.js";
import { closest } from "../diagnostics/suggest.js";
import { shortList } from "../print/terminal-text.js";

/** A contract whose handlers are searched for. */
export interface SyncContract {
  /** The contract's file in messages. */
  readonly file: string;
  readonly wanted: Wanted;
  /** Names of tools that may run as tasks. */
  readonly tasks?: readonly string[];
  /** Names of arguments with completion, by prompt or URI template. */
  readonly completable?: ReadonlyMap<string, readonly string[]>;
  /** The targets of the file's imports. */
  readonly lookIn: LookIn;
  /** How the file can refer to the contract's `Handlers` without an import. */
  readonly anywhere: string;
}

/** A function that is missing in the user's code. */
export interface Missing {
  readonly contract: string;
  readonly section: Section;
  readonly name: string;
  readonly place: Place;
}

/** Handlers that a file imports from another one. */
export interface Reference {
  readonly contract: string;
  /** Undefined for the handlers of all sections. */
  readonly section: Section | undefined;
  readonly finding: Finding;
}

/** Code that concerns handlers of a contract: reported only if no handlers are found in any file. */
export interface Trace {
  readonly contract: string;
  readonly finding: Finding;
}

/** A place with handlers, and the handlers it contains. */
interface Taken {
  readonly holder: Holder;
  /** Undefined for the handlers of all sections. */
  readonly section: Section | undefined;
  readonly type: HandlersType;
  readonly contract: SyncContract;
}

/** The changes and findings of one file. */
export class FileWork {
  readonly insertions: Insertion[] = [];
  readonly missing: Missing[] = [];
  readonly findings: Finding[] = [];
  readonly references: Reference[] = [];
  readonly traces: Trace[] = [];
  readonly anchored: { contract: string; section: Section | undefined }[] = [];
  readonly #source: ts.SourceFile;
  readonly #file: string;
  readonly #taken = new Map<ts.Node, Set<string>>();

  constructor(source: ts.SourceFile, file: string) {
    this.#source = source;
    this.#file = file;
  }

  take({ type, holder, passing }: Anchor, contract: SyncContract): void {
    if (type.section === undefined) this.#takeAll(holder, type, contract, passing);
    else this.#takeSection(holder, type.section, type, contract);
  }

  /** Whether a literal has not been visited yet; it may be reached in several ways. */
  #isNew(node: ts.Node, contract: SyncContract, section: Section | undefined): boolean {
    const key = `${section ?? ""} ${contract.file}`;
    const taken = this.#taken.get(node) ?? new Set();
    this.#taken.set(node, taken);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  }

  #takeAll(holder: Holder, type: HandlersType, contract: SyncContract, passing: boolean): void {
    if (!this.#isNew(holder.node, contract, undefined)) return;
    const partial = type.part !== undefined;
    if (holder.kind === "unknown")
      return this.#unknown(
        holder,
        { section: undefined, contract },
        [...contract.wanted.keys()],
        passing || partial,
      );
    const members = membersOf(holder);
    const absent: Section[] = [];
    for (const section of sections) {
      const member = members.byName.get(section);
      if (member) for (const inner of member.holders()) this.#takeSection(inner, section, type, contract);
      else if (contract.wanted.has(section)) absent.push(section);
    }
    if (!this.#isToFill({ holder, section: undefined, type, contract }, members, absent)) return;
    for (const section of absent) {
      for (const name of contract.wanted.get(section)!) this.#miss(holder.node, contract, section, name);
    }
    this.#insert(holder, type, contract, (place) =>
      absent.map((section) => sectionStub(section, contract.wanted.get(section)!, place)),
    );
  }

  #takeSection(holder: Holder, section: Section, type: HandlersType, contract: SyncContract): void {
    if (!this.#isNew(holder.node, contract, section)) return;
    // A section without required names may still have handlers, whose names the compiler checks.
    if (section === "completions" && !contract.wanted.has(section)) return;
    const wanted = contract.wanted.get(section) ?? [];
    if (holder.kind === "unknown")
      return this.#unknown(holder, { section, contract }, wanted, type.part !== undefined);
    const members = membersOf(holder);
    const absent = wanted.filter((name) => !members.byName.has(name));
    const taken = { holder, section, type, contract };
    for (const { node, finding } of unknownHandlersIn(members, taken, wanted, absent))
      this.report(node, finding);
    if (!this.#isToFill(taken, members, absent)) return;
    for (const name of absent) this.#miss(holder.node, contract, section, name);
    this.#insert(holder, type, contract, (place) => absent.map((name) => memberStub(section, name, place)));
  }

  /**
   * Whether to insert all missing handlers: not if a type makes them optional, or if they may exist
   * elsewhere.
   */
  #isToFill(
    { holder: { node }, section, type: { part }, contract: { file: contract } }: Taken,
    { open, why }: HandlerMembers,
    absent: readonly string[],
  ): boolean {
    const isAbsent = absent.length > 0;
    if (part !== undefined && isAbsent) {
      this.references.push({ contract, section, finding: this.#cannotKnow(node, part, absent) });
      return false;
    }
    this.anchored.push({ contract, section });
    if (open && isAbsent) this.findings.push(this.#cannotKnow(open, why!, absent));
    return !open && isAbsent;
  }

  #insert(
    holder: Exclude<Holder, { kind: "unknown" }>,
    { handlers }: HandlersType,
    { completable }: SyncContract,
    print: (place: StubPlace) => readonly string[][],
  ): void {
    const { node, kind, typed } = holder;
    const script = isScript(this.#source);
    const printed = insertionsInto(node, this.#source, kind === "literal" ? "," : "", (step) =>
      print({ handlers, kind, typed, step, script, completable }),
    );
    this.insertions.push(...printed);
  }

  #miss(node: ts.Node, { file: contract }: SyncContract, section: Section, name: string): void {
    this.missing.push({ contract, section, name, place: this.#place(node) });
  }

  #unknown(
    { node, why, elsewhere }: Extract<Holder, { kind: "unknown" }>,
    { section, contract: { file: contract } }: Pick<Taken, "section" | "contract">,
    names: readonly string[],
    passing: boolean,
  ): void {
    if (names.length === 0) return;
    const finding = this.#cannotKnow(node, why, names);
    if (passing) return void this.traces.push({ contract, finding });
    if (elsewhere) return void this.references.push({ contract, section, finding });
    this.findings.push(finding);
    this.anchored.push({ contract, section });
  }

  /**
   * Records that code of the file concerns the contract's handlers, though no handlers are recognised in it.
   */
  trace(node: ts.Node, contract: SyncContract, why: string): void {
    const finding = this.#cannotKnow(node, why, [...contract.wanted.keys()]);
    this.traces.push({ contract: contract.file, finding });
  }

  /** Adds a finding about a place in the file. */
  report(node: ts.Node, finding: Finding): void {
    this.findings.push({ ...finding, place: this.#place(node) });
  }

  #cannotKnow(node: ts.Node, why: string, names: readonly string[]): Finding {
    const shown = shortList(
      names.map((name) => JSON.stringify(name)),
      5,
    );
    return {
      code: "MG6503",
      severity: "warning",
      message: `cannot determine whether ${shown} ${names.length === 1 ? "is" : "are"} there: ${why}`,
      place: this.#place(node),
      next: "Nothing was inserted here; the type-checker reports missing handlers.",
    };
  }

  #place(node: ts.Node): Place {
    const { line, character } = this.#source.getLineAndCharacterOfPosition(node.getStart(this.#source));
    return { file: this.#file, line: line + 1, column: character + 1 };
  }
}

/** A handler without an entry in the contract. */
interface UnknownHandler {
  readonly node: ts.Node;
  /** The finding without its place. */
  readonly finding: Finding;
}

/**
 * Finds handlers without an entry in the contract. A class may also have other methods: one with the types of
 * a handler is an error, any other public method a warning.
 *
 * @param absent names in the contract without a handler; an unknown handler may use a former name of one
 */
function unknownHandlersIn(
  { byName }: HandlerMembers,
  { holder, section, type, contract }: Taken & { readonly section: Section },
  wanted: readonly string[],
  absent: readonly string[],
): UnknownHandler[] {
  const offered = new Set(wanted);
  return [...byName]
    .filter(([name]) => !offered.has(name))
    .flatMap(([name, member]) => {
      const certain = holder.kind !== "class" || isTypedAs(type.handlers, member);
      if (!certain && !isPublicMethod(member)) return [];
      const message = `${contract.file} has no ${nounOf[section]} ${JSON.stringify(name)}`;
      const next = adviceFor(closest(name, absent), certain);
      const severity = certain ? "error" : "warning";
      return [{ node: member.node, finding: { code: "MG6502", severity, message, next } }];
    });
}

/** @param renamed the name in the contract that may be the handler's new name */
function adviceFor(renamed: string | undefined, certain: boolean): string {
  if (renamed !== undefined) return `If ${JSON.stringify(renamed)} is its new name, move the code there.`;
  return certain
    ? "Remove the function, or add the entry to the contract."
    : "Remove it, or make it private if only the class uses it.";
}

/** Whether a method or property has the types of a handler. */
function isTypedAs(handlers: string, { whole }: HandlerMember): boolean {
  const types = [
    "type" in whole ? whole.type : undefined,
    ...("parameters" in whole ? whole.parameters.map(({ type }) => type) : []),
  ];
  const handlersType = handlers.replace(/^Parameters<typeof (.*)>\[0\]$/, "$1");
  return types.some((type) => type !== undefined && mentions(type.getText(), handlersType));
}

/** Whether `text` contains `name` as a whole word. */
function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w$.]/.test(text[at - 1] ?? " ") && !/[\w$]/.test(text[at + name.length] ?? " ");
}

function isPublicMethod({ whole }: HandlerMember): boolean {
  if (ts.isParameter(whole)) return false;
  const kinds = ts.canHaveModifiers(whole) ? (whole.modifiers ?? []).map(({ kind }) => kind) : [];
  if (kinds.includes(ts.SyntaxKind.PrivateKeyword) || kinds.includes(ts.SyntaxKind.ProtectedKeyword))
    return false;
  if (ts.isMethodDeclaration(whole)) return whole.body !== undefined;
  if (!ts.isPropertyDeclaration(whole) || !whole.initializer) return false;
  return ts.isArrowFunction(whole.initializer) || ts.isFunctionExpression(whole.initializer);
}
