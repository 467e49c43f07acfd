import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import type { Pair } from "../call/pairs.js";
import type { FormField } from "./form-fields.js";

/**
 * The fields of a form that `--answer` fills in.
 *
 * @throws CodedError MG6312 for a value that a field does not take
 */
export function preparedAnswers(pairs: readonly Pair[], fields: readonly FormField[]): JsonObject {
  const content: [string, JsonValue][] = [];
  for (const field of fields) {
    const own = pairs.filter(({ key }) => key === field.name);
    if (own.length === 0) continue;
    const values = own.map((pair) => pair.json ?? readAs(field, pair.text));
    const value = field.kind === "choices" ? values.flat() : values.at(-1)!;
    const fault = field.fault(value);
    if (fault !== undefined)
      throw new CodedError("MG6312", `--answer ${own.at(-1)!.word}: expected ${fault}`, {
        next: "Correct the value; FIELD:=JSON passes a JSON value.",
      });
    content.push([field.name, value]);
  }
  return Object.fromEntries(content);
}

/** The value of the field's kind that a text stands for; any other text is returned unchanged, and the field refuses it. */
export function readAs({ kind }: FormField, text: string): JsonValue {
  const isNumber = (kind === "number" || kind === "integer") && text.trim() !== "";
  if (isNumber && Number.isFinite(Number(text))) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * Refuses answers that no form asked for: most of them are misspelt.
 *
 * @throws CodedError MG6312
 */
export function expectAllUsed(pairs: readonly Pair[], asked: ReadonlySet<string>): void {
  const unused = pairs.find(({ key }) => !asked.has(key));
  if (unused === undefined) return;
  const suggestion = closest(unused.key, asked);
  throw new CodedError("MG6312", `the server asked for no field ${JSON.stringify(unused.key)}`, {
    next:
      suggestion === undefined
        ? asked.size === 0
          ? "It asked nothing: leave --answer out."
          : `It asked for ${[...asked].join(", ")}.`
        : `Did you mean ${suggestion}?`,
  });
}
