import { capitalised } from "../../print/names.js";
import { preludeNames } from "./prelude.js";
import { camelCase } from "./words.js";

/** Words that cannot name a local of an emitted function, or that emitted code means something else by. */
const reserved: ReadonlySet<string> = new Set([
  ...(
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield " +
    "Array Infinity NaN Number Object undefined value depth later textFormats textPatterns"
  ).split(" "),
  ...preludeNames,
]);

/** Reads like the name of a validator, which it would hide. */
const validatorLike = /^(is|accepts)[A-Z]/;

/** Names of the locals of one emitted function. */
export class Scope {
  private readonly taken: Set<string>;
  /** The last number given to each name. */
  private readonly numbers = new Map<string, number>();

  /** @param called functions that must stay visible */
  constructor(called: ReadonlySet<string>) {
    this.taken = new Set(called);
  }

  /**
   * A name for a local that holds the member `property`, or for a local that the word `property` describes. Where the
   * name is taken, it begins with `subject`, the local that the value is a part of: `outputSchemaProperties`.
   */
  local(property: string, subject?: string): string {
    const word = wordOf(property);
    const wanted = isUsable(word) ? word : `${word}Value`;
    const path = subject !== undefined && this.taken.has(wanted) ? pathOf(subject, word) : wanted;
    return this.free(path !== undefined && isUsable(path) ? path : wanted);
  }

  private free(wanted: string): string {
    let name = wanted;
    let number = this.numbers.get(wanted) ?? 1;
    while (this.taken.has(name)) name = `${wanted}${++number}`;
    this.numbers.set(wanted, number);
    this.taken.add(name);
    return name;
  }
}

function isUsable(name: string): boolean {
  return !reserved.has(name) && !validatorLike.test(name);
}

/** Longer names are harder to read than numbered ones. */
const longest = 32;

function pathOf(subject: string, word: string): string | undefined {
  const path = subject + capitalised(word);
  return /^[A-Za-z]\w*$/.test(subject) && path.length <= longest ? path : undefined;
}

function wordOf(property: string): string {
  // The last segment of a name like `example.com/traceId` describes it.
  const segments = property.split(/[./]/).filter((segment) => /[A-Za-z0-9]/.test(segment));
  const word = camelCase(segments.at(-1) ?? "");
  return /^[A-Za-z]/.test(word) ? word : `member${word}`;
}
