import { isObject } from "../jsonrpc/message.js";

/** What a member of a document must be. */
export type Kind = keyof typeof kinds;

/** Seconds since 1970 at most: a later time is no date (ECMAScript, time values). */
const latest = 8.64e12;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const kinds = {
  /** A string that is not empty. */
  text: isText,
  /** A string. */
  string: (value: unknown) => typeof value === "string",
  /** A list of strings. */
  texts: isTexts,
  /** A string that is not empty, or a list of such strings. */
  "text or texts": (value: unknown) =>
    isText(value) || (isTexts(value) && (value as unknown[]).every(isText)),
  /** A string, or a list of strings. */
  "string or texts": (value: unknown) => typeof value === "string" || isTexts(value),
  number: (value: unknown) => Number.isFinite(value),
  /** A number from 0. */
  amount: (value: unknown) => typeof value === "number" && value >= 0,
  boolean: (value: unknown) => typeof value === "boolean",
  /** NumericDate (RFC 7519, 2). JSON can write numbers that are infinite when read. */
  time: (value: unknown) => typeof value === "number" && Math.abs(value) <= latest,
  /** A number of seconds, which some servers write as a text. */
  seconds: (value: unknown) =>
    (typeof value === "number" && value >= 0) ||
    (typeof value === "string" && /^\d{1,15}(?:\.\d{1,9})?$/.test(value)),
  object: isObject,
  objects: (value: unknown) => Array.isArray(value) && value.every(isObject),
} as const;

/** What the members of a document must be, where they are present. */
export type Members = Readonly<Record<string, Kind>>;

/**
 * The first member that is present and malformed, or missing, with what it must be: `sub: expected text`.
 *
 * @param required names of the table that the document must have
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

/** Members that decide identity or rights: without one of them, a document may give more than its author meant. */
const decisive = /^(scope|client_id|redirect_uris|issuer|resource)$/;

/**
 * A document without its members that are `null`: peers write it for optional members that are absent. Where a member decides
 * identity or rights, null stays: it is malformed.
 */
export function withoutNulls<Document extends object>(document: Document): Document {
  const members = Object.entries(document).filter(([name, value]) => value !== null || decisive.test(name));
  return Object.fromEntries(members) as Document;
}

/** The JSON value of a text that another program may have written; any other text as it is: the value is judged then. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
