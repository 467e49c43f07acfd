import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { JsonValue } from "@mcpgen/engine";

/** What is wrong with a text: a code of the parser, and the character offset. */
export interface CommentedJsonFault {
  readonly offset: number;
  readonly reason: string;
}

/**
 * The value of JSON with comments and trailing commas, as editors allow them. Every key becomes a member: the parser's
 * own values take `__proto__` for the prototype, whose members would be read and never listed.
 *
 * @returns the value, or the first fault
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

/** No deeper than the parser went, which needs more of the stack. */
function valueOf({ type, value, children = [] }: Node): JsonValue {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value as JsonValue;
  return Object.fromEntries(
    children.map(({ children: [key, member] = [] }) => [key!.value as string, valueOf(member!)]),
  );
}
