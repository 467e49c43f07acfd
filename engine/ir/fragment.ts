/** Returns the JSON Pointer of a reference into its own document (`#…`), with percent-encoding decoded. */
export function referencedPointer(reference: string): string {
  const fragment = reference.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    // The name is not valid percent-encoding, so it is used literally.
    return fragment;
  }
}

/**
 * Returns the reference to the place of a JSON Pointer; the inverse of `referencedPointer`. Encodes percent signs
 * and ASCII characters that a fragment must not contain (RFC 3986, section 3.5), and keeps letters of all alphabets
 * readable.
 */
export function referenceTo(pointer: string): string {
  return "#" + pointer.replace(/[\u0000- "#%<>[\\\]^`{|}\u007f]/g, encodeURIComponent);
}
