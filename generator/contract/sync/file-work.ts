import type { ts } from "ts-morph";
import type { Place } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diagnostics/finding.js";
import { closest } from "../../diagnostics/suggest.js";
import type { Anchor } from "./anchors.js";
import type { Holder } from "./holders.js";
import { type Insertion, insertionsInto } from "./insertion.js";
import { type Members, membersOf } from "./members.js";
import { memberStub, sectionStub } from "./stub.js";
import { type Section, type Wanted, nounOf, sections } from "./wanted.js";

/** A contract whose handlers are looked for. */
export interface SyncContract {
  /** What messages call it: the file it is in. */
  readonly file: string;
  readonly wanted: Wanted;
  /** Whether a module specifier leads to what is generated from it. */
  readonly isOurs: (specifier: string) => boolean;
}

/** A function that is missing in the user's code. */
export interface Missing {
  readonly contract: string;
  readonly section: Section;
  readonly name: string;
  readonly place: Place;
}

/** Handlers that a file takes from another one. */
export interface Reference {
  readonly contract: string;
  /** Nothing where they are those of all sections. */
  readonly section: Section | undefined;
  readonly finding: Finding;
}

/** What one file needs, gathered. */
export class FileWork {
  readonly insertions: Insertion[] = [];
  readonly missing: Missing[] = [];
  readonly findings: Finding[] = [];
  readonly references: Reference[] = [];
  readonly anchored: { contract: string; section: Section | undefined }[] = [];
  readonly #source: ts.SourceFile;
  readonly #file: string;
  readonly #taken = new Map<ts.Node, Set<string>>();

  constructor(source: ts.SourceFile, file: string) {
    this.#source = source;
    this.#file = file;
  }

  take({ type, holder, passing }: Anchor, contract: SyncContract): void {
    const { handlers, section } = type;
    if (section === undefined) this.#takeAll(holder, handlers, contract, passing);
    else this.#takeSection(holder, section, handlers, contract);
  }

  /** A literal may be reached in several ways; it is looked at once. */
  #isNew(node: ts.Node, contract: SyncContract, section: Section | undefined): boolean {
    const key = `${section ?? ""} ${contract.file}`;
    const taken = this.#taken.get(node) ?? new Set();
    this.#taken.set(node, taken);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  }

  #takeAll(holder: Holder, handlers: string, contract: SyncContract, passing: boolean): void {
    if (!this.#isNew(holder.node, contract, undefined)) return;
    if (holder.kind === "unknown") {
      if (!passing) this.#unknown(holder, contract, undefined, [...contract.wanted.keys()]);
      return;
    }
    this.anchored.push({ contract: contract.file, section: undefined });
    const members = membersOf(holder);
    const absent: Section[] = [];
    for (const section of sections) {
      const member = members.byName.get(section);
      if (member) for (const inner of member.holders()) this.#takeSection(inner, section, handlers, contract);
      else if (contract.wanted.has(section)) absent.push(section);
    }
    if (absent.length === 0) return;
    if (members.open)
      return this.#open(
        members,
        absent.map((section) => `"${section}"`),
      );
    for (const section of absent) {
      for (const name of contract.wanted.get(section)!) this.#miss(holder.node, contract, section, name);
    }
    this.#insert(holder, (step) =>
      absent.map((section) =>
        sectionStub(section, contract.wanted.get(section)!, { ...holder, handlers, step }),
      ),
    );
  }

  #takeSection(holder: Holder, section: Section, handlers: string, contract: SyncContract): void {
    if (!this.#isNew(holder.node, contract, section)) return;
    const wanted = contract.wanted.get(section) ?? [];
    if (holder.kind === "unknown") return this.#unknown(holder, contract, section, wanted);
    this.anchored.push({ contract: contract.file, section });
    const members = membersOf(holder);
    const absent = wanted.filter((name) => !members.byName.has(name));
    this.#strays(members, holder, section, wanted, absent, contract);
    if (absent.length === 0) return;
    if (members.open)
      return this.#open(
        members,
        absent.map((name) => JSON.stringify(name)),
      );
    for (const name of absent) this.#miss(holder.node, contract, section, name);
    this.#insert(holder, (step) =>
      absent.map((name) => memberStub(section, name, { ...holder, handlers, step })),
    );
  }

  #insert(holder: Exclude<Holder, { kind: "unknown" }>, print: (step: string) => readonly string[][]): void {
    const separator = holder.kind === "literal" ? "," : "";
    this.insertions.push(...insertionsInto(holder.node, this.#source, separator, print));
  }

  #miss(node: ts.Node, { file: contract }: SyncContract, section: Section, name: string): void {
    this.missing.push({ contract, section, name, place: this.#place(node) });
  }

  /** Functions for what the contract does not offer (any more). A class has methods of its own as well. */
  #strays(
    { byName }: Members,
    { kind }: Holder,
    section: Section,
    wanted: readonly string[],
    absent: readonly string[],
    { file: contract }: SyncContract,
  ): void {
    if (kind === "class") return;
    const offered = new Set(wanted);
    for (const [name, { node }] of byName) {
      if (offered.has(name)) continue;
      const renamed = closest(name, absent);
      this.findings.push({
        code: "MG6502",
        severity: "error",
        message: `${contract} has no ${nounOf[section]} ${JSON.stringify(name)}`,
        place: this.#place(node),
        next:
          renamed === undefined
            ? "Remove the function, or bring it back into the contract."
            : `If ${JSON.stringify(renamed)} is its new name, move the code there.`,
      });
    }
  }

  #open({ open, why }: Members, names: readonly string[]): void {
    this.findings.push(this.#cannotKnow(open!, why!, names));
  }

  #unknown(
    { node, why, elsewhere }: Extract<Holder, { kind: "unknown" }>,
    { file: contract }: SyncContract,
    section: Section | undefined,
    names: readonly string[],
  ): void {
    if (names.length === 0) return;
    const finding = this.#cannotKnow(
      node,
      why,
      names.map((name) => JSON.stringify(name)),
    );
    if (elsewhere) return void this.references.push({ contract, section, finding });
    this.findings.push(finding);
    this.anchored.push({ contract, section });
  }

  #cannotKnow(node: ts.Node, why: string, names: readonly string[]): Finding {
    const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
    return {
      code: "MG6503",
      severity: "warning",
      message: `cannot know whether ${shown.join(", ")} ${names.length === 1 ? "is" : "are"} there: ${why}`,
      place: this.#place(node),
      next: "Nothing was inserted here; the type-checker tells what is missing.",
    };
  }

  #place(node: ts.Node): Place {
    const { line, character } = this.#source.getLineAndCharacterOfPosition(node.getStart(this.#source));
    return { file: this.#file, line: line + 1, column: character + 1 };
  }
}
