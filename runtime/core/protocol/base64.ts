/** RFC 4648 §4, with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // One character at a time takes seconds and hundreds of megabytes for an image.
  for (let at = 0; at < bytes.length;) binary += String.fromCharCode(...bytes.subarray(at, (at += 8192)));
  return btoa(binary);
}

/** RFC 4648 §5, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Strict: the bytes have one text, so that every changed character is noticed. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = bytesOf(text);
  return bytes && toBase64(bytes) === text ? bytes : undefined;
}

/** Strict, as `fromBase64`. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = bytesOf(text.replaceAll("-", "+").replaceAll("_", "/"));
  return bytes && toBase64Url(bytes) === text ? bytes : undefined;
}

/** `atob` accepts missing padding and white space. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
