import { type CharacterSet, everything, setOfClass, setOfEscape } from "./character-set.js";

/** A regular expression (ECMA-262, `u` flag), with the parts that affect matching time and verdicts. */
export type Expression =
  /** Matches one code point. `source` is its regular expression; `set` has at least its code points. */
  | { readonly kind: "atom"; readonly source: string; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly arms: readonly Expression[] }
  | { readonly kind: "repeat"; readonly part: Expression; readonly min: number; readonly max: number }
  /** An assertion between two code points: `^`, `$`, `\b`, `\B`. */
  | { readonly kind: "boundary"; readonly at: "start" | "end" | "word" | "noWord" }
  | Look
  | Group
  | Backreference;

/** A lookahead, or a lookbehind (`behind`). */
export interface Look {
  readonly kind: "look";
  readonly part: Expression;
  readonly behind: boolean;
  readonly negated: boolean;
}

/** A capturing group; numbers start at 1. */
export interface Group {
  readonly kind: "group";
  readonly number: number;
  readonly part: Expression;
}

/** Matches the last capture of the group with this number; the empty text if there is none. */
export interface Backreference {
  readonly kind: "backreference";
  readonly number: number;
}

/**
 * Parses a pattern. `new RegExp(pattern, "u")` must accept it, so the parser checks little itself.
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

  /** Resolves backreferences by name. Returns `false` if a name is escaped or not unique. */
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
    this.take("?"); // A lazy repeat matches the same texts as a greedy one.
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

  /** Parses the content of a group and its closing parenthesis. */
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
