import type { ServerSource } from "./server-source.js";
import { shortText } from "../print/short-list.js";

/** A text that looks like an environment variable, or like an option for a secret, with its value. */
const assigned = /(?<=^|\s)([A-Z][A-Z0-9_]*=)(?:"[^"]*"|'[^']*'|\S+)/g;
const secretOption =
  /(--?[\w-]*(?:token|key|secret|passw|passphrase|credential|cookie|auth)[\w-]*[= ])(?:"[^"]*"|'[^']*'|\S+)/gi;

/** Whether a SOURCE may hold a secret: a password, a value in a URL's query, an assignment or a secret option. */
export function mayHoldSecret(source: string): boolean {
  if (!/^https?:/i.test(source)) return source.search(assigned) >= 0 || source.search(secretOption) >= 0;
  const { username, password, search } = new URL(source);
  return username !== "" || password !== "" || search !== "";
}

/**
 * A SOURCE as messages show it: passwords, values of a URL's query, which often are keys, and what looks like a secret
 * in a command are left out. A server that has a name is shown by it.
 */
export function shownSource(source: ServerSource): string {
  if (typeof source !== "string") return source.name;
  if (!/^https?:/i.test(source)) {
    return shortText(source.replace(assigned, "$1…").replace(secretOption, "$1…"), 200);
  }
  try {
    const url = new URL(source);
    const query = [...url.searchParams.keys()].map((key) => `${key}=…`).join("&");
    return `${url.origin}${url.pathname}${query === "" ? "" : `?${query}`}`;
  } catch {
    return source;
  }
}
