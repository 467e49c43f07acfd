import { escapedLines } from "../../print/text.js";

/**
 * An expression for a JSON value: its text, laid out, read when it is first imported. As an object literal it would
 * cost the compiler a type of each of its parts; as text, keys keep their order, and `__proto__` is one of them.
 */
export function jsonExpression(value: unknown): string {
  const text = escapedLines(JSON.stringify(value, null, 2).replace(/\\|`|\$\{/g, (found) => `\\${found}`));
  return `/* @__PURE__ */ JSON.parse(\`${text}\`)`;
}
