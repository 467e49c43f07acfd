import { createHash } from "node:crypto";

// Names and expiry times of keys, for session stores and cluster stores.

/** Advice for a former option of stores and of the bus. */
export const ownTimeout = "Leave it out: a command without an answer fails after 2 seconds.";

/**
 * The rule for a prefix of keys. It has no braces, because the first braces in a key must enclose the session.
 */
export function prefixRule(value: unknown): string | undefined {
  return typeof value === "string" && /^[^{}]+$/.test(value)
    ? undefined
    : "a string without braces, not empty";
}

/**
 * Returns the digest of a name, for use in keys. In base64url it contains no brace, so the braces around it
 * select one slot of a cluster.
 */
export function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}

/** Maximum expiry time in milliseconds. Some versions refuse an expiry after the year 10,000. */
const longestTtl = 1e14;

/** Returns the argument of PX and PEXPIRE. */
export function timeOf(ttlMs: number): string {
  return String(Math.min(Math.max(1, Math.ceil(ttlMs)), longestTtl));
}
