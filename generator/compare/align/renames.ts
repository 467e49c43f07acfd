import { naturalCompare } from "@mcpgen/engine";
import type { ProtocolModel } from "../../model/model.js";
import type { RenamedNote } from "../../notes/note.js";
import type { ShapeArm, Property } from "../shape/form.js";

/** Names that one member has in two objects. */
export interface Renamed {
  readonly old: string;
  readonly new: string;
}

/** The members that have another name in one of two revisions, by notes. */
export class Renames {
  readonly #notes: ReadonlyMap<string, RenamedNote>;
  readonly #used = new Set<string>();
  readonly #views = new Map<ShapeArm, ShapeArm>();
  /** Whether the first of the two revisions is the later one. */
  readonly #isReversed: boolean;

  private constructor(notes: readonly RenamedNote[], isReversed: boolean) {
    this.#notes = new Map(notes.flatMap((note) => note.targets.map((target) => [target, note] as const)));
    this.#isReversed = isReversed;
  }

  /** The renames between two revisions, whichever is the later one; notes on another pair do not count. */
  static between(old: RevisionRenames, next: RevisionRenames): Renames {
    const notes = renamesSince(old, next);
    return notes.length > 0 ? new Renames(notes, false) : new Renames(renamesSince(next, old), true);
  }

  /** The members of two objects that correspond under two names. */
  of(old: ShapeArm, next: ShapeArm): readonly Renamed[] {
    if (this.#notes.size === 0) return none;
    const [earlier, later] = this.#isReversed ? [next, old] : [old, next];
    const found = new Map<string, Renamed>();
    for (const [name, { nodes }] of later.properties) {
      const target = nodes.map(({ pointer }) => pointer).find((pointer) => this.#notes.has(pointer));
      if (target === undefined) continue;
      const { from } = this.#notes.get(target)!;
      const isRenamed =
        earlier.properties.has(from) && !earlier.properties.has(name) && !later.properties.has(from);
      if (!isRenamed || found.has(from)) continue;
      this.#used.add(target);
      found.set(from, this.#isReversed ? { old: name, new: from } : { old: from, new: name });
    }
    return [...found.values()];
  }

  /** Arms of both revisions, those of the later one with the names that their members had in the other. */
  underEarlierNames(old: readonly ShapeArm[], next: readonly ShapeArm[]): readonly [ShapeArm[], ShapeArm[]] {
    const earlier = (arm: ShapeArm): ShapeArm => this.#underEarlierNames(arm);
    return this.#isReversed ? [old.map(earlier), [...next]] : [[...old], next.map(earlier)];
  }

  #underEarlierNames(later: ShapeArm): ShapeArm {
    let view = this.#views.get(later);
    if (!view) {
      const entries = [...later.properties].map(([name, property]) => {
        const from = this.#noteOf(property)?.from;
        return [from === undefined || later.properties.has(from) ? name : from, property] as const;
      });
      const isChanged = entries.some(([name]) => !later.properties.has(name));
      // Members stand in natural order: what they look like depends on it.
      const properties = new Map(entries.sort(([a], [b]) => naturalCompare(a, b)));
      this.#views.set(later, (view = isChanged ? { ...later, properties } : later));
    }
    return view;
  }

  #noteOf({ nodes }: Property): RenamedNote | undefined {
    return nodes.map(({ pointer }) => this.#notes.get(pointer)).find((note) => note !== undefined);
  }

  /** Whether there are any. */
  get areNone(): boolean {
    return this.#notes.size === 0;
  }

  /** Targets of notes that no two objects compared so far gave an occasion for. */
  get idle(): { readonly note: RenamedNote; readonly target: string }[] {
    return [...this.#notes].flatMap(([target, note]) => (this.#used.has(target) ? [] : [{ note, target }]));
  }
}

type RevisionRenames = Pick<ProtocolModel, "revision" | "renames">;

const none: readonly Renamed[] = [];

function renamesSince({ revision }: RevisionRenames, { renames }: RevisionRenames): RenamedNote[] {
  return renames.filter(({ previous }) => previous === revision);
}
