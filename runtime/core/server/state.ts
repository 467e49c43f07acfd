import { McpError } from "../jsonrpc/errors.js";
import { fromBase64Url, toBase64Url } from "./base64url.js";

/** Keeps JSON from being read or changed on its way through the client. */
export interface StateSeal {
  /** Hears, once, that state was closed that is of use to no other process: transports that span them set it. */
  onRandomKey: (() => void) | undefined;
  close(value: unknown): Promise<string>;
  /** The value, or nothing if this server did not close it. */
  open(text: string): Promise<unknown>;
}

/** Named so that no platform's types are needed. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const ivLength = 12;
const tagLength = 16;
/** Characters of a secret, at least. */
const shortest = 16;

/**
 * Seals with AES-256-GCM.
 *
 * @param secrets the current secret first, then those that state may still be sealed with; share them among
 *   the processes that may see one request's rounds. Without any, a random key of this process serves.
 * @throws {McpError} `invalid-definition`: a secret is so short that it can be guessed
 */
export function stateSeal(secrets: readonly string[]): StateSeal {
  if (secrets.some((secret) => secret.length < shortest))
    throw new McpError("invalid-definition", `each of stateKeys has ${shortest} characters at least`);
  let told = secrets.length > 0;
  let keys: Promise<readonly Key[]> | undefined;
  const loaded = (): Promise<readonly Key[]> =>
    (keys ??= Promise.all(
      secrets.length > 0
        ? secrets.map((secret) => keyOf(new TextEncoder().encode(secret)))
        : [keyOf(crypto.getRandomValues(new Uint8Array(32)))],
    ));
  return {
    onRandomKey: undefined,
    async close(value) {
      if (!told && this.onRandomKey) {
        told = true;
        this.onRandomKey();
      }
      const [key] = await loaded();
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const text = new TextEncoder().encode(JSON.stringify(value));
      const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key!, text));
      const bytes = new Uint8Array(ivLength + sealed.length);
      bytes.set(iv);
      bytes.set(sealed, ivLength);
      return toBase64Url(bytes);
    },
    async open(text) {
      const bytes = fromBase64Url(text);
      if (!bytes || bytes.length < ivLength + tagLength) return undefined;
      const iv = bytes.subarray(0, ivLength);
      for (const key of await loaded()) {
        const plain = await crypto.subtle
          .decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(ivLength))
          .catch(() => undefined);
        if (plain) return JSON.parse(new TextDecoder().decode(plain)) as unknown;
      }
      return undefined;
    },
  };
}

async function keyOf(secret: Uint8Array<ArrayBuffer>): Promise<Key> {
  const digest = await crypto.subtle.digest("SHA-256", secret);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}
