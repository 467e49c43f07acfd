import { AuthError } from "../shared/errors.js";
import type { ConsentFacts } from "./consent-page.js";
import { Keys } from "./keys.js";
import { redirectProblem } from "./redirects.js";
import { memoryStore, type ProxyStore } from "./store.js";
import type { Upstream } from "./upstream.js";

/** A client that the operator registered. */
export interface KnownClient {
  readonly id: string;
  /** The consent page shows it. */
  readonly name: string;
  /** A client without a secret is public. */
  readonly secret?: string;
  /** How a client with a secret authenticates. Default: `client_secret_basic`. */
  readonly method?: "client_secret_basic" | "client_secret_post";
  readonly redirectUris: readonly string[];
}

export interface ClientOptions {
  /** Whether the client id may be the URL of a metadata document. Default: true. */
  readonly cimd?: boolean;
  /**
   * Dynamic client registration. `sealed`, the default: the registration is encrypted into the client id, so that there is
   * no table of clients. `false`: no registration.
   */
  readonly dcr?: "sealed" | false;
  readonly known?: readonly KnownClient[];
  /** Schemes of redirect URIs that are allowed besides https and loopback addresses, such as `cursor`. Default: none. */
  readonly customSchemes?: readonly string[];
  /** Decides about each redirect URI that the rules allow. Default: all. */
  readonly allowRedirects?: (uri: string) => boolean;
}

export interface ConsentOptions {
  /** The whole page, as HTML. It escapes what it shows. Default: a page without script. */
  readonly page?: (facts: ConsentFacts) => string;
  /** Milliseconds that a browser remembers a decision of its user about a client. Default: 30 days; 0 for never. */
  readonly rememberMs?: number;
}

/** Something that happened. No member is a secret. */
export interface ProxyEvent {
  readonly type: "registered" | "consented" | "denied" | "logged-in" | "refreshed" | "revoked" | "refused";
  /** The client, if it is known: its name, which is what the client says of itself. */
  readonly client?: string;
  /** Why a request was refused, or a login revoked. */
  readonly reason?: string;
}

export interface ProxyOptions {
  /** URL of this authorization server: `https://api.example.com`, or with a path. */
  readonly issuer: string;
  /** The resource servers that tokens are for; the first if a client names none. */
  readonly resource: string | readonly string[];
  readonly upstream: Upstream;
  /**
   * Secrets of at least 32 random characters, the same on every node. The first makes what is new; the others still read what
   * they made. To rotate, put a new one first, and remove the last after `refreshTokenMs`.
   */
  readonly keys: readonly string[];
  /** Default: in memory. */
  readonly store?: ProxyStore;
  readonly clients?: ClientOptions;
  /** Scopes of this server, each with the scopes of the upstream that it needs. Default: the scopes of the upstream. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
  /** What the consent page says of a scope. */
  readonly scopeTexts?: Readonly<Record<string, string>>;
  readonly consent?: ConsentOptions;
  /** Milliseconds that access tokens are valid, from 10 to 60 minutes. Default: 30 minutes. */
  readonly accessTokenMs?: number;
  /** Milliseconds after the last use in which a refresh token is valid. Default: 30 days. */
  readonly refreshTokenMs?: number;
  /** Fetches from the upstream, and metadata documents of clients. Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  readonly onEvent?: (event: ProxyEvent) => void;
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number;
}

/** The options with defaults. */
export interface Settings {
  readonly issuer: string;
  /** The path of the issuer: empty, or with a slash before and none behind. */
  readonly path: string;
  readonly resources: readonly string[];
  readonly upstream: Upstream;
  readonly keys: Keys;
  readonly store: ProxyStore;
  readonly clients: Required<ClientOptions>;
  readonly scopes: ReadonlyMap<string, readonly string[]>;
  readonly scopeTexts: Readonly<Record<string, string>>;
  readonly page: ((facts: ConsentFacts) => string) | undefined;
  readonly rememberSeconds: number;
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
  readonly fetch: typeof fetch;
  readonly emit: (event: ProxyEvent) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Seconds since 1970. */
  readonly seconds: () => number;
}

const minute = 60_000;
const days = 24 * 60 * minute;

/** @throws {AuthError} `auth-options` */
export function settingsOf(options: ProxyOptions): Settings {
  const { issuer, upstream, now = Date.now } = options;
  const resources = typeof options.resource === "string" ? [options.resource] : options.resource;
  checkUrl("issuer", issuer, "https://api.example.com");
  if (/[?/]$/.test(issuer)) throw wrong("issuer", "must not end with a slash", "https://api.example.com");
  if (!Array.isArray(resources) || resources.length === 0) throw wrong("resource", "is missing");
  for (const resource of resources) checkUrl("resource", resource, "https://api.example.com/mcp");
  checkKeys(options.keys);
  if (typeof upstream?.clientId !== "string") throw wrong("upstream", "is missing", "github({ … })");
  const scopes = options.scopes ?? Object.fromEntries(upstream.scopes.map((scope) => [scope, [scope]]));
  return {
    issuer,
    path: new URL(issuer).pathname.replace(/\/$/, ""),
    resources,
    upstream,
    keys: new Keys(options.keys),
    store: options.store ?? memoryStore(now),
    clients: clientOptions(options.clients ?? {}),
    scopes: new Map(Object.entries(scopes)),
    scopeTexts: options.scopeTexts ?? {},
    page: options.consent?.page,
    rememberSeconds: within("consent.rememberMs", options.consent?.rememberMs ?? 30 * days, 0, 365 * days),
    accessSeconds: within("accessTokenMs", options.accessTokenMs ?? 30 * minute, 10 * minute, 60 * minute),
    refreshSeconds: within("refreshTokenMs", options.refreshTokenMs ?? 30 * days, 60 * minute, 400 * days),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    emit: (event) => options.onEvent?.(event),
    now,
    seconds: () => Math.floor(now() / 1000),
  };
}

function clientOptions(given: ClientOptions): Required<ClientOptions> {
  const { cimd = true, dcr = "sealed", known = [], customSchemes = [], allowRedirects = () => true } = given;
  for (const scheme of customSchemes)
    if (
      !/^[a-z][a-z\d+.-]*$/.test(scheme) ||
      /^(https?|javascript|data|file|blob|about|vbscript)$/.test(scheme)
    )
      throw wrong("clients.customSchemes", `has ${JSON.stringify(scheme)}`, "cursor");
  for (const { id, redirectUris } of known)
    for (const uri of redirectUris) {
      const problem = redirectProblem(uri, customSchemes);
      if (problem !== undefined)
        throw wrong("clients.known", `${JSON.stringify(id)}: a redirect URI ${problem}`);
    }
  return { cimd, dcr, known, customSchemes, allowRedirects };
}

function checkKeys(keys: readonly string[]): void {
  const fits = Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === "string");
  if (!fits || keys.some((key) => key.length < 32))
    throw wrong("keys", "must be secrets of at least 32 characters", "openssl rand -base64 32");
  if (new Set(keys).size < keys.length) throw wrong("keys", "names one secret twice");
}

function checkUrl(option: string, url: unknown, example: string): void {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const secure =
    parsed?.protocol === "https:" ||
    (parsed?.protocol === "http:" && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(parsed.hostname));
  if (!parsed || !secure || parsed.hash || parsed.username || /[#\s]/.test(String(url)))
    throw wrong(option, "must be an https URL, or http on a loopback address, without fragment", example);
  if (option === "issuer" && parsed.search) throw wrong(option, "must not have a query", example);
}

function within(option: string, ms: number, least: number, most: number): number {
  if (!(ms >= least && ms <= most)) throw wrong(option, `must be from ${least} to ${most}`);
  return Math.floor(ms / 1000);
}

function wrong(option: string, what: string, example?: string): AuthError {
  const hint = example === undefined ? "" : `, such as ${example}`;
  return new AuthError("auth-options", `oauthProxy: ${option}: ${what}${hint}.`);
}
