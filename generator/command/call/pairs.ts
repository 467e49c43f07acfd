import type { JsonValue } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";

/** An argument of the command line: `key=value` or `key:=json`. */
export interface Pair {
  readonly key: string;
  readonly text: string;
  /** The JSON value after `:=`. */
  readonly json?: JsonValue;
  /** The complete argument, as typed. */
  readonly word: string;
}

/**
 * Parses arguments of the form `key=value` and `key:=json`.
 *
 * @throws CodedError MG2004 for an argument of another form, or invalid JSON
 */
export function readPairs(words: readonly string[]): Pair[] {
  return words.map((word) => {
    const [, key, colon, text] = /^([^=]*?)(:?)=([^]*)$/.exec(word) ?? [];
    if (key === undefined || key === "")
      throw new CodedError("MG2004", `expected key=value or key:=JSON, got ${JSON.stringify(word)}`, {
        next: `Name the argument, as in NAME=${word.replace(/^:?=/, "")}, and quote one with spaces: 'city=New York'.`,
      });
    if (colon === "") return { key, text: text!, word };
    return { key, text: text!, json: parsed(text!, word), word };
  });
}

function parsed(text: string, word: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new CodedError("MG2004", `expected JSON after :=, got ${JSON.stringify(word)}`, {
      next: "Put it into single quotes for the shell: 'days:=[1,2]'; a text is key=value.",
      cause,
    });
  }
}
