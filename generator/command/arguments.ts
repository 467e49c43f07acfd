import { CodedError } from "../diagnostics/coded-error.js";

/** Stands for the argument `-`, which the parser would take for an option without a name. */
export const standardInput = "\0-";

/** The arguments of one command, as the parser understood them, read by the type each is declared with. */
export class Arguments {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values;
  }

  string(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined) return undefined;
    return value === standardInput ? "-" : String(value);
  }

  /** An argument that the parser has made sure of. */
  required(name: string): string {
    const value = this.string(name);
    if (value === undefined)
      throw new CodedError("MG2003", `${name} is missing`, { next: "See `mcpgen --help`." });
    return value;
  }

  /** Of an option that may be given several times. */
  strings(name: string): string[] | undefined {
    const value = this.values[name];
    return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
  }

  /** Of an option that takes several values separated by commas. */
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
