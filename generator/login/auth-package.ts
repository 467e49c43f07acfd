import { CodedError } from "../diagnostics/coded-error.js";

/** Status and headers of a refused request. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
}

/** One attempt of a request, as the runtime describes it. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly attempt: number;
  readonly refused?: Refusal;
  readonly revision?: string;
}

type AttemptHeaders = Headers | Readonly<Record<string, string | undefined>>;

/** Authorizes requests: the part of `Authorizer` of the runtime that mcpgen uses. */
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

/** What a login asks for; all of it may be shown. */
export interface LoginFacts {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** The code of a login on another device. */
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

/** A stored login, without its secrets. */
export interface StoredLogin extends LoginFacts {
  readonly clientId: string;
  /** Milliseconds since 1970; absent if the token does not end. */
  readonly expires?: number;
  readonly refreshable: boolean;
}

/** What is wrong with the metadata of a server, one thing. */
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
  /** The URL of the server or of a document. */
  readonly at: string;
  readonly message: string;
}

/** The metadata by which clients find the authorization server of a server. */
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
 * Loads `@mcpgen/auth` as installed beside mcpgen; never the project's, which would be given the user's tokens.
 *
 * @throws CodedError MG2013 where it is not installed, or not built
 */
export async function loadAuth(): Promise<AuthPackage> {
  const [client, node] = await Promise.all(["@mcpgen/auth/client", "@mcpgen/auth/node"].map(load));
  const found: Partial<AuthPackage> = { ...client, ...node };
  if (found.oauth && found.inspectServer && found.keychain) return found as AuthPackage;
  throw new CodedError("MG2013", "@mcpgen/auth is of another version than mcpgen", {
    next: "Install the same version: `npm install @mcpgen/auth`.",
  });
}

async function load(name: string): Promise<object> {
  try {
    return (await import(name)) as object;
  } catch (cause) {
    throw new CodedError("MG2013", `${name} cannot be loaded: ${(cause as Error).message.split("\n")[0]}`, {
      next: "Install mcpgen again, with its dependencies.",
      cause,
    });
  }
}

/** Where logins are kept: `auto` takes the keychain where there is one, else files. */
export const storeKinds = ["auto", "keychain", "file", "memory"] as const;
export type StoreKind = (typeof storeKinds)[number];
