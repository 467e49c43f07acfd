import {
  gone,
  isObject,
  numberFrom,
  type OptionFault,
  optionFault,
  type Rules,
  secrets,
  text,
  texts,
  Turns,
  valueFault,
  withFunctions,
} from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import { checkOptions, givenSecret, httpsUrl, wrongOption } from "../shared/option-rules.js";
import { type Fetch, judgedFetch, pinnedFetch } from "../shared/pinned-fetch.js";
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
  /** Returns the consent page as HTML. It must escape texts. Default: a page without scripts. */
  readonly consentPage?: (facts: ConsentFacts) => string;
  /** URL of a page for client developers, published in the metadata (`service_documentation`). */
  readonly documentation?: string;
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
  readonly refreshSeconds: number;
  readonly fetch: typeof fetch;
  /** Fetches URLs that clients name. */
  readonly fetchDocument: Fetch;
  /** Serialises the changes of each grant. */
  readonly grantTurns: Turns;
  readonly emit: (event: ProxyEvent) => void;
}

const minute = 60_000;
const days = 24 * 60 * minute;

/** @throws {AuthError} `auth-options` */
export function settingsOf(options: ProxyOptions): Settings {
  checkProxyOptions(options);
  const { issuer, upstream, refreshTokenMs = 30 * days } = options;
  const scopes = options.scopes ?? Object.fromEntries(upstream.scopes.map((scope) => [scope, [scope]]));
  return {
    issuer,
    path: new URL(issuer).pathname.replace(/\/$/, ""),
    resources: typeof options.resource === "string" ? [options.resource] : options.resource,
    upstream,
    keys: new Keys(options.keys),
    store: options.store ?? memoryStore(),
    clients: {
      ...{ cimd: true, dcr: "sealed", known: [], customSchemes: [], allowRedirects: () => true },
      ...options.clients,
    },
    scopes: new Map(Object.entries(scopes)),
    scopeTexts: options.scopeTexts ?? {},
    documentation: options.documentation,
    page: options.consentPage,
    refreshSeconds: Math.floor(refreshTokenMs / 1000),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    fetchDocument: fetchOfDocuments(options),
    grantTurns: new Turns(
      changes,
      () => new AuthError("auth-unavailable", "too many requests change logins"),
    ),
    emit: (event) => options.onEvent?.(event),
  };
}

/** Maximum number of concurrent and waiting changes of grants, of all logins and of one. */
const changes = { running: 1024, perKey: 1, waiting: 4096 };

function fetchOfDocuments({ fetch: given, unguarded = false }: ProxyOptions): Fetch {
  if (!given) return pinnedFetch(false);
  return unguarded ? given : judgedFetch(given, false);
}

const rules: Rules<ProxyOptions, "consent" | "accessTokenMs" | "now"> = {
  issuer: (value) =>
    httpsUrl(value) ??
    (/\?|\/$/.test(String(value)) ? "a URL without query, and without a slash at its end" : undefined),
  resource: (value) =>
    typeof value === "string"
      ? httpsUrl(value)
      : (texts(value) ?? (value as readonly string[]).map(httpsUrl).find(Boolean)),
  upstream: upstreamFault,
  keys: secrets(32),
  store: withFunctions("get", "put"),
  clients: clientsFault,
  scopes: (value) =>
    isObject(value) && Object.entries(value).every(isScopeOfUpstream)
      ? undefined
      : 'lists of scopes of the upstream, such as { "mcp:read": ["repo"] }',
  scopeTexts: "object",
  consentPage: "function",
  documentation: httpsUrl,
  refreshTokenMs: numberFrom(60 * minute, 400 * days),
  fetch: "function",
  unguarded: "boolean",
  onEvent: "function",
  consent: gone("Write consentPage for consent.page; a browser remembers a decision for 30 days."),
  accessTokenMs: gone("Leave it out: access tokens are valid for 30 minutes."),
  now: gone("Leave it out: the time is that of the system."),
};

function isScopeOfUpstream([scope, needed]: [string, unknown]): boolean {
  return /^[!#-[\]-~]+$/.test(scope) && Array.isArray(needed);
}

function checkProxyOptions(options: ProxyOptions): void {
  checkOptions(options, rules, "", ["issuer", "resource", "upstream", "keys"]);
  const { keys, fetch, unguarded } = options;
  if (new Set(keys).size < keys.length) throw wrongOption("keys", "expected each secret once");
  if (unguarded && !fetch)
    throw wrongOption("unguarded", "expected the option fetch beside it, which judges addresses");
}

/** The rule for an upstream, which a profile or an application made. */
function upstreamFault(value: unknown, place: string): string | OptionFault | undefined {
  if (!isObject(value) || typeof value["clientId"] !== "string" || !Array.isArray(value["scopes"]))
    return "an upstream, such as github({ clientId, secret })";
  const scopes = (list: unknown): string | undefined =>
    Array.isArray(list) && list.every((each) => typeof each === "string" && each !== "")
      ? undefined
      : "a list of texts, and none that is empty";
  const upstreamRules = {
    clientId: text,
    secret: text,
    server: (server: unknown, at: string) => valueFault(Object(server) as object, { discover: httpsUrl }, at),
    authentication: ["basic", "post"],
    scopes,
    identityScopes: scopes,
    reshape: "function",
    identify: "function",
  } satisfies Partial<Rules<Upstream>>;
  return valueFault(value, upstreamRules, place, givenSecret(value));
}

/** The rule for clients. */
function clientsFault(value: unknown, place: string): OptionFault | undefined {
  const { customSchemes = [] } = Object(value) as ClientOptions;
  const clientRules: Rules<ClientOptions> = {
    cimd: "boolean",
    dcr: (dcr) => (dcr === false || dcr === "sealed" ? undefined : '"sealed" or false'),
    customSchemes: (schemes) =>
      Array.isArray(schemes) && schemes.every(isCustomScheme)
        ? undefined
        : 'schemes of applications, such as "cursor"',
    known: (clients, at) => knownClientsFault(clients, at, customSchemes),
    allowRedirects: "function",
  };
  return optionFault(value, clientRules, place);
}

function isCustomScheme(scheme: unknown): boolean {
  return typeof scheme === "string" && /^[a-z][a-z\d+.-]*$/.test(scheme) && !unsafeSchemes.has(scheme);
}

const unsafeSchemes = new Set(["http", "https", "javascript", "data", "file", "blob", "about", "vbscript"]);

function knownClientsFault(
  clients: unknown,
  place: string,
  customSchemes: readonly string[],
): string | OptionFault | undefined {
  if (!Array.isArray(clients)) return "a list of clients";
  const rules: Rules<KnownClient> = {
    id: text,
    name: text,
    secret: text,
    method: ["client_secret_basic", "client_secret_post"],
    redirectUris: (uris, at) => {
      const wrong = texts(uris);
      if (wrong !== undefined) return wrong;
      const problem = (uris as readonly string[])
        .map((uri) => redirectProblem(uri, customSchemes))
        .find(Boolean);
      return problem === undefined ? undefined : { message: `${at.slice(0, -1)}: one ${problem}.` };
    },
  };
  for (const [index, client] of (clients as readonly unknown[]).entries()) {
    const at = `${place.slice(0, -1)}[${index}].`;
    const fault = optionFault(client, rules, at, ["id", "name", "redirectUris", ...givenSecret(client)]);
    if (fault) return fault;
  }
  return undefined;
}
