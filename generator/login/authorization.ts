import { CodedError } from "../diagnostics/coded-error.js";
import {
  type AuthPackage,
  type Authorizer,
  type DevicePrompt,
  type Redirect,
  type Refusal,
  type ServerInspection,
  type StoredLogin,
  type TokenStore,
  type StoreKind,
  loadAuth,
  LoginIndex,
  openStore,
} from "./token-stores.js";
import { networkAdvice, networkMessage } from "../files/proxies.js";
import { shellLine } from "../print/terminal-text.js";
import { type Driven, drive, harmlessRequest, headersWith } from "./drive.js";
import { type GivenCredentials, credentialsOf } from "./environment.js";
import { exceptionsOf, issuerOf, networkOf, variable } from "./variables.js";

/** How to authorize requests, according to command line and environment. */
export interface LoginSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** The server URLs on the command line. */
  readonly typed: readonly string[];
  readonly store: StoreKind | undefined;
  /** The value of `--revision`; servers of 2025-03-26 may lack metadata. */
  readonly revision: string | undefined;
  /** Receives login redirects; absent if the user must not be asked. */
  readonly redirect: ((auth: AuthPackage) => Redirect) | undefined;
  /**
   * Shows the code for a login on another device (device flow), which replaces the redirect if the
   * authorization server supports it.
   */
  readonly device: ((prompt: DevicePrompt) => void) | undefined;
  /** Scopes to request in addition to the server's. */
  readonly scopes: readonly string[];
  /** Prints a line to the user. */
  readonly note: (text: string) => void;
}

/** Time limit of a login in milliseconds; the user has five minutes of it. */
const loginTimeout = 330_000;

/** Time limit in milliseconds for reading the metadata of a server and its authorization servers. */
const inspectionTimeout = 30_000;

/** An error that a login may resolve. */
export class LoginNeeded extends CodedError {
  /** Logs the user in; absent if the user must not be asked. */
  readonly login: (() => Promise<void>) | undefined;

  constructor(details: ConstructorParameters<typeof CodedError>, login: (() => Promise<void>) | undefined) {
    super(...details);
    this.login = login;
  }
}

/** Authorizes requests to HTTP servers with credentials from the environment or stored logins. */
export class Authorization {
  readonly settings: LoginSettings;
  readonly index: LoginIndex;
  #auth: Promise<AuthPackage> | undefined;
  readonly #stores = new Map<StoreKind, TokenStore>();
  readonly #ofThisCommand = new Set<string>();
  /** The store that `auto` has chosen. */
  #chosen: "keychain" | "file" | undefined;

  constructor(settings: LoginSettings) {
    this.settings = settings;
    this.index = new LoginIndex(settings.env);
  }

  /** @throws CodedError MG2017 for unusable credentials in the environment */
  forServer(url: string): ServerAuthorization {
    const { env, directory, typed } = this.settings;
    return new ServerAuthorization(this, url, credentialsOf(env, directory, url, typed));
  }

  /**
   * Reads a server's authorization metadata as a client without a token would.
   *
   * @returns undefined if the server rejects nothing, or requires something other than OAuth
   * @throws the errors of `fetch`; an `Error` for a temporary failure, which does not show whether a token is
   * needed
   */
  async inspect(url: string, timeout = inspectionTimeout): Promise<ServerInspection | undefined> {
    const signal = AbortSignal.timeout(timeout);
    const answer = await harmlessRequest(url, headersWith({}), signal);
    if (answer.status >= 500 || [408, 425, 429].includes(answer.status))
      throw new Error(`it answered ${answer.status}`);
    const challenge = answer.headers.get("www-authenticate");
    const isOAuth = challenge === null ? answer.status === 401 : /\b(?:bearer|dpop)\b/i.test(challenge);
    if ((answer.status !== 401 && answer.status !== 403) || !isOAuth) return undefined;
    const { env } = this.settings;
    const options = { ...networkOf(env), ...exceptionsOf(env), signal };
    return (await this.auth()).inspectServer(url, answer, options);
  }

  auth(): Promise<AuthPackage> {
    return (this.#auth ??= loadAuth());
  }

  /** The store named on the command line, else that of the login, else `auto`. */
  async store(url: string): Promise<TokenStore> {
    const { settings } = this;
    const kind = this.kindFor(url);
    let store = this.#stores.get(kind);
    if (!store)
      this.#stores.set(kind, (store = openStore(await this.auth(), kind, settings.env, this.#onChoice)));
    return store;
  }

  /** Whether there is a login to a server, in this command or in a store. */
  knows(url: string): boolean {
    return this.#ofThisCommand.has(url) || this.index.read()[url] !== undefined;
  }

  /**
   * Records that there is a login to a server, and in which store: another session may have no keychain, or
   * another one.
   */
  remember(url: string): void {
    const kind = this.kindFor(url);
    this.#ofThisCommand.add(url);
    if (kind !== "memory") this.index.set(url, kind === "auto" ? (this.#chosen ?? kind) : kind);
  }

  readonly #onChoice = (chosen: "keychain" | "file", folder: string): void => {
    this.#chosen = chosen;
    if (chosen === "file")
      this.settings.note(
        `there is no keychain: logins are kept in files that only you can read, in ${folder}`,
      );
  };

  kindFor(url: string): StoreKind {
    return this.settings.store ?? this.index.read()[url] ?? "auto";
  }

  /** Options of `oauth()` that identify the client, so that a stored login is found again. */
  clientOptions(): object {
    const { env, revision } = this.settings;
    const [id, issuer] = [variable(env, "MCPGEN_CLIENT_ID"), issuerOf(env)];
    return {
      client: { name: "mcpgen", ...(id && { id }), ...(id && issuer && { issuer }) },
      ...(issuer && { issuer }),
      ...networkOf(env),
      ...exceptionsOf(env),
      ...(revision === "2025-03-26" && { legacy: revision }),
    };
  }
}

/** The authorization that a server's metadata names. */
interface Discovered {
  readonly issuer?: string;
  readonly resource?: string;
  readonly scopes: readonly string[];
}

/** Authorizes requests to one server. */
export class ServerAuthorization {
  readonly #all: Authorization;
  readonly #url: string;
  readonly #credentials: GivenCredentials | undefined;
  #inner: Promise<Authorizer> | undefined;
  #refusal: Refusal | undefined;
  #discovered: Discovered = { scopes: [] };

  constructor(all: Authorization, url: string, credentials: GivenCredentials | undefined) {
    this.#all = all;
    this.#url = url;
    this.#credentials = credentials;
  }

  /** For the runtime's `http.authorize`. Loads nothing for a server that rejects no request. */
  readonly authorizer: Authorizer = {
    authorize: async (attempt) => {
      if (attempt.refused) this.#refusal = attempt.refused;
      else if (!this.#inner && !this.#credentials && !this.#isKnown) return {};
      try {
        const inner = await (this.#inner ??= this.#unattended());
        const given = await inner.authorize(attempt);
        // The headers are recorded as secrets.
        headersWith(given ?? {});
        return given;
      } catch (error) {
        // Without the package, the server's rejection is the error to report.
        if (error instanceof CodedError && error.code === "MG2013") return undefined;
        // For a server without OAuth, its rejection is more informative.
        const code = codeOf(error);
        const isAbsent =
          code === "auth-metadata-invalid" ||
          (code === "auth-unavailable" && !this.#isKnown && !this.#credentials);
        if (isAbsent && !this.#namesMetadata()) return undefined;
        throw error;
      }
    },
    observe: (response) => {
      void this.#inner?.then((inner) => inner.observe?.(response)).catch(() => {});
    },
  };

  /**
   * Converts a request's error to a coded error about authorization, if it is one. @param shown the server's
   * name in messages
   */
  errorOf(error: unknown, shown: string): CodedError | undefined {
    const { code, cause, data } = (error ?? {}) as {
      code?: string;
      cause?: unknown;
      data?: { status?: number };
    };
    const place = { file: shown };
    if (code !== "authorize-failed") {
      // The data of every other code comes from the server's error object.
      const status = code === "connection-closed" ? data?.status : undefined;
      const isTried = this.#credentials !== undefined || this.#isKnown;
      if ((status !== 401 && status !== 403) || !isTried) return undefined;
      const from = this.#credentials?.from ?? "the stored login";
      return new CodedError("MG4107", `the server refused ${from} (${status})`, {
        place,
        next: this.#credentials
          ? "Check the variables, and what the client may do."
          : `Run \`${this.#loginCommand(shown)}\` again.`,
        facts: this.#facts(),
        cause: error,
      });
    }
    if (cause instanceof CodedError) return cause;
    if (codeOf(cause) === "auth-needs-user") return this.#needed(shown, cause);
    if (codeOf(cause) === undefined) return undefined;
    const asked = this.#refusal && `the server answered ${this.#refusal.status} and asks for a login: `;
    const message = `${asked ?? ""}${(cause as Error).message}`;
    const next = networkAdvice(cause) ?? advice[codeOf(cause)!];
    return new CodedError("MG4107", message, { place, ...(next && { next }), facts: this.#facts(), cause });
  }

  /** Logs the user in, even if a login is stored. @throws CodedError */
  async login(shown: string, refused = this.#refusal): Promise<Driven> {
    const { redirect, device, scopes } = this.#all.settings;
    const auth = await this.#all.auth();
    const store = redirect || this.#isKnown ? await this.#all.store(this.#url) : auth.memoryStore();
    const authorizer = auth.oauth({
      ...this.#all.clientOptions(),
      ...{ store, onEvent: this.#onEvent },
      ...(redirect && { redirect: redirect(auth) }),
      ...(device && { device }),
      ...(scopes.length > 0 && { scopes: { always: scopes } }),
    });
    const signal = AbortSignal.timeout(loginTimeout);
    try {
      const driven = await drive(authorizer, this.#url, signal, refused);
      if (driven.authorized) this.#all.remember(this.#url);
      this.#inner = undefined;
      return driven;
    } catch (cause) {
      const known = this.errorOf({ code: "authorize-failed", cause }, shown);
      if (known) throw known;
      const what = signal.aborted ? "there was no login in time" : "the server cannot be reached";
      const why = networkAdvice(cause) === undefined ? "" : `: ${networkMessage((cause as Error).message)}`;
      throw new CodedError("MG4107", `${what}${why}`, {
        place: { file: shown },
        next: networkAdvice(cause) ?? "Check the address and the network, and run the command again.",
        cause,
      });
    }
  }

  /** The stored login, without secrets. */
  async stored(): Promise<StoredLogin | undefined> {
    if (!this.#isKnown && this.#all.settings.store === undefined) return undefined;
    const auth = await this.#all.auth();
    return auth.storedLogin(await this.#all.store(this.#url), this.#url, this.#all.clientOptions());
  }

  /** Authorization without a user: credentials from the environment, or tokens of a stored login. */
  async #unattended(): Promise<Authorizer> {
    const auth = (): Promise<AuthPackage> => this.#all.auth();
    if (this.#credentials) return this.#credentials.authorizer(auth);
    // Without a login there is nothing to read, and a keychain might ask the user.
    const store = this.#isKnown ? await this.#all.store(this.#url) : (await auth()).memoryStore();
    return (await auth()).oauth({ ...this.#all.clientOptions(), store, onEvent: this.#onEvent });
  }

  /** Whether there is a stored login. */
  get #isKnown(): boolean {
    return this.#all.knows(this.#url);
  }

  readonly #onEvent = (event: { readonly type: string } & Partial<Discovered>): void => {
    if (event.type !== "discovered") return;
    const { issuer, resource, scopes = [] } = event;
    this.#discovered = {
      ...(issuer !== undefined && { issuer }),
      ...(resource !== undefined && { resource }),
      scopes: scopes.slice(0, mostScopes),
    };
  };

  #needed(shown: string, cause: unknown): LoginNeeded {
    const { issuer, scopes } = this.#discovered;
    const wanted = scopes.length > 0 ? `, for ${scopes.join(" ")}` : "";
    const at = issuer === undefined ? "" : ` at ${issuer}`;
    const details: ConstructorParameters<typeof CodedError> = [
      "MG4106",
      `the server asks for a login${at}${wanted}`,
      {
        place: { file: shown },
        next: `Run \`${this.#loginCommand(shown)}\` at a terminal, or set MCPGEN_ISSUER with MCPGEN_CLIENT_ID and MCPGEN_CLIENT_SECRET or MCPGEN_ASSERTION_FILE, or set MCPGEN_TOKEN.`,
        facts: this.#facts(),
        cause,
      },
    ];
    const { redirect } = this.#all.settings;
    const refused = this.#refusal;
    return new LoginNeeded(details, redirect && (async () => void (await this.login(shown, refused))));
  }

  #facts(): { readonly authorization: Discovered } {
    return { authorization: this.#discovered };
  }

  /** The command that logs in, with the scopes that the server requires. */
  #loginCommand(shown: string): string {
    const isMissing = /\berror="?insufficient_scope\b/i.test(this.#challenge());
    const scope = isMissing ? /\bscope="([^"\\]*)"/i.exec(this.#challenge())?.[1] : undefined;
    const missing = (scope ?? "").split(" ").filter((name) => /^[!#-[\]-~]+$/.test(name));
    const options = missing.slice(0, mostScopes).flatMap((name) => ["--scope", name]);
    return shellLine(["mcpgen", "login", shown, ...options]);
  }

  #namesMetadata(): boolean {
    return this.#challenge().includes("resource_metadata");
  }

  #challenge(): string {
    return this.#refusal?.headers.get("www-authenticate") ?? "";
  }
}

/** Maximum number of scopes in a message. */
const mostScopes = 50;

const advice: Readonly<Record<string, string>> = {
  "auth-issuer-mismatch":
    "Let the metadata of the server, the one of the authorization server and MCPGEN_ISSUER name the same issuer. If you know that two names are one authorization server, set MCPGEN_ISSUER to the one that the server names, and MCPGEN_METADATA_ISSUER to the other one.",
  "auth-metadata-invalid":
    "Correct the metadata: `mcpgen explain MG6315` and `mcpgen explain MG6318` say what it needs.",
  "auth-metadata-unsafe":
    "Use https URLs without redirects, and endpoints of one host; `mcpgen explain MG6318` says more. MCPGEN_ISSUER names an issuer whose endpoints may be elsewhere.",
  "auth-pkce-unsupported":
    "Let the authorization server list S256. If it supports PKCE all the same, set MCPGEN_ISSUER to its issuer, and MCPGEN_PKCE=assumed.",
  "auth-refused": "Check what the client and the user may do at the authorization server.",
  "auth-resource-mismatch": "Give the URL that the metadata of the server names, or correct the metadata.",
  "auth-registration-impossible":
    "Register a client at the authorization server with the redirect URI http://127.0.0.1/callback, and set MCPGEN_CLIENT_ID.",
  "auth-unavailable": "Check the network, and run the command again.",
  "auth-store": "Check the store, or name another: --token-store file.",
};

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && error.name === "AuthError" && "code" in error
    ? String(error.code)
    : undefined;
}
