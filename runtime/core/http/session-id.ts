import { toBase64Url } from "../server/base64url.js";

/** 128 random bits; in one piece, where the platform's own texts hang together from many (2025-11-25, session management). */
export function sessionId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}
