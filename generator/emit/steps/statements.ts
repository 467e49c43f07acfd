import type { JsonValue } from "@mcpgen/engine";
import { arrayLayout, objectLayout } from "../../print/code-layout.js";
import { type Layout, hardline, indent } from "../../print/layout.js";
import { escapeUnprintable, memberKey, stringLiteral } from "../../print/text.js";
import { called } from "./conditions.js";
import { placeholder } from "./decisions.js";
import type { Outcome, TextBlock } from "./plan.js";

/** The place to which a step reports its actions. */
export const where = ["report", "at"] as const;

export function braced(head: Layout, body: readonly Layout[]): Layout {
  return [head, " {", indent(body.map((statement) => [hardline, statement])), hardline, "}"];
}

const assignment = "value = ";

export function assigned(value: Layout): Layout {
  return [assignment, value, ";"];
}

/** The statements, and then what has become of the value. */
export function returning(statements: readonly Layout[]): Layout[] {
  const last = statements.at(-1);
  if (!Array.isArray(last) || last[0] !== assignment) return [...statements, "return value;"];
  return [...statements.slice(0, -1), ["return ", ...(last as readonly Layout[]).slice(1)]];
}

/** The outgoing form of a value. */
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

/** A text in which `{member}` stands for a member of the value: itself, or its JSON. */
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

/** The parts of a text in which `{member}` stands for a member of a value. */
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

/** What prettier keeps apart in a list: objects or lists that are no small ones. */
function hasSeveral(value: JsonValue, _: number, all: readonly JsonValue[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) === Array.isArray(all[0]) && Object.keys(value).length > 1;
}
