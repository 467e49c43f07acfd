// Ids of tasks: 128 random bits, and a code that binds them to the client that made the task (2026-07-28, tasks
// extension, security considerations). The store is read only for ids of the client that asks.

/** Makes and judges ids. */
export interface TaskIds {
  make(owner: string): Promise<string>;
  /** Whether the id was made for this client. */
  isOf(id: string, owner: string): boolean | Promise<boolean>;
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const randomBytes = 16;
const codeBytes = 16;
/** Characters of an id: unpadded base64url of both. */
const idLength = Math.ceil(((randomBytes + codeBytes) * 4) / 3);
/** Ids that are known to belong to a client: polls do not compute the code again. */
const remembered = 4096;

/**
 * @param secrets the current one first, then earlier ones that ids may still be made with. Without secrets, the key is
 *   random: other processes refuse the ids.
 */
export function taskIds(secrets: readonly string[]): TaskIds {
  const keys = keysOf(secrets);
  const known = new Map<string, string>();
  const remember = (id: string, owner: string): void => {
    if (known.size >= remembered) known.delete(known.keys().next().value!);
    known.set(id, owner);
  };
  return {
    make: async (owner) => {
      const random = crypto.getRandomValues(new Uint8Array(randomBytes));
      const code = await codeOf((await keys())[0]!, random, owner);
      const id = textOf(Uint8Array.of(...random, ...code));
      remember(id, owner);
      return id;
    },
    isOf: (id, owner) => known.get(id) === owner || judged(id, owner),
  };

  async function judged(id: string, owner: string): Promise<boolean> {
    // An id of another form costs as much as one with a wrong code.
    const bytes = bytesOf(id) ?? new Uint8Array(randomBytes + codeBytes);
    const random = bytes.slice(0, randomBytes);
    const code = bytes.slice(randomBytes);
    let isMade = false;
    for (const key of await keys()) isMade = equal(await codeOf(key, random, owner), code) || isMade;
    if (isMade) remember(id, owner);
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

async function codeOf(key: Key, random: Uint8Array<ArrayBuffer>, owner: string): Promise<Uint8Array> {
  const text = Uint8Array.of(...random, ...new TextEncoder().encode(owner));
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, text)).slice(0, codeBytes);
}

/** Compares in a time that does not depend on the bytes. */
function equal(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}

function textOf(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of an id, if it has the form of one. */
function bytesOf(id: string): Uint8Array<ArrayBuffer> | undefined {
  if (id.length !== idLength || !/^[\w-]+$/.test(id)) return undefined;
  const text = atob(id.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  // Of the texts with the same bytes, one is the id.
  return textOf(bytes) === id ? bytes : undefined;
}
