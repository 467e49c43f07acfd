/**
 * An issuer for a message, in quotes and in full: issuers are compared as texts, and one slash makes two of them. A text with
 * characters that no issuer has is not shown.
 */
export function issuerText(issuer: unknown): string {
  const isPlain = typeof issuer === "string" && /^https?:\/\/[!$-;=?A-[\]_a-z~]{1,300}$/i.test(issuer);
  return isPlain ? `"${issuer}"` : "a text that is no URL";
}
