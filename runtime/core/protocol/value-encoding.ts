const prefix = "=?base64?";
const suffix = "?=";

/** A value as a header carries it (2026-07-28, Streamable HTTP, value encoding). */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/.test(value);
  if (plain && !(value.startsWith(prefix) && value.endsWith(suffix))) return value;
  let binary = "";
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `${prefix}${btoa(binary)}${suffix}`;
}

/** The value that a header carries, or nothing if it is malformed. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!header.startsWith(prefix) || !header.endsWith(suffix) || header.length < prefix.length + suffix.length)
    return /^[\t\x20-\x7e]*$/.test(header) ? header : undefined;
  const encoded = header.slice(prefix.length, -suffix.length);
  try {
    const binary = atob(encoded);
    // atob forgives missing padding and white space; what it would not have written is malformed.
    if (btoa(binary) !== encoded) return undefined;
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
