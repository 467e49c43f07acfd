import type { JsonValue } from "@mcpgen/engine";
import { arrayLayout, objectLayout } from "../../../print/code-layout.js";
import { type Layout, hardline, indent, group, softline } from "../../../print/layout.js";
import { escapeUnprintable, memberKey, stringLiteral } from "../../../print/text.js";
import { placeholder } from "./decisions.js";
import type { Outcome, TextBlock, Test } from "./plan.js";
import { type Expression, and, call, compare, layoutOf, not, or } from "../validators/expression.js";

/** Arguments for the report and the current place. */
export const where = ["report", "at"] as const;

export function braced(head: Layout, body: readonly Layout[]): Layout {
  return [head, " {", indent(body.map((statement) => [hardline, statement])), hardline, "}"];
}

const assignment = "value = ";

export function assigned(value: Layout): Layout {
  return [assignment, value, ";"];
}

/** The statements, followed by the return of the converted value. */
export function returning(statements: readonly Layout[]): Layout[] {
  const last = statements.at(-1);
  if (!Array.isArray(last) || last[0] !== assignment) return [...statements, "return value;"];
  return [...statements.slice(0, -1), ["return ", ...(last as readonly Layout[]).slice(1)]];
}

/**
 * Matches comments and string literals of printed code. Expressions inside template literals are examined
 * separately.
 */
const texts = /\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const expressions = /\$\{((?:"(?:[^"\\]|\\.)*"|[^"}])*)\}/g;

/** Whether printed code uses a name. Words in comments and strings, keys and member names do not count. */
export function isUsed(name: string, code: string): boolean {
  const inside = (text: string): string =>
    text.startsWith("`")
      ? [...text.matchAll(expressions)].map(([, each]) => each!.replace(texts, " ")).join(" ")
      : " ";
  return new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}(?![\\w$]|\\??:)`).test(code.replace(texts, inside));
}

/** The statements for a value's outcome. */
export function outcomeOf(outcome: Exclude<Outcome, { how: "pass" }>): Layout[] {
  const what = "what" in outcome ? stringLiteral(outcome.what) : "";
  switch (outcome.how) {
    case "drop":
      return [["return ", called("drop", ...where, what), ";"]];
    case "fill":
      return [
        [called("lost", ...where, what, '"filled"'), ";"],
        ...outcome.cases.map((each): Layout => [
          "if (value === ",
          literal(each.of),
          ") return ",
          literal(each.value),
          ";",
        ]),
        ["return ", literal(outcome.value), ";"],
      ];
    case "refuse":
      return [
        [
          "return ",
          called("refuse", ...where, stringLiteral(outcome.code), stringLiteral(outcome.reason)),
          ";",
        ],
      ];
    case "text":
      return [
        [called("lost", ...where, what, '"text"'), ";"],
        ["return ", blockLiteral(outcome.block, [templateOf(outcome.text, outcome.json)]), ";"],
      ];
  }
}

export function blockLiteral({ constants, key }: TextBlock, text: Layout): Layout {
  return objectLayout([
    ...constants.map(([name, value]) => [memberKey(name), stringLiteral(value)] as const),
    [memberKey(key), text],
  ]);
}

/** A template literal for a text in which `{member}` stands for a member of the value or its JSON. */
function templateOf(text: string, json: readonly string[]): string {
  const parts = templateParts(text);
  if (parts.length === 1) return stringLiteral(text);
  const code = parts.map(({ text: piece, member }) =>
    member === undefined
      ? escapeUnprintable(piece.replace(/[\\`]|\$(?=\{)/g, "\\$&"))
      : `\${${json.includes(member) ? "textOf" : "memberOf"}(value, ${stringLiteral(member)})}`,
  );
  return `\`${code.join("")}\``;
}

/** Splits a text at its `{member}` placeholders. */
export function templateParts(text: string): { readonly text: string; readonly member?: string }[] {
  return text
    .split(placeholder)
    .map((piece, index) => (index % 2 === 1 ? { text: "", member: piece } : { text: piece }));
}

export function literal(value: JsonValue): Layout {
  if (typeof value === "string") return stringLiteral(value);
  if (Array.isArray(value)) return arrayLayout(value.map(literal), value.every(hasSeveral));
  if (typeof value !== "object" || value === null) return String(value);
  return objectLayout(
    Object.entries(value).map(([key, member]) => [memberKey(key), literal(member)] as const),
  );
}

/** Whether prettier puts the items of a list on separate lines: objects or lists that are not small. */
function hasSeveral(value: JsonValue, _: number, all: readonly JsonValue[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) === Array.isArray(all[0]) && Object.keys(value).length > 1;
}

/** The condition for a test of a variable; `undefined` if every value passes. */
export function conditionOf(test: Test, tested = "value"): Expression | undefined {
  const { type, constants, present, excluded = [], absent = [] } = test;
  const parts: Expression[] = [];
  if (type === "array") parts.push(call("Array.isArray", tested));
  if (type === "object") parts.push(call("isObject", tested));
  if (type === "scalar") parts.push(call("isScalar", tested));
  for (const [key, values] of constants)
    parts.push(or(...values.map((value) => compare(memberOf(tested, key), "===", stringLiteral(value)))));
  for (const key of present) parts.push(compare(memberOf(tested, key), "!==", "undefined"));
  for (const [key, values] of excluded)
    parts.push(...values.map((value) => compare(memberOf(tested, key), "!==", stringLiteral(value))));
  for (const key of absent) parts.push(compare(memberOf(tested, key), "===", "undefined"));
  return parts.length === 0 ? undefined : and(...parts);
}

function memberOf(tested: string, key: string): Layout {
  return layoutOf(call("memberOf", tested, stringLiteral(key)));
}

/** `if (…)` with all of the conditions; undefined if there are none. */
export function ifAll(conditions: readonly (Expression | undefined)[]): Layout | undefined {
  const present = conditions.filter((condition) => condition !== undefined);
  if (present.length === 0) return undefined;
  return group("if (", group(indent(softline, layoutOf(and(...present))), softline), ")");
}

/** `if (…)` with any of the conditions. */
export function ifAny(conditions: readonly Expression[]): Layout {
  return ifAll([or(...conditions)])!;
}

/** The condition that a value does not match a predicate. */
export function fails(predicate: string): Expression {
  return not(call(predicate, "value"));
}

/** A function call. */
export function called(callee: string, ...parameters: readonly Layout[]): Layout {
  return layoutOf(call(callee, ...parameters));
}
