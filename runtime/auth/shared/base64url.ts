/** Bytes in base64url, without padding. */
export function base64Url(bytes: ArrayBuffer | Uint8Array): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** The SHA-256 digest of a text, in base64url. */
export async function sha256(text: string): Promise<string> {
  return base64Url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
