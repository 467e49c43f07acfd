// The text of places and values in messages. Messages go to logs, terminals and models: values are shortened, and invisible
// characters are escaped.
import { visible } from "@mcpgen/base";

/** Longest part of a string that is shown. */
const shown = 40;

/** Longest list of values. */
const listed = 160;

/** `value` as JSON text, if it is a scalar; a long string is cut. */
export function scalarText(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return visible(JSON.stringify(value.length > shown ? `${value.slice(0, shown)}…` : value));
}

/** A scalar with its type; `array` or `object` for any other value. */
export function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "array" : "object";
  return `${scalarText(value)} (${typeof value})`;
}

/** `"a"`, or `one of "a", "b"`; a long list ends with the number of values left out. */
export function choiceText(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    typeof value === "object" && value !== null ? valueText(value) : scalarText(value),
  );
  const shownTexts: string[] = [];
  let length = 0;
  for (const text of texts) {
    if ((length += text.length) > listed) break;
    shownTexts.push(text);
  }
  const left = texts.length - shownTexts.length;
  if (left > 0) shownTexts.push(`… (${left} more)`);
  return texts.length === 1 ? shownTexts[0]! : `one of ${shownTexts.join(", ")}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "nothing";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}

/** A JSON Pointer written as in code: `params.content[0]["a b"]`. */
export function placeText(pointer: string): string {
  const text = keysOf(pointer)
    .map((key, index) => {
      if (/^\d+$/.test(key)) return `[${key}]`;
      if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${scalarText(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
  return text.length > 80 ? `…${text.slice(-79)}` : text;
}

/** The keys of a JSON Pointer (RFC 6901). */
export function keysOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a JSON Pointer. */
export function valueAt(value: unknown, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null
        ? (part as Readonly<Record<string, unknown>>)[key]
        : undefined,
    value,
  );
}

/** The JSON Pointer of a member or an item. */
export function inside(pointer: string, key: string | number): string {
  return `${pointer}/${typeof key === "number" ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Lines that are shown, and characters of all of them. */
const mostLines = 3;
const longestSummary = 400;

/** At most three lines; if there are more, the last line gives the number left out. */
export function summary(lines: readonly string[]): string {
  let shown = lines.length > mostLines ? mostLines - 1 : lines.length;
  const text = (): string =>
    [...lines.slice(0, shown), ...(shown < lines.length ? [`and ${lines.length - shown} more`] : [])].join(
      "\n",
    );
  while (shown > 1 && text().length > longestSummary) shown--;
  return text();
}
