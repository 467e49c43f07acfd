import { type CharacterSet, everything, setOfClass, setOfEscape } from "./character-set.js";

/** A regular expression (ECMA-262, `u` flag) as far as time and verdicts depend on it; captures do not. */
export type Expression =
  /** One code point: `source` is its own regular expression, `set` at least the code points it takes. */
  | { readonly kind: "atom"; readonly source: string; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly arms: readonly Expression[] }
  | { readonly kind: "repeat"; readonly part: Expression; readonly min: number; readonly max: number }
  /** What holds between two code points: `^`, `$`, `\b`, `\B`. */
  | { readonly kind: "boundary"; readonly at: "start" | "end" | "word" | "noWord" }
  /** Lookahead and lookbehind. */
  | { readonly kind: "look"; readonly part: Expression }
  | { readonly kind: "backreference" };

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
    return parser.atEnd ? expression : undefined;
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

  constructor(text: string) {
    this.text = text;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
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
    if (this.match(/\\(?:[1-9]\d*|k<[^>]*>)/y)) return { kind: "backreference" };
    if (this.take("(")) return this.group();
    return this.atom();
  }

  private group(): Expression {
    const look = this.match(/\?<?[=!]/y);
    if (!look) {
      const plain = this.match(/\?:|\?<[^>]*>/y);
      if (!plain && this.looksAt("?")) throw new UnknownSyntax();
    }
    const part = this.choice();
    if (!this.take(")")) throw new UnknownSyntax();
    return look ? { kind: "look", part } : part;
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
