import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { JsonValue } from "@mcpgen/engine";

/** A syntax error: the parser's code, and the character offset. */
export interface CommentedJsonFault {
  readonly offset: number;
  readonly reason: string;
}

/**
 * Parses JSON with comments and trailing commas, as editors allow them. Every key becomes an own property,
 * even `__proto__`: the library would set the prototype instead.
 *
 * @returns the value, or the first syntax error
 */
export function parseCommentedJson(
  text: string,
): { readonly value: JsonValue } | { readonly fault: CommentedJsonFault } {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch {
    return { fault: { offset: 0, reason: "NestedTooDeep" } };
  }
  const [first] = errors;
  if (first !== undefined || root === undefined)
    return {
      fault: {
        offset: first?.offset ?? 0,
        reason: first === undefined ? "ValueExpected" : printParseErrorCode(first.error),
      },
    };
  return { value: valueOf(root) };
}

/** Recursion is no deeper than in the parser, which needs more of the stack. */
function valueOf({ type, value, children = [] }: Node): JsonValue {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value as JsonValue;
  return Object.fromEntries(
    children.map(({ children: [key, member] = [] }) => [key!.value as string, valueOf(member!)]),
  );
}
