import { type Flow, isOnly, isTracked, knownOf } from "./flow.js";
import type { Kind } from "./kind.js";

/** Calls that take one kind of value alone: what stands before the value, the value, and what stands behind it. */
const takers: readonly (readonly [form: RegExp, kind: Kind, type: string])[] = [
  [/^(lengthOf\()(.*)(\))$/s, "string", "string"],
  [/^([\w$]+\.test\()(.*)(\))$/s, "string", "string"],
  [/^()(.*?)(\.startsWith\(.*\))$/s, "string", "string"],
  [/^(textFormats\.[\w$]+\()(.*)(\))$/s, "string", "string"],
  [/^(divides\([^,]*, )(.*)(\))$/s, "number", "number"],
  [/^(distinct\()(.*)(\))$/s, "array", "unknown[]"],
];

/** `written` with an assertion where a function is handed what TypeScript does not know to be of its kind. */
export function withArguments(written: string, flow: Flow): string {
  for (const [form, kind, type] of takers) {
    const [, before = "", argument, behind = ""] = form.exec(written) ?? [];
    if (argument === undefined || !isTracked(flow, argument) || isOnly(knownOf(flow, argument), kind))
      continue;
    const asserted = `${argument} as unknown as ${type}`;
    return `${before}${before === "" ? `(${asserted})` : asserted}${behind}`;
  }
  return written;
}

const objectType = "{ [key: string]: unknown }";

/** Texts, which are passed over, and names with what shows how they are used. */
const uses =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![.\w$])(?:(?<taker>Object\.keys\(|ownMember\()|(?<loop>\b(?:of|in) ))?(?<name>[A-Za-z_$][\w$]*)(?<opening>\[|\.length\b|\.entries\(\))?/g;

/** `written` with an assertion where it looks into what TypeScript does not know to be an object or an array. */
export function withContainers(written: string, flow: Flow): string {
  return written.replace(uses, (whole: string, ...found: unknown[]) => {
    const { taker = "", loop = "", name = "", opening = "" } = (found.at(-1) ?? {}) as Use;
    if (!flow.has(name) || (taker === "" && loop === "" && opening === "")) return whole;
    const known = flow.get(name);
    const isArray = isOnly(known, "array");
    const isObject = isOnly(known, "object");
    // A member and an item are read in one way.
    const items = loop === "of " || opening.startsWith(".");
    if (items ? isArray : opening === "[" ? isArray || isObject : isObject) return whole;
    return `${taker}${loop}(${name} as unknown as ${items ? "unknown[]" : objectType})${opening}`;
  });
}

interface Use {
  readonly taker?: string;
  readonly loop?: string;
  readonly name?: string;
  readonly opening?: string;
}
