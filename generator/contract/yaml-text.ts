import { Document, type Scalar, visit } from "yaml";
import { withoutCiCommands } from "../print/terminal-text.js";
import { escapedLines } from "../print/text.js";

/** Characters that a reader would not see as they are; in a text of several lines, a tab is one of them. */
const hidden = /[^\P{Cc}\n]|[\p{Cf}\u2028\u2029\p{Surrogate}]/u;

/** `value` as one document of YAML 1.2 that reads back as the same value, nothing folded, nothing shared. */
export function stringifyYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar: Scalar) {
      const { value } = scalar;
      // Plain, `<<` would merge what follows it, and a CI runner would obey a command. Quoted, it can be escaped.
      if (typeof value !== "string") return;
      const isObeyed = value === "<<" || withoutCiCommands(value) !== value;
      if (isObeyed || hidden.test(value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity });
  return withoutCiCommands(escapedLines(text));
}
