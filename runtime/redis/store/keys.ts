import { createHash } from "node:crypto";

// Names and times of keys, as the stores of sessions and of clusters have them.

/** The rule of a prefix of keys: the braces of a key are those around the session. */
export function prefixRule(value: unknown): string | undefined {
  return typeof value === "string" && /^[^{}]+$/.test(value)
    ? undefined
    : "a string without braces, not empty";
}

/** A name in a key. It has the alphabet of base64url: it ends at the brace, and names one slot of a cluster. */
export function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}

/** Milliseconds. A time that ends after the year 10,000 is an error in some versions. */
const longestTtl = 1e14;

/** The argument of PX and PEXPIRE. */
export function timeOf(ttlMs: number): string {
  return String(Math.min(Math.max(1, Math.ceil(ttlMs)), longestTtl));
}
