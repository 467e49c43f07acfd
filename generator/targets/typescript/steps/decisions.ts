import type { JsonValue } from "@mcpgen/engine";
import type { StepNote } from "../../../notes/note.js";
import type { Outcome, TextBlock } from "./plan.js";

/** A value that the other revision cannot express and for which no note defines a conversion. */
export interface Undecided {
  readonly direction: StepNote["kind"];
  readonly pointer: string;
  readonly what: string;
  /** JSON Pointers that a note may use as target. */
  readonly pointers: readonly string[];
  /** Set if it is a required member that may be absent in the source. */
  readonly isAbsent?: true;
}

/** A note that cannot be applied. */
interface Impossible {
  readonly note: StepNote;
  readonly message: string;
}

/** A place that needs an outcome. */
export interface Subject {
  /** JSON Pointers of the place, the most specific first. */
  readonly pointers: readonly string[];
  readonly what: string;
  /** Members that a replacement text may mention if they are certain to be present. */
  readonly members?: ReadonlyMap<string, TextMember>;
}

/** A member that a replacement text mentions. */
interface TextMember {
  readonly required: boolean;
  /** Whether it is a scalar, which the text contains directly; other values appear as JSON. */
  readonly scalar: boolean;
}

type Refusal = Outcome & { readonly how: "refuse" };

/** Decides about values that the other revision cannot express: as notes say, else they are refused. */
export class Decisions {
  readonly undecided: Undecided[] = [];
  readonly impossible: Impossible[] = [];
  private readonly notes: ReadonlyMap<string, StepNote>;
  private readonly used = new Set<string>();
  private readonly direction: StepNote["kind"];
  private readonly newer: string;

  /** @param newer id of the newer revision */
  constructor(notes: readonly StepNote[], direction: StepNote["kind"], newer: string) {
    this.direction = direction;
    this.newer = newer;
    this.notes = new Map(
      notes
        .filter(({ kind }) => kind === direction)
        .flatMap((note) => note.targets.map((target) => [target, note] as const)),
    );
  }

  /** Whether a note has a target inside one of the places. */
  speaksInside(pointers: readonly string[]): boolean {
    return [...this.notes.keys()].some((target) =>
      pointers.some((pointer) => target.startsWith(`${pointer}/`)),
    );
  }

  /** The first note for one of the places. */
  noteAt(pointers: readonly string[]): StepNote | undefined {
    return pointers.map((pointer) => this.notes.get(pointer)).find((note) => note !== undefined);
  }

  /** @param block the kind of object that can hold a text at the place, if there is one */
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

  /** The outcome for an object that lacks a required member. */
  absence(subject: Subject): { readonly value: JsonValue } | Refusal {
    const { what } = subject;
    const note = this.use(subject.pointers);
    if (!note) return this.undecidedRefusal(subject, what);
    if (note.how === "fill") return { value: note.value! };
    if (note.how !== "refuse") this.impossible.push({ note, message: `${what} must be there` });
    return this.refusal(note.code, what);
  }

  /** The refusal of an object for which expressions did not make a required member. */
  unmade(what: string): Refusal {
    return this.refusal(undefined, what);
  }

  /** The first note for one of the places, now marked as used. */
  use(pointers: readonly string[]): StepNote | undefined {
    const pointer = pointers.find((each) => this.notes.has(each));
    if (pointer === undefined) return undefined;
    this.used.add(pointer);
    return this.notes.get(pointer);
  }

  /** Records that a note drops a value which is required. */
  refuseDrop(pointers: readonly string[], what: string): void {
    const note = this.noteAt(pointers);
    if (note) this.impossible.push({ note, message: `${what} must be there, and cannot be left out` });
  }

  /** @param missing name of the missing member, if that is the reason */
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

  /** Targets of notes without effect. */
  get idle(): { readonly note: StepNote; readonly target: string }[] {
    return [...this.notes].flatMap(([target, note]) => (this.used.has(target) ? [] : [{ note, target }]));
  }
}

/** Matches `{member}` in a text. */
export const placeholder = /\{(\w+)\}/;

/** The members that a text mentions. */
function namesIn(text: string): string[] {
  return text.split(placeholder).filter((_, index) => index % 2 === 1);
}

/** The reason why a text cannot mention a member. */
function faultOf(name: string, member: TextMember | undefined): string[] {
  if (!member) return [`it has no member ${JSON.stringify(name)}`];
  return member.required ? [] : [`its member ${JSON.stringify(name)} may be absent`];
}
