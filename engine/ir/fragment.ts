/** The JSON Pointer that a reference into its own document (`#…`) names; percent-encoding is undone. */
export function referencedPointer(reference: string): string {
  const fragment = reference.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    // Not percent-encoded: the name is taken literally.
    return fragment;
  }
}

/**
 * The reference to the place that a JSON Pointer names. Letters of all alphabets stay readable. Percent signs and
 * ASCII characters that a fragment must not contain (RFC 3986, section 3.5) are encoded. `referencedPointer` is the
 * inverse.
 */
export function referenceTo(pointer: string): string {
  return "#" + pointer.replace(/[\u0000- "#%<>[\\\]^`{|}\u007f]/g, encodeURIComponent);
}
