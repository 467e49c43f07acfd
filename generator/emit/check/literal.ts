import { memberKey, stringLiteral } from "../../print/text.js";

/** An expression of the emitted table, and how it reads on one line. */
export type Literal = Code | ObjectLiteral | ArrayLiteral;

/** Code as it is; nothing is broken over lines that it has not. */
interface Code {
  readonly kind: "code";
  readonly flat: string;
}

interface ObjectLiteral {
  readonly kind: "object";
  readonly members: readonly Member[];
  /** The members describe parts of a value; without it they are plain data. */
  readonly describes: boolean;
  readonly flat: string;
  /** Whether prettier breaks it even where it fits on a line. */
  readonly broken: boolean;
}

interface ArrayLiteral {
  readonly kind: "array";
  readonly items: readonly Literal[];
  readonly flat: string;
  readonly broken: boolean;
}

export type Member = readonly [key: string, value: Literal];

/** Columns that prettier keeps to. */
export const width = 80;

export function code(flat: string): Literal {
  return { kind: "code", flat };
}

export function text(value: string): Literal {
  return code(stringLiteral(value));
}

/** Exponents are written as prettier writes them. */
export function number(value: number): Literal {
  return code(String(value).replace("e+", "e"));
}

/**
 * What follows the value of a member that describes a part. TypeScript types a member called `constructor` or
 * `toString` by what every object has of that name, and not by the index signature that is meant; so that is said.
 */
function assertion([key, value]: Member, describes: boolean): string {
  if (!describes || !(key in Object.prototype)) return "";
  if (value.kind === "object") return " as Shape";
  return value.flat === "false" ? " as const" : "";
}

/** Whether printing `literal` takes the name `Shape`. */
export function asserts(literal: Literal): boolean {
  if (literal.kind === "code") return false;
  if (literal.kind === "array") return literal.items.some(asserts);
  const { members, describes } = literal;
  return members.some((member) => assertion(member, describes) === " as Shape" || asserts(member[1]));
}

/** Members that describe parts of a value, or keywords that do. */
export function object(members: readonly Member[]): Literal {
  return objectLiteral(members, true);
}

/** An object as it stands in a JSON text. */
export function dataObject(members: readonly Member[]): Literal {
  return objectLiteral(members, false);
}

function objectLiteral(members: readonly Member[], describes: boolean): Literal {
  const flat = members
    .map((member) => `${memberKey(member[0])}: ${member[1].flat}${assertion(member, describes)}`)
    .join(", ");
  const broken = members.some(([, value]) => isBroken(value));
  return { kind: "object", members, describes, flat: members.length === 0 ? "{}" : `{ ${flat} }`, broken };
}

export function array(items: readonly Literal[]): Literal {
  // Prettier never keeps several objects or several arrays on one line, if each has several parts.
  const several = (kind: Literal["kind"]): boolean =>
    items.length > 1 && items.every((item) => item.kind === kind && partsOf(item) > 1);
  const broken = several("object") || several("array") || items.some(isBroken);
  return { kind: "array", items, flat: `[${items.map(({ flat }) => flat).join(", ")}]`, broken };
}

/**
 * `literal` as prettier would print it: on one line where it fits, else one member a line.
 *
 * @param indent columns that the line it starts on is indented by
 * @param before columns taken on that line before the literal, the indent included
 * @param after columns that must follow it on its last line
 */
export function printLiteral(literal: Literal, indent: number, before: number, after: number): string {
  if (literal.kind === "code") return literal.flat;
  if (!literal.broken && before + literal.flat.length + after <= width) return literal.flat;
  const inner = indent + 2;
  const margin = "\n" + " ".repeat(inner);
  const end = "\n" + " ".repeat(indent);
  if (literal.kind === "array") {
    return `[${itemLines(literal.items, inner)
      .map((line) => `${margin}${line},`)
      .join("")}${end}]`;
  }
  return `{${literal.members.map((member) => `${margin}${memberText(member, inner, literal.describes)},`).join("")}${end}}`;
}

function memberText(member: Member, indent: number, describes: boolean): string {
  const [key, value] = member;
  const end = assertion(member, describes);
  const name = `${memberKey(key)}:`;
  const taken = indent + name.length + 1;
  // What cannot be broken itself goes to the next line.
  const moved = value.kind === "code" && taken + firstLine(value.flat).length + end.length + 1 > width;
  if (moved) return `${name}\n${" ".repeat(indent + 2)}${value.flat}${end}`;
  return `${name} ${printLiteral(value, indent, taken, 1 + end.length)}${end}`;
}

/** Numbers fill their lines, as in prettier; anything else stands on a separate line. */
function itemLines(items: readonly Literal[], indent: number): string[] {
  if (!items.every((item) => item.kind === "code" && /^-?[\d.]/.test(item.flat))) {
    return items.map((item) => printLiteral(item, indent, indent, 1));
  }
  const lines: string[] = [];
  for (const { flat } of items) {
    const last = lines.at(-1);
    const fits = last !== undefined && indent + last.length + 2 + flat.length + 1 <= width;
    if (fits) lines[lines.length - 1] = `${last}, ${flat}`;
    else lines.push(flat);
  }
  return lines;
}

function isBroken(literal: Literal): boolean {
  return literal.kind === "code" ? literal.flat.includes("\n") : literal.broken;
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

function partsOf(literal: Literal): number {
  if (literal.kind === "code") return 0;
  return literal.kind === "object" ? literal.members.length : literal.items.length;
}
