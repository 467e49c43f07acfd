import type { JsonValue } from "@mcpgen/engine";

// What a page to read says, without its form: `reading-html.ts` and `reading-markdown.ts` print it.

/** Text in pieces; code may lead to an entry of the page. */
export type Text = readonly Span[];
export type Span =
  | string
  | Code
  /** A page elsewhere. Only `https:` becomes a link. */
  | { readonly href: string; readonly label?: string };

export interface Code {
  readonly code: string;
  /** The address of an entry. */
  readonly to?: string;
}

/** A page: a title, facts, and sections of entries. */
export interface Reading {
  readonly title: string;
  /** Prose, which others may have written. */
  readonly lead?: string;
  /** What the page amounts to, in numbers. */
  readonly figures?: readonly Figure[];
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  readonly filters?: readonly Filter[];
  /** Remarks about the page itself. */
  readonly notes?: readonly string[];
}

export interface Figure {
  readonly count: number;
  readonly label: string;
  readonly kind?: Kind;
  /** The address of a section. */
  readonly to?: string;
}

export interface Fact {
  readonly name: string;
  readonly value: Text;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Something that a reader looks for: a method, a type, a tool, a finding. */
export interface Entry {
  /** The address in the page (`anchor`). */
  readonly id: string;
  readonly name: string;
  /** The body is shown on request: for long lists. */
  readonly closed?: boolean;
  readonly badges?: readonly Badge[];
  readonly lead?: string;
  readonly facts?: readonly Fact[];
  readonly remarks?: readonly Remark[];
  readonly parts?: readonly Part[];
  /** Facts of less weight, after the parts. */
  readonly footnotes?: readonly Fact[];
  /** Marks the entry by its colour. */
  readonly kind?: Kind;
  /** The values that filters look for, by the name of the filter. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

/** A property in one or two words. */
export interface Badge {
  readonly text: string;
  readonly kind?: Kind;
}

export type Kind = "breaking" | "dangerous" | "safe" | "error" | "warning" | "deprecated";

/** One thing that is wrong or worth knowing. */
export interface Remark {
  readonly kind: "error" | "warning" | "advice";
  readonly text: string;
}

/** A part of an entry, which is shown on request unless it is `open`. */
export type Part = { readonly title: string; readonly open?: boolean } & (
  | { readonly kind: "members"; readonly members: readonly Member[] }
  | { readonly kind: "json"; readonly value: JsonValue }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "sides"; readonly sides: readonly Side[]; readonly value?: JsonValue }
);

/** One of two things side by side; the value of the part is what both judge. */
export interface Side {
  readonly title: string;
  readonly verdict?: Badge;
  /** The shape there, in short; `null` where the side has none. */
  readonly shape: string | null;
}

/** A property of an object, or another line about a schema. */
export interface Member {
  readonly name: string;
  readonly required?: boolean;
  readonly type: Text;
  readonly facts: readonly string[];
  readonly description?: string;
  readonly members?: readonly Member[];
}

/** A choice that hides entries. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Values and what they are called; one alone is a box to tick. */
  readonly values: readonly (readonly [value: string, label: string])[];
}
