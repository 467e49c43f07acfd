import { join } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { loadPackage } from "../files/installed-package.js";
import { stateFolder, StateFiles } from "../files/state-files.js";
import { sha256 } from "../files/regular-file.js";
import { secrets } from "../secrets/secrets.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The servers with a stored login, and the store of each, because a keychain cannot list its entries. Each
 * server has a file, so that concurrent logins do not lose one another. The files contain no secrets.
 */
export class LoginIndex {
  readonly #files: StateFiles;

  constructor(env: Environment) {
    this.#files = new StateFiles(env, "logins");
  }

  /** The kind of store by server URL. An unreadable file counts as absent. */
  read(): Readonly<Record<string, StoreKind>> {
    const files = this.#files.names().filter((file) => file.endsWith(".json"));
    const entries = files.flatMap((file): [string, StoreKind][] => {
      try {
        const { server, store } = JSON.parse(this.#files.read(file)!) as {
          readonly server?: unknown;
          readonly store?: StoreKind;
        };
        return typeof server === "string" && storeKinds.includes(store!) ? [[server, store!]] : [];
      } catch {
        return [];
      }
    });
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /**
   * @param kind `undefined` removes the entry
   * @throws CodedError MG4107 if the file cannot be written
   */
  set(url: string, kind: StoreKind | undefined): void {
    const file = `${sha256(url)}.json`;
    try {
      if (kind === undefined) return this.#files.delete(file);
      if (this.read()[url] === kind) return;
      this.#files.write(file, `${JSON.stringify({ server: url, store: kind }, null, 2)}\n`);
    } catch (cause) {
      if (cause instanceof CodedError) throw cause;
      const { code } = cause as NodeJS.ErrnoException;
      throw new CodedError("MG4107", `the logins in ${this.#files.folder} cannot be written (${code})`, {
        next: "Check the permissions of the folder, or keep nothing: --token-store memory.",
        cause,
      });
    }
  }
}

/** @param onChoice called once with the store that `auto` has chosen, and the folder of files */
export function openStore(
  auth: AuthPackage,
  kind: StoreKind,
  env: Environment,
  onChoice: (chosen: "keychain" | "file", folder: string) => void,
): TokenStore {
  const folder = join(stateFolder(env), "tokens");
  if (kind === "memory") return hiding(auth.memoryStore());
  if (kind === "file") return hiding(auth.fileStore(folder));
  const keychain = auth.keychain({
    folder,
    fallback: kind === "auto" ? "file" : "none",
    onChoice: (chosen: "keychain" | "file") => onChoice(chosen, folder),
  });
  return hiding(keychain);
}

/** Wraps a store so that its tokens and keys are recorded as secrets. */
function hiding(store: TokenStore): TokenStore {
  const { get, put } = store;
  const learned = (text: string | undefined): void => {
    if (text !== undefined) secrets.learnStored(text);
  };
  return {
    ...(store.lock && { lock: store.lock.bind(store) }),
    get: async (key: string) => {
      const text = await get.call(store, key);
      learned(text);
      return text;
    },
    put: (key: string, value: string | undefined, expected?: string) => {
      learned(value);
      return put.call(store, key, value, expected);
    },
  };
}

/** Status and headers of a rejected request. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
}

/** One attempt of a request, as described by the runtime. */
interface Attempt {
  readonly method: string;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly attempt: number;
  readonly refused?: Refusal;
  readonly revision?: string;
}

type AttemptHeaders = Headers | Readonly<Record<string, string | undefined>>;

/** Authorizes requests: the part of the runtime's `Authorizer` that mcpgen uses. */
export interface Authorizer {
  authorize(attempt: Attempt): AttemptHeaders | undefined | Promise<AttemptHeaders | undefined>;
  observe?(response: { readonly status: number; readonly headers: Headers; readonly url: string }): void;
}

/** Keeps tokens. */
export interface TokenStore {
  get(key: string): Promise<string | undefined>;
  put(key: string, value: string | undefined, expected?: string): Promise<boolean>;
  lock?(key: string, signal: AbortSignal): Promise<() => Promise<void>>;
}

/** Facts about a login request, all of which may be shown. */
export interface LoginFacts {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** The code for a login on another device. */
export interface DevicePrompt extends LoginFacts {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete?: string;
}

/** Receives the redirect of one login. */
export interface RedirectReceiver {
  readonly uri: string;
  receive(url: string, facts: LoginFacts, signal: AbortSignal): Promise<string>;
  close?(): void | Promise<void>;
}

export type Redirect = (server: string, signal: AbortSignal) => Promise<RedirectReceiver>;

/** A stored login, without secrets. */
export interface StoredLogin extends LoginFacts {
  readonly clientId: string;
  /** Milliseconds since 1970; absent if the token does not expire. */
  readonly expires?: number;
  readonly refreshable: boolean;
}

/** One fault in a server's metadata. */
export interface ServerFault {
  readonly kind:
    | "challenge-missing"
    | "challenge-without-metadata"
    | "metadata-missing"
    | "metadata-elsewhere"
    | "metadata-unusable"
    | "resource-mismatch"
    | "resource-broader"
    | "issuer-missing"
    | "issuer-unusable"
    | "pkce-missing";
  /** The URL of the server or of a metadata document. */
  readonly at: string;
  readonly message: string;
}

/** The metadata by which clients find a server's authorization server. */
export interface ServerInspection {
  readonly resource?: string;
  readonly issuers: readonly string[];
  readonly scopes?: readonly string[];
  readonly faults: readonly ServerFault[];
}

/** The functions of `@mcpgen/auth` that mcpgen uses. */
export interface AuthPackage {
  oauth(options: object): Authorizer;
  clientCredentials(options: object): Authorizer;
  workloadIdentity(options: object): Authorizer;
  memoryStore(): TokenStore;
  storedLogin(store: TokenStore, server: string, options: object): Promise<StoredLogin | undefined>;
  forgetLogin(store: TokenStore, server: string, options: object): Promise<"revoked" | "removed" | "absent">;
  inspectServer(server: string, refused: Refusal, options: object): Promise<ServerInspection>;
  loopback(options: object): Redirect | RedirectReceiver;
  fileStore(folder: string): TokenStore;
  keychain(options: object): TokenStore;
}

/**
 * Loads `@mcpgen/auth` installed beside mcpgen, never the project's, which would receive the user's tokens.
 *
 * @throws CodedError MG2013 if it is not installed or not built
 */
export async function loadAuth(): Promise<AuthPackage> {
  const [client, node] = await Promise.all(["@mcpgen/auth/client", "@mcpgen/auth/node"].map(loadPackage));
  const found = { ...client, ...node } as Partial<AuthPackage>;
  if (found.oauth && found.inspectServer && found.keychain) return found as AuthPackage;
  throw new CodedError("MG2013", "@mcpgen/auth is of another version than mcpgen", {
    next: "Install the same version: `npm install @mcpgen/auth`.",
  });
}

/** Kinds of stores for logins. `auto` chooses the keychain if there is one, else files. */
export const storeKinds = ["auto", "keychain", "file", "memory"] as const;
export type StoreKind = (typeof storeKinds)[number];
