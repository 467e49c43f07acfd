import { Turns } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import {
  checkBoolean,
  checkFunction,
  checkNames,
  checkNumber,
  checkSecret,
  checkText,
  checkTexts,
  wrongOption,
} from "../shared/option-check.js";
import { type Fetch, judgedFetch, pinnedFetch } from "../shared/pinned-fetch.js";
import { endpointUrl } from "../shared/urls.js";
import type { ConsentFacts } from "./consent-page.js";
import { Keys } from "./keys.js";
import { redirectProblem } from "./redirects.js";
import { memoryStore, type ProxyStore } from "./store.js";
import type { Upstream } from "./upstream.js";

/** A client that the operator has registered. */
export interface KnownClient {
  readonly id: string;
  /** Name on the consent page. */
  readonly name: string;
  /** If absent, the client is public. */
  readonly secret?: string;
  /** How a client with a secret authenticates. Default: `client_secret_basic`. */
  readonly method?: "client_secret_basic" | "client_secret_post";
  readonly redirectUris: readonly string[];
}

export interface ClientOptions {
  /** Whether the client id may be the URL of a metadata document. Default: true. */
  readonly cimd?: boolean;
  /**
   * Dynamic client registration. `sealed`, the default: the registration is encrypted into the client id, so that no table of
   * clients is needed. `false`: no registration.
   */
  readonly dcr?: "sealed" | false;
  readonly known?: readonly KnownClient[];
  /** Allowed schemes of redirect URIs, such as `cursor`, in addition to https and loopback addresses. Default: none. */
  readonly customSchemes?: readonly string[];
  /**
   * Decides whether a client that is not `known` may use a redirect URI, at registration and at login. Default: all are
   * allowed.
   */
  readonly allowRedirects?: (uri: string) => boolean;
}

export interface ConsentOptions {
  /** Returns the whole page as HTML. It must escape texts. Default: a page without scripts. */
  readonly page?: (facts: ConsentFacts) => string;
  /** Milliseconds for which a browser remembers a decision about a client. Default: 30 days; 0 for never. */
  readonly rememberMs?: number;
}

/** An event of the proxy. It contains no secret. */
export interface ProxyEvent {
  readonly type:
    | "registered"
    | "consented"
    | "denied"
    | "logged-in"
    | "refreshed"
    | "revoked"
    /** A login has ended here, but the upstream did not revoke its tokens. */
    | "not-revoked"
    | "refused";
  /** The client's own, unverified name, if the client is known. */
  readonly client?: string;
  /** The reason why a request was refused or a login revoked. */
  readonly reason?: string;
}

export interface ProxyOptions {
  /** URL of this authorization server: `https://api.example.com`, or with a path. */
  readonly issuer: string;
  /** The resources of tokens; the first one if a client names none. */
  readonly resource: string | readonly string[];
  readonly upstream: Upstream;
  /**
   * Secrets of at least 32 random characters, the same on every node. The first one encrypts and signs; the others only
   * decrypt and verify. To rotate, put a new one first, and remove the last one after `refreshTokenMs`.
   */
  readonly keys: readonly string[];
  /** Default: in memory. */
  readonly store?: ProxyStore;
  readonly clients?: ClientOptions;
  /** Scopes of this server, each with the upstream scopes that it needs. Default: the scopes of the upstream. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
  /** Texts for scopes on the consent page. */
  readonly scopeTexts?: Readonly<Record<string, string>>;
  readonly consent?: ConsentOptions;
  /** URL of a page for client developers, published in the metadata (`service_documentation`). */
  readonly documentation?: string;
  /** Life of access tokens in milliseconds, from 10 to 60 minutes. Default: 30 minutes. */
  readonly accessTokenMs?: number;
  /** Life of an unused refresh token in milliseconds. Default: 30 days. */
  readonly refreshTokenMs?: number;
  /**
   * Sends all requests. Before a request for a client's metadata document, the proxy checks that all addresses of the host
   * are public. Default: the platform's `fetch` for the upstream; for documents, a function that connects only to the checked
   * addresses.
   */
  readonly fetch?: typeof fetch;
  /**
   * Whether to skip the check of addresses before `fetch` gets the URL of a metadata document. Anyone can choose these URLs,
   * so `fetch` must then refuse those that lead into a private network. Default: false.
   */
  readonly unguarded?: boolean;
  readonly onEvent?: (event: ProxyEvent) => void;
  /** Returns milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
}

/** The options with defaults filled in. */
export interface Settings {
  readonly issuer: string;
  /** The path of the issuer: empty, or with a leading and without a trailing slash. */
  readonly path: string;
  readonly resources: readonly string[];
  readonly upstream: Upstream;
  readonly keys: Keys;
  readonly store: ProxyStore;
  readonly clients: Required<ClientOptions>;
  readonly scopes: ReadonlyMap<string, readonly string[]>;
  readonly scopeTexts: Readonly<Record<string, string>>;
  readonly documentation: string | undefined;
  readonly page: ((facts: ConsentFacts) => string) | undefined;
  readonly rememberSeconds: number;
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
  readonly fetch: typeof fetch;
  /** Fetches URLs that clients name. */
  readonly fetchDocument: Fetch;
  /** Serialises the changes of each grant. */
  readonly grantTurns: Turns;
  readonly emit: (event: ProxyEvent) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Seconds since 1970. */
  readonly seconds: () => number;
}

const minute = 60_000;
const days = 24 * 60 * minute;

const known = [
  ...["issuer", "resource", "upstream", "keys", "store", "clients", "scopes", "scopeTexts", "consent"],
  ...["documentation", "accessTokenMs", "refreshTokenMs", "fetch", "unguarded", "onEvent", "now"],
];

/** @throws {AuthError} `auth-options` */
export function settingsOf(options: ProxyOptions): Settings {
  checkProxyOptions(options);
  const { issuer, upstream, now = Date.now, consent = {} } = options;
  const { accessTokenMs = 30 * minute, refreshTokenMs = 30 * days } = options;
  const scopes = options.scopes ?? Object.fromEntries(upstream.scopes.map((scope) => [scope, [scope]]));
  return {
    issuer,
    path: new URL(issuer).pathname.replace(/\/$/, ""),
    resources: typeof options.resource === "string" ? [options.resource] : options.resource,
    upstream,
    keys: new Keys(options.keys),
    store: options.store ?? memoryStore(now),
    clients: {
      ...{ cimd: true, dcr: "sealed", known: [], customSchemes: [], allowRedirects: () => true },
      ...options.clients,
    },
    scopes: new Map(Object.entries(scopes)),
    scopeTexts: options.scopeTexts ?? {},
    documentation: options.documentation,
    page: consent.page,
    rememberSeconds: Math.floor((consent.rememberMs ?? 30 * days) / 1000),
    accessSeconds: Math.floor(accessTokenMs / 1000),
    refreshSeconds: Math.floor(refreshTokenMs / 1000),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    fetchDocument: fetchOfDocuments(options),
    grantTurns: new Turns(
      changes,
      () => new AuthError("auth-unavailable", "too many requests change logins"),
    ),
    emit: (event) => options.onEvent?.(event),
    now,
    seconds: () => Math.floor(now() / 1000),
  };
}

/** Maximum number of concurrent and waiting changes of grants, of all logins and of one. */
const changes = { running: 1024, perKey: 1, waiting: 4096 };

function fetchOfDocuments({ fetch: given, unguarded = false }: ProxyOptions): Fetch {
  if (!given) return pinnedFetch(false);
  return unguarded ? given : judgedFetch(given, false);
}

function checkProxyOptions(options: ProxyOptions): void {
  checkNames(options, known);
  const { issuer, resource, upstream, keys, store, clients = {}, scopes, consent = {} } = options;
  checkUrl(issuer, "issuer");
  if (/\?|\/$/.test(issuer))
    throw wrongOption("issuer", "expected a URL without query, and without a slash at its end");
  const resources = typeof resource === "string" ? [resource] : resource;
  checkTexts(resources, "resource");
  for (const each of resources) checkUrl(each, "resource");
  checkUpstream(upstream);
  checkKeys(keys);
  for (const name of ["get", "put"] as const) if (store) checkFunction(store[name], `store.${name}`);
  checkClients(clients);
  for (const [scope, needed] of Object.entries(scopes ?? {}))
    if (!/^[!#-[\]-~]+$/.test(scope) || !Array.isArray(needed))
      throw wrongOption(
        "scopes",
        'expected lists of scopes of the upstream, such as { "mcp:read": ["repo"] }',
      );
  checkNames(consent, ["page", "rememberMs"], "consent.");
  if (consent.page !== undefined) checkFunction(consent.page, "consent.page");
  const { documentation, accessTokenMs, refreshTokenMs } = options;
  if (documentation !== undefined) checkUrl(documentation, "documentation");
  if (consent.rememberMs !== undefined) checkNumber(consent.rememberMs, "consent.rememberMs", 0, 365 * days);
  if (accessTokenMs !== undefined) checkNumber(accessTokenMs, "accessTokenMs", 10 * minute, 60 * minute);
  if (refreshTokenMs !== undefined) checkNumber(refreshTokenMs, "refreshTokenMs", 60 * minute, 400 * days);
  if (options.unguarded !== undefined) checkBoolean(options.unguarded, "unguarded");
  if (options.unguarded && !options.fetch)
    throw wrongOption("unguarded", "expected the option fetch beside it, which judges addresses");
  for (const name of ["fetch", "onEvent", "now"] as const)
    if (options[name] !== undefined) checkFunction(options[name], name);
}

function checkUpstream(upstream: Upstream): void {
  if (typeof upstream?.clientId !== "string" || !Array.isArray(upstream.scopes))
    throw wrongOption("upstream", "expected an upstream, such as github({ clientId, secret })");
  const { clientId, server, authentication, scopes, identityScopes = [], reshape, identify } = upstream;
  const { discover } = Object(server) as { readonly discover?: unknown };
  if (discover !== undefined) checkUrl(discover, "upstream.server.discover");
  checkText(clientId, "upstream.clientId");
  checkSecret(upstream, "upstream.");
  if (authentication !== undefined && !["basic", "post"].includes(authentication))
    throw wrongOption("upstream.authentication", 'expected "basic" or "post"');
  for (const [name, list] of Object.entries({ scopes, identityScopes }))
    if (!Array.isArray(list) || !list.every((each) => typeof each === "string" && each !== ""))
      throw wrongOption(`upstream.${name}`, "expected a list of texts, and none that is empty");
  for (const [name, value] of Object.entries({ reshape, identify }))
    if (value !== undefined) checkFunction(value, `upstream.${name}`);
}

function checkClients(clients: ClientOptions): void {
  checkNames(clients, ["cimd", "dcr", "known", "customSchemes", "allowRedirects"], "clients.");
  const { cimd, dcr, known: knownClients = [], customSchemes = [], allowRedirects } = clients;
  if (cimd !== undefined && typeof cimd !== "boolean")
    throw wrongOption("clients.cimd", "expected true or false");
  if (dcr !== undefined && dcr !== false && dcr !== "sealed")
    throw wrongOption("clients.dcr", 'expected "sealed" or false');
  if (allowRedirects !== undefined) checkFunction(allowRedirects, "clients.allowRedirects");
  for (const scheme of customSchemes)
    if (!/^[a-z][a-z\d+.-]*$/.test(scheme) || unsafeSchemes.has(scheme))
      throw wrongOption("clients.customSchemes", 'expected schemes of applications, such as "cursor"');
  for (const [index, client] of knownClients.entries()) {
    const { id, name, method, redirectUris } = client;
    const place = `clients.known[${index}]`;
    checkText(id, `${place}.id`);
    checkText(name, `${place}.name`);
    checkSecret(client, `${place}.`);
    if (method !== undefined && !["client_secret_basic", "client_secret_post"].includes(method))
      throw wrongOption(`${place}.method`, "expected client_secret_basic or client_secret_post");
    checkTexts(redirectUris, `${place}.redirectUris`);
    for (const uri of redirectUris) {
      const problem = redirectProblem(uri, customSchemes);
      if (problem !== undefined) throw wrongOption(`${place}.redirectUris`, `one ${problem}`);
    }
  }
}

const unsafeSchemes = new Set(["http", "https", "javascript", "data", "file", "blob", "about", "vbscript"]);

function checkKeys(keys: readonly string[]): void {
  checkTexts(keys, "keys");
  if (keys.some((key) => key.length < 32))
    throw wrongOption("keys", "expected secrets of at least 32 characters: openssl rand -base64 32");
  if (new Set(keys).size < keys.length) throw wrongOption("keys", "expected each secret once");
}

function checkUrl(url: unknown, option: string): void {
  if (!endpointUrl(url, true) || /\s/.test(String(url)))
    throw wrongOption(option, "expected an https URL without user and fragment; http only for this machine");
}
