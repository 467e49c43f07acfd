import { type JsonValue, naturalCompare, canonicalText } from "@mcpgen/engine";
import type { Location } from "../location.js";
import type { Conjunction, ShapeArm, Property, Form } from "../shape/form.js";
import type { FormReader } from "../shape/form-reader.js";
import type { Makers } from "../instance-maker.js";
import type { ProtocolModel } from "../../model/model.js";
import type { RenamedNote } from "../../notes/note.js";
import { boundsText } from "../shape/bounds.js";

/** The subject of a finding. */
export type Subject =
  | { readonly definition: string; readonly path: string; readonly member?: string }
  | { readonly method: string; readonly from: "client" | "server" };

/** Values to try as proof, best first. */
export type Candidates = (make: Makers) => Iterable<JsonValue | undefined>;

/** A difference at one place, independent of reader and writer. */
export interface Fact {
  readonly rule: string;
  /** The case of the rule, if it has several. */
  readonly when?: string;
  readonly subject: Subject;
  readonly old: string | null;
  readonly new: string | null;
  /** JSON Pointers into the canonical documents. */
  readonly at: { readonly old: string | null; readonly new: string | null };
  /** Whether the fact counts only if a value proves it. */
  readonly needsProof?: true;
  /** The schema of the union arm concerned, on each side that has it. */
  readonly arm?: { readonly old?: Conjunction; readonly new?: Conjunction };
  /** Values of the place that an old writer may send and a new reader rejects. */
  readonly narrowed?: Candidates;
  /** Values of the place that a new writer may send and an old reader rejects. */
  readonly widened?: Candidates;
}

/** One place on one side. */
export interface Place {
  /** The schemas that all apply there, with a lone reference resolved. */
  readonly nodes: Conjunction;
  readonly location: Location;
  readonly pointer: string;
  /** The definition that the place refers to, if any. */
  readonly definition: string | undefined;
  /** The schemas as written, to describe the type. */
  readonly written: Conjunction;
}

/** A step from a place to a place inside it. */
export type Step =
  /** `newKey`: the member's name on the new side, if it differs. */
  | { readonly kind: "member"; readonly key: string; readonly newKey?: string }
  | { readonly kind: "item"; readonly index: number }
  /** The value of an undeclared member. */
  | { readonly kind: "other" };

/** Two corresponding places. Each pair is compared once, even if many messages contain it. */
export interface Pair {
  readonly old: Place;
  readonly new: Place;
  /** The location of both places in findings. */
  readonly location: Location;
  /** Whether it is the value of undeclared members. */
  readonly isMapValue: boolean;
  readonly facts: Fact[];
  readonly edges: Edge[];
  /** Names of the definitions of corresponding arms. */
  readonly arms: { readonly old: string | undefined; readonly new: string | undefined }[];
}

export interface Edge {
  readonly child: Pair;
  readonly step: Step;
  /** The schemas of the arm that the step goes through, on both sides. */
  readonly old: Conjunction;
  readonly new: Conjunction;
}

/** A difference at one place. */
export interface PlaceFact extends Pick<
  Fact,
  "rule" | "when" | "narrowed" | "widened" | "needsProof" | "arm"
> {
  readonly old?: string | null;
  readonly new?: string | null;
  readonly member?: string;
  /** A more specific location, if the difference is in a named arm of the place. */
  readonly location?: Location;
}

export type Found = (fact: PlaceFact) => void;

/** The parts of the aligner that comparisons use. */
export interface Alignment {
  readonly old: FormReader;
  readonly new: FormReader;
  /** Renamed members; without it, members correspond only by name. */
  readonly renames: Renames | undefined;
  /** Adds the pair of two places inside `from`, with an edge to it. */
  addChild(from: Pair, edge: Omit<Edge, "child">, old: Conjunction, next: Conjunction): void;
  /** Whether two schemas inside a condition are equivalent. */
  areSame(from: Pair, old: Conjunction, next: Conjunction): boolean;
}

/** Two places being compared, and the collection of their differences. */
export interface Compared {
  readonly aligner: Alignment;
  readonly pair: Pair;
  readonly found: Found;
}

/** The two names of a renamed member. */
export interface Renamed {
  readonly old: string;
  readonly new: string;
}

/** The members that have another name in one of two revisions, according to notes. */
export class Renames {
  readonly #notes: ReadonlyMap<string, RenamedNote>;
  readonly #used = new Set<string>();
  readonly #views = new Map<ShapeArm, ShapeArm>();
  /** Whether the first revision is the later one. */
  readonly #isReversed: boolean;

  private constructor(notes: readonly RenamedNote[], isReversed: boolean) {
    this.#notes = new Map(notes.flatMap((note) => note.targets.map((target) => [target, note] as const)));
    this.#isReversed = isReversed;
  }

  /** The renames between two revisions in either order. Notes about other pairs are ignored. */
  static between(old: RevisionRenames, next: RevisionRenames): Renames {
    const notes = renamesSince(old, next);
    return notes.length > 0 ? new Renames(notes, false) : new Renames(renamesSince(next, old), true);
  }

  /** The corresponding members of two objects that have different names. */
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

  /** The arms of both revisions. Renamed members of the later one have their earlier names. */
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
      // Keep members in natural order, on which signatures depend.
      const properties = new Map(entries.sort(([a], [b]) => naturalCompare(a, b)));
      this.#views.set(later, (view = isChanged ? { ...later, properties } : later));
    }
    return view;
  }

  #noteOf({ nodes }: Property): RenamedNote | undefined {
    return nodes.map(({ pointer }) => this.#notes.get(pointer)).find((note) => note !== undefined);
  }

  /** Whether there are no renames. */
  get areNone(): boolean {
    return this.#notes.size === 0;
  }

  /** Targets of notes for which no compared pair of objects had both members. */
  get idle(): { readonly note: RenamedNote; readonly target: string }[] {
    return [...this.#notes].flatMap(([target, note]) => (this.#used.has(target) ? [] : [{ note, target }]));
  }
}

type RevisionRenames = Pick<ProtocolModel, "revision" | "renames">;

const none: readonly Renamed[] = [];

function renamesSince({ revision }: RevisionRenames, { renames }: RevisionRenames): RenamedNote[] {
  return renames.filter(({ previous }) => previous === revision);
}

/** Depth of a signature: enough to distinguish shapes, and it ends recursion. */
const depth = 3;

/** A text that is equal for equal shapes, whatever their schema and name. */
export function memberSignature(reader: FormReader, member: ShapeArm): string {
  return memberText(reader, member, depth);
}

export function formSignature(reader: FormReader, form: Form, levels = depth): string {
  return remembered(forms, form, levels, () => formText(reader, form, levels));
}

const forms = new WeakMap<Form, Map<number, string>>();
const members = new WeakMap<ShapeArm, Map<number, string>>();

function remembered<K extends object>(
  known: WeakMap<K, Map<number, string>>,
  key: K,
  levels: number,
  make: () => string,
): string {
  let texts = known.get(key);
  if (!texts) known.set(key, (texts = new Map<number, string>()));
  let text = texts.get(levels);
  if (text === undefined) texts.set(levels, (text = make()));
  return text;
}

function formText(reader: FormReader, form: Form, levels: number): string {
  if (form.any) return "any";
  const scalars = [...form.scalars].map(([type, { values, free }]) => {
    const limits = free.map(boundsText).sort();
    return `${type}${canonicalText([...values].map((value) => canonicalText(value)).sort())}${limits.join()}`;
  });
  const arms = form.members.map((member) => (levels > 0 ? memberText(reader, member, levels) : member.type));
  return [...scalars, ...arms].sort().join("|");
}

function memberText(reader: FormReader, member: ShapeArm, levels: number): string {
  return remembered(members, member, levels, () => describe(reader, member, levels - 1));
}

function describe(reader: FormReader, member: ShapeArm, levels: number): string {
  const inside = (nodes: ShapeArm["nodes"]): string => formSignature(reader, reader.of(nodes), levels);
  const limits = boundsText(member.bounds);
  if (member.type === "array")
    return `[${member.prefix.map(inside).join()}...${inside(member.items)}]${limits}`;
  const properties = [...member.properties].map(
    ([key, { nodes, required }]) => `${key}${required ? "" : "?"}:${inside(nodes)}`,
  );
  const forbidden = [...member.forbidden].map((key) => `${key}!`);
  const others = member.closed ? "closed" : inside(member.additional);
  return `{${[...properties, ...forbidden].join(";")};${others}}${limits}`;
}

/**
 * The similarity of two arms, from 0 to 1: the share of common members, and whether those have equal shapes.
 */
export function similarity(readers: readonly [FormReader, FormReader], a: ShapeArm, b: ShapeArm): number {
  if (a.type !== b.type) return 0;
  if (a.type === "array") {
    const [items, others] = [
      formSignature(readers[0], readers[0].of(a.items), 1),
      formSignature(readers[1], readers[1].of(b.items), 1),
    ];
    return items === others ? 1 : 0.5;
  }
  const keys = new Set([...a.properties.keys(), ...b.properties.keys()]);
  if (keys.size === 0) return 1;
  let alike = 0;
  for (const key of keys) {
    const [left, right] = [a.properties.get(key), b.properties.get(key)];
    if (!left || !right) continue;
    const same =
      formSignature(readers[0], readers[0].of(left.nodes), 1) ===
      formSignature(readers[1], readers[1].of(right.nodes), 1);
    alike += same ? 1 : 0.5;
  }
  return alike / keys.size;
}
