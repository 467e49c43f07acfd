import { sha256 } from "../files/sha256.js";

/** Longer names are cut, and made unique by a hash. */
const longest = 100;

/**
 * The `id` of the element about `name`, the same in every page that has it: `#` and this is its address. Other
 * characters than those of fragments (RFC 3986, section 3.5) are percent-encoded.
 */
export function anchor(kind: string, name: string): string {
  const encoded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const short =
    encoded.length > longest ? `${encoded.slice(0, longest)}-${sha256(name).slice(0, 12)}` : encoded;
  return `${kind}-${short}`;
}
