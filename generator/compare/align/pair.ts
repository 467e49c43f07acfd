import type { JsonValue } from "@mcpgen/engine";
import type { Location } from "../location.js";
import type { Conjunction } from "../shape/form.js";
import type { FormReader } from "../shape/form-reader.js";
import type { Makers } from "../instance-maker.js";
import type { Renames } from "./renames.js";

/** The subject of a finding. */
export type Subject =
  | { readonly definition: string; readonly path: string; readonly member?: string }
  | { readonly method: string; readonly from: "client" | "server" };

/** Values worth trying as proof, best first. */
export type Candidates = (make: Makers) => Iterable<JsonValue | undefined>;

/** A difference at one place, independent of reader and writer. */
export interface Fact {
  readonly rule: string;
  /** Which case of the rule it is. */
  readonly when?: string;
  readonly subject: Subject;
  readonly old: string | null;
  readonly new: string | null;
  /** JSON Pointers of the canonical documents. */
  readonly at: { readonly old: string | null; readonly new: string | null };
  /** It makes a difference only where some value shows it: without one, nothing is reported. */
  readonly needsProof?: true;
  /** The arm of a union that the difference is in, on each side that has it. */
  readonly arm?: { readonly old?: Conjunction; readonly new?: Conjunction };
  /** Values of the place that an old writer may send and a new reader refuses. */
  readonly narrowed?: Candidates;
  /** Values of the place that a new writer may send and an old reader refuses. */
  readonly widened?: Candidates;
}

/** One place on one side. */
export interface Place {
  /** The nodes that must hold there; references that stand alone have been followed. */
  readonly nodes: Conjunction;
  readonly location: Location;
  readonly pointer: string;
  /** The definition that describes the place, if one does. */
  readonly definition: string | undefined;
  /** The node as the schema writes it, for its type in words. */
  readonly written: Conjunction;
}

/** How one gets from a place to one inside. */
export type Step =
  /** `newKey`: the member's name on the new side, where it is another one. */
  | { readonly kind: "member"; readonly key: string; readonly newKey?: string }
  | { readonly kind: "item"; readonly index: number }
  /** The value of an undeclared member. */
  | { readonly kind: "other" };

/** Two places that correspond. Each pair is compared once, however many messages lead to it. */
export interface Pair {
  readonly old: Place;
  readonly new: Place;
  /** The name both places go by in findings. */
  readonly location: Location;
  /** It is the value of undeclared members. */
  readonly isMapValue: boolean;
  readonly facts: Fact[];
  readonly edges: Edge[];
  /** Names of the definitions that arms of both sides are, where they correspond. */
  readonly arms: { readonly old: string | undefined; readonly new: string | undefined }[];
}

export interface Edge {
  readonly child: Pair;
  readonly step: Step;
  /** The nodes of the arm that the step leads through, on both sides. */
  readonly old: Conjunction;
  readonly new: Conjunction;
}

/** A difference that concerns one place. */
export interface PlaceFact extends Pick<
  Fact,
  "rule" | "when" | "narrowed" | "widened" | "needsProof" | "arm"
> {
  readonly old?: string | null;
  readonly new?: string | null;
  readonly member?: string;
  /** A deeper location, if the difference is in a named arm of the place. */
  readonly location?: Location;
}

export type Found = (fact: PlaceFact) => void;

/** What a comparison asks of the aligner that makes it. */
export interface Alignment {
  readonly old: FormReader;
  readonly new: FormReader;
  /** Members that were renamed; without it, members correspond by name alone. */
  readonly renames: Renames | undefined;
  /** Adds the pair of two places inside `from`, and the edge to it. */
  addChild(from: Pair, edge: Omit<Edge, "child">, old: Conjunction, next: Conjunction): void;
  /** Whether two schemas inside a condition mean the same. */
  areSame(from: Pair, old: Conjunction, next: Conjunction): boolean;
}

/** Two places that are being compared, and where their differences go. */
export interface Compared {
  readonly aligner: Alignment;
  readonly pair: Pair;
  readonly found: Found;
}
