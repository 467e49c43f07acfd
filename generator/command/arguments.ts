import { CodedError } from "../diagnostics/coded-error.js";

/** Stands before words that the parser would take for options; no word of a command line can begin so. */
const guard = "\0";

/**
 * The words of a command line as the parser is given them. `-` is no option without a name but standard input, and
 * after `--` (POSIX, Utility Syntax Guidelines, 10) no word is an option.
 */
export function guarded(words: readonly string[]): string[] {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  return [
    ...words.slice(0, end).map((word) => (word === "-" ? guard + word : word)),
    ...words.slice(end + 1).map((word) => (word.startsWith("-") ? guard + word : word)),
  ];
}

/** The text without the guards: for messages of the parser that quote an argument. */
export function unguarded(text: string): string {
  return text.replaceAll(guard, "");
}

/** The arguments of one command, as the parser understood them, read by the type each is declared with. */
export class Arguments {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values;
  }

  string(name: string): string | undefined {
    const value = this.values[name];
    return value === undefined ? undefined : unguarded(String(value));
  }

  /** An argument that the parser has made sure of. */
  required(name: string): string {
    const value = this.string(name);
    if (value === undefined)
      throw new CodedError("MG2003", `${name} is missing`, { next: "See `mcpgen --help`." });
    return value;
  }

  /** The values of an option that may be repeated. */
  strings(name: string): string[] | undefined {
    const value = this.values[name];
    return Array.isArray(value) && value.length > 0
      ? value.map((each) => unguarded(String(each)))
      : undefined;
  }

  /** The values of an option that takes several, separated by commas. */
  list(name: string): string[] | undefined {
    const items = this.string(name)
      ?.split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
    return items && items.length > 0 ? items : undefined;
  }

  /** Whether an option has a value, or several. */
  given(name: string): boolean {
    const value = this.values[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }
}
