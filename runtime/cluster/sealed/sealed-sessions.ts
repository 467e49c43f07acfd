import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import { BoundedMap, checkOptions, gone, type Rules, secrets } from "@mcpgen/base";
import type { NewSession, SessionOptions, SessionStore, StoredSession } from "@mcpgen/runtime/extending";
import * as rpc from "@mcpgen/base/rpc-codes";
import { type LogLevel, McpError } from "@mcpgen/runtime";
import { AuthenticationCodes, codeLength } from "../codes/authentication-codes.js";

/** Options of `sealedSessions`. */
export interface SealedSessionOptions {
  /**
   * Secrets that encrypt the ids: the current one first, then earlier ones whose sessions are still valid. All processes of
   * one server have the same secrets, and no other server has them. Each has 32 characters or more.
   */
  readonly keys: readonly string[];
  /** Milliseconds after its handshake at which a session ends. Default: one day. */
  readonly ttlMs?: number;
}

/** Members of the option `sessions`. */
export type SealedSessions = Required<Pick<SessionOptions, "generateId" | "store" | "idleMs">>;

const rules: Rules<SealedSessionOptions, "clock"> = {
  keys: /* @__PURE__ */ secrets(32),
  ttlMs: 1,
  clock: /* @__PURE__ */ gone("Leave it out: sessions end by the clock of the server."),
};

/** Lengths in bytes of the key, the IV and the tag of AES-256-GCM. */
const [keyBytes, ivBytes, tagBytes] = [32, 12, 16];
/** Maximum length of an id in characters. Many proxies accept at most 8 KiB of headers. */
const longestId = 4096;
/** Each text about the client program is cut to this length in characters: it is only for display. */
const longestText = 64;
/** Milliseconds without use after which a process forgets a session. The next request brings it back. */
const forgetMs = 15_000;
/** Sessions that were ended and are remembered until their time is over: of all principals, and of one. */
const mostEnded = { count: 200_000 };

/** A session in the form that ids contain. */
type Sealed = readonly [
  created: number,
  principal: string,
  revision: string,
  clientInfo: Implementation,
  clientCapabilities: ClientCapabilities,
  declared: ServerCapabilities,
  logLevel: LogLevel,
  data?: string,
];

/**
 * Makes sessions without a store: the id contains the encrypted session. Every process with the same keys can continue it,
 * also after a restart. A session that is not in use takes no memory (2025-11-25, session management).
 *
 * @returns members of the option `sessions`
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function sealedSessions(options: SealedSessionOptions): SealedSessions {
  checkOptions(options, rules, "sealedSessions: ", ["keys"]);
  const { keys, ttlMs = 86_400_000 } = options;
  const seal = new Seal(keys);
  return {
    idleMs: forgetMs,
    generateId: (session) => idOf(seal, session),
    store: new SealedStore(seal, ttlMs),
  };
}

/** @throws {McpError} `invalid-params`: the client declares more than an id can hold */
function idOf(seal: Seal, session: NewSession): string {
  const { created, principal, revision, clientInfo, clientCapabilities, declared, logLevel, data } = session;
  const { name, version } = clientInfo;
  const shown = { name: name.slice(0, longestText), version: version.slice(0, longestText) };
  const facts = [created, principal, revision, shown, clientCapabilities, declared, logLevel] as const;
  const sealed: Sealed = data === undefined ? facts : [...facts, data];
  const id = seal.close(JSON.stringify(sealed));
  if (id.length <= longestId) return id;
  const place =
    data === undefined ? "params.capabilities" : "params.capabilities, and the data of the session";
  throw new McpError("invalid-params", `${place}: the id of a session cannot hold that much`, {
    rpcCode: rpc.invalidParams,
  });
}

/** Reads sessions from their ids. Stores only the sessions that have ended. The endpoint ends sessions after `lifeMs`. */
class SealedStore implements SessionStore {
  readonly lifeMs: number;
  /** Codes of sessions that ended in this process, kept until the session has expired by any clock. */
  readonly #ended: BoundedMap<string, true>;
  readonly #seal: Seal;

  constructor(seal: Seal, lifeMs: number) {
    this.#seal = seal;
    this.lifeMs = lifeMs;
    this.#ended = new BoundedMap({ ...mostEnded, full: "refuse" });
  }

  get(id: string): StoredSession | undefined {
    const text = this.#ended.get(id.slice(-codeLength)) ? undefined : this.#seal.open(id);
    if (text === undefined) return undefined;
    const [created, principal, revision, clientInfo, clientCapabilities, declared, logLevel, data] =
      JSON.parse(text) as Sealed;
    const client = { clientInfo, clientCapabilities };
    const found = { id, created, principal, revision, ...client, declared, logLevel, subscriptions: [] };
    return data === undefined ? found : { ...found, data };
  }

  set(): void {}

  /** Whether the session is still valid. Called for sessions in use. */
  touch(id: string): boolean {
    return this.get(id) !== undefined;
  }

  /** @throws {McpError} `limit-exceeded`: no more ended sessions can be remembered. The session stays valid. */
  delete(id: string): void {
    const session = this.get(id);
    if (!session) return;
    const { created, principal } = session;
    // The clock of the process that made the session may be ahead.
    const options = { principal, lifeMs: this.lifeMs + Math.max(0, created - Date.now()) };
    if (!this.#ended.set(id.slice(-codeLength), true, options))
      throw new McpError("limit-exceeded", "sealedSessions: too many sessions have ended within their life");
  }
}

/**
 * Encrypts with AES-256-GCM. An id ends with an authentication code of the encrypted part. The code rejects a forged id
 * within microseconds, before decryption.
 */
class Seal {
  readonly #keys: readonly Uint8Array[];
  readonly #codes: AuthenticationCodes;

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(
      (secret) => new Uint8Array(hkdfSync("sha256", secret, "", "mcp session", keyBytes)),
    );
    this.#codes = new AuthenticationCodes(secrets, "mcp session code");
  }

  close(text: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#keys[0]!, iv);
    const bytes = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    const sealed = bytes.toString("base64url");
    return sealed + this.#codes.codeOf(sealed);
  }

  open(id: string): string | undefined {
    if (id.length > longestId) return undefined;
    const sealed = id.slice(0, -codeLength);
    const key = this.#keys[this.#codes.secretOf(sealed, id.slice(-codeLength))];
    return key && decrypted(key, Buffer.from(sealed, "base64url"));
  }
}

/** Decrypts. Returns `undefined` if another key encrypted the bytes, which happens only if a code was guessed. */
function decrypted(key: Uint8Array, bytes: Buffer): string | undefined {
  const tag = bytes.subarray(-tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  }).setAuthTag(tag);
  try {
    return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
