import type { JsonValue } from "@mcpgen/engine";

// The content of a reference page, independent of its format; `reading-html.ts` and `reading-markdown.ts`
// render it.

/** Text in pieces. Code may link to an entry of the page. */
export type Text = readonly Span[];
export type Span =
  | string
  | Code
  /** A link to another page. Only `https:` URLs become links. */
  | { readonly href: string; readonly label?: string };

export interface Code {
  readonly code: string;
  /** The id of the linked entry. */
  readonly to?: string;
}

/** A page: a title, facts, and sections of entries. */
export interface Reading {
  readonly title: string;
  readonly lead?: string;
  /** Markdown of a server or a schema. */
  readonly description?: string;
  /** The most important numbers of the page. */
  readonly figures?: readonly Figure[];
  readonly facts: readonly Fact[];
  /** Code about the whole page. */
  readonly parts?: readonly Part[];
  readonly sections: readonly Section[];
  readonly filters?: readonly Filter[];
  /** Remarks about the page itself. */
  readonly notes?: readonly string[];
}

export interface Figure {
  readonly count: number;
  readonly label: string;
  readonly kind?: Kind;
  /** The id to link the section to. */
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

/** An item that readers look for: a method, a type, a tool, a finding. */
export interface Entry {
  /** Its id in the page (from `anchor`). */
  readonly id: string;
  readonly name: string;
  /** Whether the body is collapsed at first, for long lists. */
  readonly closed?: boolean;
  readonly badges?: readonly Badge[];
  /** One paragraph, in which backticks mark code. */
  readonly lead?: string;
  /** Markdown of a server or a schema; for entries that are not `closed`. */
  readonly description?: string;
  readonly facts?: readonly Fact[];
  readonly remarks?: readonly Remark[];
  readonly parts?: readonly Part[];
  /** Less important facts, after the parts. */
  readonly footnotes?: readonly Fact[];
  /** Decides the entry's colour. */
  readonly kind?: Kind;
  /** The values that filters compare, by filter name. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

/** A property in one or two words. */
export interface Badge {
  readonly text: string;
  readonly kind?: Kind;
}

export type Kind = "breaking" | "dangerous" | "safe" | "error" | "warning" | "deprecated";

/** A fault or another remark. */
export interface Remark {
  readonly kind: "error" | "warning" | "advice";
  readonly text: string;
}

/** A part of an entry, collapsed unless it is `open`. */
export type Part = { readonly title: string; readonly open?: boolean } & (
  | { readonly kind: "members"; readonly members: readonly Member[] }
  | { readonly kind: "json"; readonly value: JsonValue }
  | {
      readonly kind: "code";
      readonly language: string;
      readonly text: string;
      /** Advice below the code. */
      readonly note?: string;
    }
  | { readonly kind: "sides"; readonly sides: readonly Side[]; readonly value?: JsonValue }
);

/** One of two revisions shown side by side. The part's value is the message that both validate. */
export interface Side {
  readonly title: string;
  readonly verdict?: Badge;
  /** A short form of the schema; `null` if the side has none. */
  readonly shape: string | null;
}

/** A member of an object, or another line about a schema. */
export interface Member {
  readonly name: string;
  readonly required?: boolean;
  readonly type: Text;
  readonly facts: readonly string[];
  /** Markdown of a server or a schema. */
  readonly description?: string;
  readonly members?: readonly Member[];
}

/** A filter that hides entries. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Values with their labels; a single value is shown as a checkbox. */
  readonly values: readonly (readonly [value: string, label: string])[];
}
