import { BoundedMap } from "@mcpgen/base";

// Ids of tasks: 128 random bits, followed by a code that binds the id to the client that created the task (2026-07-28,
// tasks extension, security considerations). The store is read only for ids of the requesting client.

/** Makes and verifies ids. */
export interface TaskIds {
  make(owner: string): Promise<string>;
  /** Whether the id was made for this client. */
  isOf(id: string, owner: string): boolean | Promise<boolean>;
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Lengths in base64url characters: 128 random bits, and 126 bits of the code. */
const randomLength = 22;
const codeLength = 21;
/** Maximum number of verified ids in the cache, so that polls need not compute the code again. */
const remembered = 4096;

/**
 * @param secrets the current one first, then earlier ones whose ids are still valid. Without secrets, the key is
 *   random, and other processes refuse the ids.
 */
export function taskIds(secrets: readonly string[]): TaskIds {
  const keys = keysOf(secrets);
  const known = new BoundedMap<string, string>({ count: remembered, full: "evict" });
  return {
    make: async (owner) => {
      let random: string;
      // An id must not begin with a hyphen, because command lines would take it for an option.
      do random = textOf(crypto.getRandomValues(new Uint8Array(16)));
      while (random.startsWith("-"));
      // `join` makes a flat string, which takes less memory than a concatenation.
      const id = [random, await codeOf((await keys())[0]!, random, owner)].join("");
      known.set(id, owner);
      return id;
    },
    isOf: (id, owner) => known.get(id) === owner || judged(id, owner),
  };

  async function judged(id: string, owner: string): Promise<boolean> {
    // No check of the form: a malformed id takes as long as one with a wrong code.
    const random = id.slice(0, randomLength);
    let isMade = false;
    for (const key of await keys())
      isMade = equal(await codeOf(key, random, owner), id.slice(randomLength)) || isMade;
    if (isMade) known.set(id, owner);
    return isMade;
  }
}

function keysOf(secrets: readonly string[]): () => Promise<readonly Key[]> {
  let keys: Promise<readonly Key[]> | undefined;
  const texts =
    secrets.length > 0
      ? secrets.map((secret) => new TextEncoder().encode(secret))
      : [crypto.getRandomValues(new Uint8Array(32))];
  const imported = (bytes: Uint8Array<ArrayBuffer>): Promise<Key> =>
    crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return () => (keys ??= Promise.all(texts.map(imported)));
}

async function codeOf(key: Key, random: string, owner: string): Promise<string> {
  const bytes = new TextEncoder().encode(random + owner);
  return textOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes))).slice(0, codeLength);
}

/** Compares in constant time. */
function equal(code: string, given: string): boolean {
  let difference = code.length ^ given.length;
  for (let at = 0; at < code.length; at++) difference |= code.charCodeAt(at) ^ given.charCodeAt(at);
  return difference === 0;
}

/** Encodes as base64url without padding. */
function textOf(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
