import { propertyKey, stringLiteral } from "../text.js";

/** An expression of the emitted table: code as it is, or an object or array literal. */
export type Literal =
  | string
  | { readonly members: readonly (readonly [key: string, value: Literal])[] }
  | { readonly items: readonly Literal[] };

/** Columns that prettier keeps to. */
export const width = 80;

/**
 * `literal` as prettier would print it: on one line where it fits, else one member a line.
 *
 * @param indent columns that the line it starts on is indented by
 * @param before columns taken on that line before the literal, the indent included
 * @param after columns that must follow it on its last line
 */
export function printLiteral(literal: Literal, indent: number, before: number, after: number): string {
  if (typeof literal === "string") return literal;
  const flat = flatText(literal);
  if (!alwaysBroken(literal) && before + flat.length + after <= width) return flat;
  const inner = indent + 2;
  const lines =
    "members" in literal
      ? literal.members.map(([key, value]) => {
          const name = `${keyText(key)}:`;
          const taken = inner + name.length + 1;
          // What cannot be broken itself goes to a line of its own.
          const moved = typeof value === "string" && taken + value.length + 1 > width;
          if (moved) return `${name}\n${" ".repeat(inner + 2)}${value}`;
          return `${name} ${printLiteral(value, inner, taken, 1)}`;
        })
      : itemLines(literal.items, inner);
  const [open, close] = "members" in literal ? "{}" : "[]";
  const margin = "\n" + " ".repeat(inner);
  return `${open}${lines.map((line) => `${margin}${line},`).join("")}\n${" ".repeat(indent)}${close}`;
}

export function text(value: string): Literal {
  return stringLiteral(value);
}

/** `value` as a literal; exponents are written as prettier writes them. */
export function number(value: number): Literal {
  return String(value).replace("e+", "e");
}

function flatText(literal: Literal): string {
  if (typeof literal === "string") return literal;
  if ("items" in literal) return `[${literal.items.map(flatText).join(", ")}]`;
  const members = literal.members.map(([key, value]) => `${keyText(key)}: ${flatText(value)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** `__proto__: x` would set the prototype of the literal; a computed key is a member. */
function keyText(key: string): string {
  return key === "__proto__" ? '["__proto__"]' : propertyKey(key);
}

/** Prettier never keeps arrays of several objects, or of several arrays, on one line. */
function alwaysBroken(literal: Literal): boolean {
  if (typeof literal === "string") return false;
  if ("members" in literal) return literal.members.some(([, value]) => alwaysBroken(value));
  const sizes = (kind: "members" | "items"): number[] =>
    literal.items.map((item) =>
      typeof item === "object" && kind in item ? Object.values(item)[0]!.length : 0,
    );
  const several = literal.items.length > 1;
  if (several && (sizes("members").every((size) => size > 1) || sizes("items").every((size) => size > 1)))
    return true;
  return literal.items.some(alwaysBroken);
}

/** Numbers fill their lines, as in prettier; anything else stands on a line of its own. */
function itemLines(items: readonly Literal[], indent: number): string[] {
  if (!items.every((item) => typeof item === "string" && /^-?[\d.]/.test(item))) {
    return items.map((item) => printLiteral(item, indent, indent, 1));
  }
  const lines: string[] = [];
  for (const item of items as readonly string[]) {
    const last = lines.at(-1);
    if (last !== undefined && indent + last.length + 2 + item.length + 1 <= width)
      lines[lines.length - 1] = `${last}, ${item}`;
    else lines.push(item);
  }
  return lines;
}
