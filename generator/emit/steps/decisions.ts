import type { JsonValue } from "@mcpgen/engine";
import type { StepNote } from "../../notes/note.js";
import type { Outcome, TextBlock } from "./plan.js";

/** A value without a form at the other revision, of which no note says what becomes of it. */
export interface Undecided {
  readonly direction: StepNote["kind"];
  readonly pointer: string;
  readonly what: string;
  /** JSON Pointers that a note may have for target. */
  readonly pointers: readonly string[];
  /** It is a member that must be there, and may be absent at the source. */
  readonly isAbsent?: true;
}

/** A note that cannot be done as it says. */
interface Impossible {
  readonly note: StepNote;
  readonly message: string;
}

/** Where an outcome is needed. */
export interface Subject {
  /** JSON Pointers it goes by, the most telling one first. */
  readonly pointers: readonly string[];
  readonly what: string;
  /** Members that a text may hold if they are there for sure. */
  readonly members?: ReadonlyMap<string, TextMember>;
}

/** A member as a text may hold it. */
interface TextMember {
  readonly required: boolean;
  /** Neither an object nor an array: the text has the value itself, else its JSON. */
  readonly scalar: boolean;
}

type Refusal = Outcome & { readonly how: "refuse" };

/** Says what becomes of values without a form at the other revision: as notes say, else they are refused. */
export class Decisions {
  readonly undecided: Undecided[] = [];
  readonly impossible: Impossible[] = [];
  private readonly notes: ReadonlyMap<string, StepNote>;
  private readonly used = new Set<string>();
  private readonly direction: StepNote["kind"];
  private readonly newer: string;

  /** @param newer the newer one of the two revisions */
  constructor(notes: readonly StepNote[], direction: StepNote["kind"], newer: string) {
    this.direction = direction;
    this.newer = newer;
    this.notes = new Map(
      notes
        .filter(({ kind }) => kind === direction)
        .flatMap((note) => note.targets.map((target) => [target, note] as const)),
    );
  }

  /** Whether a note speaks of something inside one of the places. */
  speaksInside(pointers: readonly string[]): boolean {
    return [...this.notes.keys()].some((target) =>
      pointers.some((pointer) => target.startsWith(`${pointer}/`)),
    );
  }

  /** The first note on one of the places. */
  noteAt(pointers: readonly string[]): StepNote | undefined {
    return pointers.map((pointer) => this.notes.get(pointer)).find((note) => note !== undefined);
  }

  /** @param block what holds a text at the place, if anything does */
  outcome(subject: Subject, block: TextBlock | undefined): Outcome {
    const { what } = subject;
    const note = this.use(subject.pointers);
    switch (note?.how) {
      case undefined:
        return this.undecidedRefusal(subject);
      case "drop":
        return { how: "drop", what, pointers: subject.pointers };
      case "refuse":
        return this.refusal(note.code);
      case "text":
        if (block && note.text !== undefined) {
          const members = subject.members ?? new Map<string, TextMember>();
          const names = namesIn(note.text);
          const fault = names.flatMap((name) => faultOf(name, members.get(name)))[0];
          if (fault === undefined) {
            const json = names.filter((name) => !members.get(name)!.scalar);
            return { how: "text", what, block, text: note.text, json };
          }
          this.impossible.push({ note, message: `no such text may stand in place of ${what}: ${fault}` });
          return this.refusal(undefined);
        }
        break;
      case "fill":
        return { how: "fill", what, value: note.value!, cases: note.cases ?? [] };
      case "lists":
        this.impossible.push({
          note,
          message: `${what} is no list of objects, or the older revision has no object with these lists`,
        });
        return this.refusal(undefined);
      case "keep":
        this.impossible.push({ note, message: `${what} cannot stay: the other side does not take it` });
        return this.refusal(undefined);
    }
    this.impossible.push({ note, message: `no such text may stand in place of ${what}` });
    return this.refusal(undefined);
  }

  /** What becomes of an object without a member that it must have. */
  absence(subject: Subject): { readonly value: JsonValue } | Refusal {
    const { what } = subject;
    const note = this.use(subject.pointers);
    if (!note) return this.undecidedRefusal(subject, what);
    if (note.how === "fill") return { value: note.value! };
    if (note.how !== "refuse") this.impossible.push({ note, message: `${what} must be there` });
    return this.refusal(note.code, what);
  }

  /** The refusal of an object that expressions made without a member that it must have. */
  unmade(what: string): Refusal {
    return this.refusal(undefined, what);
  }

  /** The first note on one of the places, which now has been of use. */
  use(pointers: readonly string[]): StepNote | undefined {
    const pointer = pointers.find((each) => this.notes.has(each));
    if (pointer === undefined) return undefined;
    this.used.add(pointer);
    return this.notes.get(pointer);
  }

  /** Something that a note says to leave out must be there. */
  refuseDrop(pointers: readonly string[], what: string): void {
    const note = this.noteAt(pointers);
    if (note) this.impossible.push({ note, message: `${what} must be there, and cannot be left out` });
  }

  /** @param missing what is not there, where that is the matter */
  private undecidedRefusal({ pointers, what }: Subject, missing?: string): Refusal {
    const isAbsent = missing !== undefined && ({ isAbsent: true } as const);
    const pointer = pointers[0] ?? "";
    this.undecided.push({ direction: this.direction, pointer, pointers, what, ...isAbsent });
    return this.refusal(undefined, missing);
  }

  private refusal(code: string | undefined, missing?: string): Refusal {
    const { direction, newer } = this;
    const [generic, reason, since] =
      direction === "lower"
        ? ["no-older-form", `needs revision ${newer} or newer`, "before"]
        : ["no-newer-form", `has no place in revision ${newer}`, "since"];
    const said = missing === undefined ? reason : `${missing} is required ${since} revision ${newer}`;
    return { how: "refuse", code: code ?? generic, reason: said };
  }

  /** Targets of notes that decide nothing. */
  get idle(): { readonly note: StepNote; readonly target: string }[] {
    return [...this.notes].flatMap(([target, note]) => (this.used.has(target) ? [] : [{ note, target }]));
  }
}

/** A member in a text, by its name. */
export const placeholder = /\{(\w+)\}/;

/** The members that a text names. */
function namesIn(text: string): string[] {
  return text.split(placeholder).filter((_, index) => index % 2 === 1);
}

/** Why a text cannot hold a member. */
function faultOf(name: string, member: TextMember | undefined): string[] {
  if (!member) return [`it has no member ${JSON.stringify(name)}`];
  return member.required ? [] : [`its member ${JSON.stringify(name)} may be absent`];
}
