import { toBase64Url } from "../../server/base64url.js";

/** 128 random bits (2025-11-25, session management). */
export function sessionId(): string {
  return randomText(16);
}

/** Random bytes as text; in one piece, where the platform's own texts hang together from many. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
