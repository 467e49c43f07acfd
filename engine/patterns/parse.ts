import { type CharacterSet, everything, setOfClass, setOfEscape } from "./character-set.js";

/** A regular expression (ECMA-262, `u` flag) as far as time and verdicts depend on it. */
export type Expression =
  /** One code point: `source` is its own regular expression, `set` at least the code points it takes. */
  | { readonly kind: "atom"; readonly source: string; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly arms: readonly Expression[] }
  | { readonly kind: "repeat"; readonly part: Expression; readonly min: number; readonly max: number }
  /** What holds between two code points: `^`, `$`, `\b`, `\B`. */
  | { readonly kind: "boundary"; readonly at: "start" | "end" | "word" | "noWord" }
  | Look
  | Group
  | Backreference;

/** Lookahead, or lookbehind (`behind`): whether `part` matches from a place on, or up to it. */
export interface Look {
  readonly kind: "look";
  readonly part: Expression;
  readonly behind: boolean;
  readonly negated: boolean;
}

/** A group that captures; its number counts from 1. */
export interface Group {
  readonly kind: "group";
  readonly number: number;
  readonly part: Expression;
}

/** Matches what the group with this number captured last, or nothing if it captured nothing. */
export interface Backreference {
  readonly kind: "backreference";
  readonly number: number;
}

/**
 * Takes a pattern apart. It must be one that `new RegExp(pattern, "u")` takes: the strict grammar of the `u`
 * flag leaves little to check.
 *
 * @returns nothing for syntax newer than this parser
 */
export function parsePattern(pattern: string): Expression | undefined {
  const parser = new Parser(pattern);
  try {
    const expression = parser.choice();
    return parser.atEnd && parser.namesAreKnown ? expression : undefined;
  } catch (error) {
    if (error instanceof UnknownSyntax) return undefined;
    throw error;
  }
}

class UnknownSyntax extends Error {}

/** Groups nested deeper are not analysed. */
const maximumDepth = 200;

class Parser {
  private readonly text: string;
  private position = 0;
  private depth = 0;
  private groups = 0;
  /** The numbers of groups by name; a name may be used before its group. */
  private readonly named = new Map<string, number>();
  /** Backreferences by name, whose numbers are known at the end. */
  private readonly byName: { readonly name: string; readonly to: { number: number } }[] = [];

  constructor(text: string) {
    this.text = text;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** Gives backreferences by name their numbers; not all have one if names are escaped, or not unique. */
  get namesAreKnown(): boolean {
    return this.byName.every(({ name, to }) => (to.number = this.named.get(name) ?? 0) > 0);
  }

  choice(): Expression {
    if (++this.depth > maximumDepth) throw new UnknownSyntax();
    const arms = [this.sequence()];
    while (this.take("|")) arms.push(this.sequence());
    this.depth--;
    return arms.length === 1 ? arms[0]! : { kind: "choice", arms };
  }

  private sequence(): Expression {
    const parts: Expression[] = [];
    while (!this.atEnd && !this.looksAt("|") && !this.looksAt(")")) parts.push(this.quantified());
    return parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
  }

  private quantified(): Expression {
    const part = this.term();
    const bounds = this.bounds();
    if (!bounds) return part;
    this.take("?"); // Lazy or greedy, the same texts match.
    return { kind: "repeat", part, ...bounds };
  }

  private bounds(): { min: number; max: number } | undefined {
    if (this.take("*")) return { min: 0, max: Infinity };
    if (this.take("+")) return { min: 1, max: Infinity };
    if (this.take("?")) return { min: 0, max: 1 };
    const counted = this.match(/\{(\d+)(,(\d*))?\}/y);
    if (!counted) return undefined;
    const min = Number(counted[1]);
    return { min, max: counted[2] === undefined ? min : counted[3] === "" ? Infinity : Number(counted[3]) };
  }

  private term(): Expression {
    if (this.take("^")) return { kind: "boundary", at: "start" };
    if (this.take("$")) return { kind: "boundary", at: "end" };
    if (this.take("\\b")) return { kind: "boundary", at: "word" };
    if (this.take("\\B")) return { kind: "boundary", at: "noWord" };
    const back = this.match(/\\(?:([1-9]\d*)|k<([^>]*)>)/y);
    if (back) return this.backreference(back[1], back[2]);
    if (this.take("(")) return this.group();
    return this.atom();
  }

  private backreference(number: string | undefined, name: string | undefined): Expression {
    const to = { kind: "backreference" as const, number: Number(number ?? 0) };
    if (name !== undefined) this.byName.push({ name, to });
    return to;
  }

  private group(): Expression {
    const look = this.match(/\?(<?)([=!])/y);
    if (look) return { kind: "look", part: this.rest(), behind: look[1] === "<", negated: look[2] === "!" };
    if (this.take("?:")) return this.rest();
    const name = this.match(/\?<([^>]*)>/y)?.[1];
    if (name === undefined && this.looksAt("?")) throw new UnknownSyntax();
    const number = ++this.groups;
    if (name !== undefined) {
      if (this.named.has(name)) throw new UnknownSyntax();
      this.named.set(name, number);
    }
    return { kind: "group", number, part: this.rest() };
  }

  /** What stands in a group, and its end. */
  private rest(): Expression {
    const part = this.choice();
    if (!this.take(")")) throw new UnknownSyntax();
    return part;
  }

  private atom(): Expression {
    const characterClass = this.match(/\[(?:[^\]\\]|\\[\s\S])*\]/y);
    if (characterClass) return atomOf(characterClass[0], setOfClass(characterClass[0]));
    const escape = this.match(
      /\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[\s\S])/uy,
    );
    if (escape) return atomOf(escape[0], setOfEscape(escape[0]));
    if (this.take(".")) return atomOf(".", everything);
    const code = this.text.codePointAt(this.position);
    if (code === undefined) throw new UnknownSyntax();
    const source = String.fromCodePoint(code);
    this.position += source.length;
    return atomOf(source, [[code, code]]);
  }

  private looksAt(text: string): boolean {
    return this.text.startsWith(text, this.position);
  }

  private take(text: string): boolean {
    if (!this.looksAt(text)) return false;
    this.position += text.length;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found) this.position = pattern.lastIndex;
    return found;
  }
}

function atomOf(source: string, set: CharacterSet): Expression {
  return { kind: "atom", source, set };
}
