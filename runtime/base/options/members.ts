import { isObject } from "../jsonrpc/message.js";

/** The kind of value that a member of a document must have. */
export type Kind = keyof typeof kinds;

/** Maximum of seconds since 1970: later times are not valid dates (ECMAScript, time values). */
const latest = 8.64e12;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const kinds = {
  /** A non-empty string. */
  text: isText,
  /** A string. */
  string: (value: unknown) => typeof value === "string",
  /** A list of strings. */
  texts: isTexts,
  /** A non-empty string, or a list of such strings. */
  "text or texts": (value: unknown) =>
    isText(value) || (isTexts(value) && (value as unknown[]).every(isText)),
  /** A string, or a list of strings. */
  "string or texts": (value: unknown) => typeof value === "string" || isTexts(value),
  number: (value: unknown) => Number.isFinite(value),
  /** A number of at least 0. */
  amount: (value: unknown) => typeof value === "number" && value >= 0,
  boolean: (value: unknown) => typeof value === "boolean",
  /** NumericDate (RFC 7519, 2). Numbers in JSON may become infinite when parsed. */
  time: (value: unknown) => typeof value === "number" && Math.abs(value) <= latest,
  /** A number of seconds, which some servers write as a text. */
  seconds: (value: unknown) =>
    (typeof value === "number" && value >= 0) ||
    (typeof value === "string" && /^\d{1,15}(?:\.\d{1,9})?$/.test(value)),
  object: isObject,
  objects: (value: unknown) => Array.isArray(value) && value.every(isObject),
} as const;

/** The kinds of a document's members, if they are present. */
export type Members = Readonly<Record<string, Kind>>;

/**
 * The first malformed or missing member, with the expected kind: `sub: expected text`.
 *
 * @param required names of the mandatory members
 */
export function malformedMember(
  document: object,
  members: Members,
  required: readonly string[] = [],
): string | undefined {
  for (const name in members) {
    const value = Object.hasOwn(document, name) ? (document as Record<string, unknown>)[name] : undefined;
    const kind = members[name]!;
    const fits = value === undefined ? !required.includes(name) : kinds[kind](value);
    if (!fits) return `${name}: expected ${kind}`;
  }
  return undefined;
}

/** Members that decide identity or rights. Without them, a document might grant more than its author intended. */
const decisive = /^(scope|client_id|redirect_uris|issuer|resource)$/;

/**
 * Removes null members of a document, because peers write null for absent members. Null stays in members that decide
 * identity or rights, where it is malformed.
 */
export function withoutNulls<Document extends object>(document: Document): Document {
  const members = Object.entries(document).filter(([name, value]) => value !== null || decisive.test(name));
  return Object.fromEntries(members) as Document;
}

/**
 * The JSON value of a text that another program may have written, or the text itself if it is not JSON. The caller
 * checks the value.
 */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
