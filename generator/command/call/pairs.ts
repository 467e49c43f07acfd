import type { JsonValue } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";

/** `key=value`, or `key:=json`, as a command line gives it. */
export interface Pair {
  readonly key: string;
  readonly text: string;
  /** The JSON value after `:=`. */
  readonly json?: JsonValue;
  /** The word of the command line. */
  readonly word: string;
}

/**
 * The pairs that words of a command line are.
 *
 * @throws CodedError MG2004 for a word that is none, and for JSON that is none
 */
export function readPairs(words: readonly string[]): Pair[] {
  return words.map((word) => {
    const [, key, colon, text] = /^([^=]*?)(:?)=([^]*)$/.exec(word) ?? [];
    if (key === undefined || key === "")
      throw new CodedError("MG2004", `expected key=value or key:=JSON, got ${JSON.stringify(word)}`, {
        next: "Put an argument with spaces in quotes: 'city=New York'.",
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
