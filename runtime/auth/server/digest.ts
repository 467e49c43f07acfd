import type { createHash, hash } from "node:crypto";
import { sha256 } from "../shared/base64url.js";

interface NodeCrypto {
  readonly createHash: typeof createHash;
  readonly hash?: typeof hash;
}

/** Node's own module, found at run time: so the module also loads on platforms that have none. */
const node = (
  globalThis as { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } }
).process?.getBuiltinModule?.("node:crypto");

/**
 * The SHA-256 digest of a text, in base64url. Synchronous where the platform has a function for it, so that a cached
 * token costs no turn of the event loop.
 */
export function digestOf(text: string): string | Promise<string> {
  if (node?.hash) return node.hash("sha256", text, "base64url");
  if (node) return node.createHash("sha256").update(text).digest("base64url");
  return sha256(text);
}
