import { pointer, pointerTokens } from "@mcpgen/engine";
import { invariant } from "../../diagnostics/invariant.js";
import { type Expression, readMembers } from "../../notes/expression.js";
import type { ReshapedNote } from "../../notes/note.js";
import type { Conjunction } from "../../compare/shape/form.js";
import type { Change, Plan } from "./plan.js";

/** A direction between two revisions. */
export type Direction = "lift" | "lower";

/** What a note makes of objects in one direction. */
export interface Reshape {
  readonly note: ReshapedNote;
  readonly target: string;
  readonly members: readonly (readonly [key: string, expression: Expression])[];
}

/** An expression that cannot give what its place takes. */
export interface ReshapeProblem {
  readonly note: ReshapedNote;
  /** Place of the expression in the file of notes. */
  readonly pointer: string;
  readonly message: string;
  readonly next?: string | undefined;
}

/** A place whose objects a note makes members of. */
export interface ReshapedPlace {
  readonly reshape: Reshape;
  readonly direction: Direction;
  readonly source: Conjunction;
  readonly target: Conjunction;
  /** The whole places of both sides: an object may be one arm of several. */
  readonly pair: readonly [source: Conjunction, target: Conjunction];
  /** The step for values of the place, of which `change` is a part. */
  readonly plan: Plan;
  readonly change: Change;
  /** Paths into the params of the request, with the places of the expressions that name them. */
  readonly requested: readonly { readonly keys: readonly string[]; readonly pointer: string }[];
}

/** Which members expressions make, by notes. */
export class Reshapes {
  readonly problems: ReshapeProblem[] = [];
  /** The places that the planners of both directions found. */
  readonly places: ReshapedPlace[] = [];
  /** Names of the definitions that notes are about, or that hold what they are about. */
  readonly definitions: ReadonlySet<string>;
  readonly #byTarget = new Map<string, Reshape>();
  readonly #targets = new Map<string, ReshapedNote>();
  readonly #used = new Set<string>();

  constructor(notes: readonly ReshapedNote[]) {
    for (const note of notes) {
      for (const direction of ["lift", "lower"] as const) {
        const made = note[direction];
        if (!made) continue;
        const members = readMembers(made, pointer(note.pointer, direction), unread);
        for (const target of note.targets)
          this.#byTarget.set(`${direction} ${target}`, { note, target, members });
      }
      for (const target of note.targets) this.#targets.set(`${note.pointer} ${target}`, note);
    }
    const targets = notes.flatMap((note) => note.targets);
    this.definitions = new Set(targets.flatMap((target) => pointerTokens(target)[1] ?? []));
  }

  /** What a note on one of the places makes. */
  of(pointers: readonly string[], direction: Direction): Reshape | undefined {
    if (this.#byTarget.size === 0) return undefined;
    return pointers
      .map((each) => this.#byTarget.get(`${direction} ${each}`))
      .find((reshape) => reshape !== undefined);
  }

  /** Keeps a place that a note was used for. */
  add(place: ReshapedPlace): void {
    this.use(place.reshape);
    this.places.push(place);
  }

  use({ note, target }: Reshape): void {
    this.#used.add(`${note.pointer} ${target}`);
  }

  /** Targets of notes that no object of both revisions gave an occasion for. */
  get idle(): { readonly note: ReshapedNote; readonly target: string }[] {
    return [...this.#targets].flatMap(([key, note]) =>
      this.#used.has(key) ? [] : [{ note, target: key.slice(note.pointer.length + 1) }],
    );
  }
}

/** The reader of notes has refused what cannot be read. */
function unread(at: string, message: string): never {
  invariant(false, `${at}: ${message}`);
}
