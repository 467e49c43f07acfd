import type { Fetch } from "../shared/pinned-fetch.js";
import type { TokenStore } from "./store.js";

/** What an application knows of a request for authorization; all of it may be shown to the user. */
export interface AuthorizationFacts {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The value that the redirect must bring back. */
  readonly state: string;
}

/** Receives the redirect of one authorization. */
export interface RedirectReceiver {
  /** The redirect URI, as it is registered. */
  readonly uri: string;
  /** Brings the user to the URL, and resolves with the URL that the authorization server redirects to. */
  receive(url: string, facts: AuthorizationFacts, signal: AbortSignal): Promise<string>;
  close?(): void | Promise<void>;
}

/** The code of a login on another device (RFC 8628); all of it may be shown to the user. */
export interface DevicePrompt extends Omit<AuthorizationFacts, "state"> {
  readonly userCode: string;
  /** Where the user enters the code. */
  readonly verificationUri: string;
  /** The same address with the code in it. */
  readonly verificationUriComplete?: string;
  /** Seconds until the code ends. */
  readonly expiresIn: number;
}

/** A receiver, or a function that prepares one for each authorization. */
export type Redirect =
  RedirectReceiver | ((server: string, signal: AbortSignal) => RedirectReceiver | Promise<RedirectReceiver>);

/** A private key that authenticates a client: a JWK, or PKCS #8 in PEM. */
export interface ClientKey {
  readonly pem?: string;
  readonly jwk?: Readonly<Record<string, unknown>>;
  /** Default: `ES256`. */
  readonly alg?: string;
  readonly kid?: string;
}

/** A client as an authorization server knows it. */
export interface KnownClient {
  readonly id: string;
  readonly secret?: string;
  /** For `private_key_jwt`. */
  readonly key?: ClientKey;
  /** The issuer that gave the id. Needed with a secret or a key. Default: the first issuer that a public id is used with. */
  readonly issuer?: string;
}

/** The client of `oauth()`: known before, described at a URL, or registered with these values. */
export interface OAuthClient extends Partial<KnownClient> {
  /** The client id metadata document of the application: an `https:` URL with a path. */
  readonly metadataUrl?: string;
  /** For registration. Default: `MCP client`. */
  readonly name?: string;
  /** For registration. Default: `native` for a redirect to this machine, else `web`. */
  readonly applicationType?: "native" | "web";
}

/** What one authorization server does otherwise than the specification. */
export interface IssuerException {
  /** `assumed`: PKCE is used although the metadata does not list it. */
  readonly pkce?: "assumed";
  /** `omit`: requests hold no parameter `resource`. */
  readonly resource?: "omit";
  /**
   * Another name of this authorization server, which its metadata or its responses have in place of the issuer. It holds as this
   * text alone; grants, registrations and credentials stay those of the issuer.
   */
  readonly issuer?: string;
}

/** What happened; it holds no secret. */
export type AuthEvent =
  | {
      readonly type: "discovered";
      readonly issuer: string;
      readonly resource: string;
      /** Those of the challenge, else those of the resource's metadata. */
      readonly scopes: readonly string[] | undefined;
    }
  | { readonly type: "registered"; readonly issuer: string }
  | { readonly type: "opened"; readonly issuer: string; readonly scopes: readonly string[] }
  | { readonly type: "token" | "refreshed"; readonly issuer: string; readonly expiresIn?: number }
  /** The store did not take refreshed tokens: this process alone has them. */
  | { readonly type: "not-stored"; readonly issuer: string }
  | { readonly type: "refused"; readonly status: number; readonly scopes?: readonly string[] };

/** Options that all flows have. */
export interface FlowOptions {
  /** Where tokens are kept. Default: memory. */
  readonly store?: TokenStore;
  /** The authorization server to use if the resource names several. Default: the one of the option `issuer`, else the first. */
  readonly chooseIssuer?: (issuers: readonly string[]) => string;
  /** Exceptions by issuer, each named as the resource names it. */
  readonly issuers?: Readonly<Record<string, IssuerException>>;
  /** DPoP (RFC 9449). Default: `when-offered`, by the resource and by the authorization server. */
  readonly dpop?: "never" | "when-offered" | "required";
  /** Sends requests of authorization; not those to the MCP server. It must not follow redirects. */
  readonly fetch?: Fetch;
  /** Lets authorization servers have addresses of private networks; in effect without `fetch`. Default: false. */
  readonly privateNetwork?: boolean;
  readonly onEvent?: (event: AuthEvent) => void;
}

/** The names of the options that all flows have. */
export const flowOptions = [
  "store",
  "chooseIssuer",
  "issuers",
  "dpop",
  "fetch",
  "privateNetwork",
  "onEvent",
] as const;

export type ScopePolicy =
  | { readonly policy: "challenge" }
  /** Asked for besides those of the challenge. */
  | { readonly always: readonly string[] }
  /** @param offered the scopes of the challenge, or of the resource's metadata */
  | ((offered: readonly string[] | undefined) => readonly string[]);

/** Options of `oauth()`. */
export interface OAuthOptions extends FlowOptions {
  readonly client?: OAuthClient;
  /** Without it, a login fails with `auth-needs-user`. */
  readonly redirect?: Redirect;
  /**
   * Shows the code of a login on another device. Where the authorization server offers such logins, they replace the
   * redirect.
   */
  readonly device?: (prompt: DevicePrompt, signal: AbortSignal) => unknown;
  /** Default: the scopes of the challenge, else those of the resource's metadata. */
  readonly scopes?: ScopePolicy;
  /** Asks the user for a client id, if there is no other way to get one. */
  readonly askClient?: (issuer: string, signal: AbortSignal) => Promise<Omit<KnownClient, "issuer">>;
  /** The issuer to use if the server names several, or has no metadata. Default: `client.issuer`. */
  readonly issuer?: string;
  /** Lets servers of this revision be without metadata: the origin of the server is then the authorization server. */
  readonly legacy?: "2025-03-26";
}

/** A client with the issuer that gave its credentials; no other gets them. */
export interface IssuedClient extends KnownClient {
  readonly issuer: string;
}

/** Options of `clientCredentials()`. */
export interface ClientCredentialsOptions extends FlowOptions, IssuedClient {
  /** Default: the scopes of the challenge, else those of the resource's metadata. */
  readonly scopes?: readonly string[];
}

/** Options of `workloadIdentity()`. */
export interface WorkloadIdentityOptions extends FlowOptions {
  /** Returns the platform's JWT; called for each request of a token. */
  readonly assertion: () => string | Promise<string>;
  readonly clientId?: string;
  /** The issuer that gets the assertions; no other does. */
  readonly issuer: string;
  readonly scopes?: readonly string[];
}

/** Options of `enterprise()`. */
export interface EnterpriseOptions extends FlowOptions {
  /** The issuer of the identity provider, or its token endpoint. */
  readonly idp: string | { readonly tokenEndpoint: string };
  /** Returns the id token of the user at the identity provider. */
  readonly idToken: () => string | Promise<string>;
  /** The client at the authorization server of the MCP server. */
  readonly client: IssuedClient;
  /** The client at the identity provider; its issuer is that provider. */
  readonly idpClient: KnownClient;
  readonly scopes?: readonly string[];
}
