import type { Fetch } from "../shared/pinned-fetch.js";
import type { TokenStore } from "./store.js";

/** Facts about a request for authorization. All may be shown to the user. */
export interface AuthorizationFacts {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The value of `state` that the redirect must return. */
  readonly state: string;
}

/** Receives the redirect of one authorization. */
export interface RedirectReceiver {
  /** The registered redirect URI. */
  readonly uri: string;
  /** Opens the URL for the user. Resolves with the URL to which the authorization server redirects. */
  receive(url: string, facts: AuthorizationFacts, signal: AbortSignal): Promise<string>;
  close?(): void | Promise<void>;
}

/** The code of a login on another device (RFC 8628); all of it may be shown to the user. */
export interface DevicePrompt extends Omit<AuthorizationFacts, "state"> {
  readonly userCode: string;
  /** Address at which the user enters the code. */
  readonly verificationUri: string;
  /** The same address, including the code. */
  readonly verificationUriComplete?: string;
  /** Seconds until the code expires. */
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

/** A client that an authorization server knows. */
export interface KnownClient {
  readonly id: string;
  readonly secret?: string;
  /** For `private_key_jwt`. */
  readonly key?: ClientKey;
  /** The issuer of the id. Required with a secret or a key. Default: the first issuer that a public id is used with. */
  readonly issuer?: string;
}

/** The client of `oauth()`: pre-registered, described at a URL, or to be registered with these values. */
export interface OAuthClient extends Partial<KnownClient> {
  /** The client id metadata document of the application: an `https:` URL with a path. */
  readonly metadataUrl?: string;
  /** For registration. Default: `MCP client`. */
  readonly name?: string;
  /** For registration. Default: `native` for a redirect to this machine, otherwise `web`. */
  readonly applicationType?: "native" | "web";
}

/** Deviations of one authorization server from the specification. */
export interface IssuerException {
  /** `assumed`: use PKCE although the metadata does not list it. */
  readonly pkce?: "assumed";
  /** `omit`: leave out the parameter `resource`. */
  readonly resource?: "omit";
  /**
   * Another name of this authorization server, which its metadata or responses contain instead of the issuer. It must match
   * exactly. Grants, registrations and credentials still belong to the issuer.
   */
  readonly issuer?: string;
}

/** An event of authorization. It contains no secret. */
export type AuthEvent =
  | {
      readonly type: "discovered";
      readonly issuer: string;
      readonly resource: string;
      /** The scopes of the challenge, or else of the resource's metadata. */
      readonly scopes: readonly string[] | undefined;
    }
  | { readonly type: "registered"; readonly issuer: string }
  | { readonly type: "opened"; readonly issuer: string; readonly scopes: readonly string[] }
  | { readonly type: "token" | "refreshed"; readonly issuer: string; readonly expiresIn?: number }
  /** The store failed to store refreshed tokens: only this process has them. */
  | { readonly type: "not-stored"; readonly issuer: string }
  | { readonly type: "refused"; readonly status: number; readonly scopes?: readonly string[] };

/** Common options of all flows. */
export interface FlowOptions {
  /** The store for tokens. Default: memory. */
  readonly store?: TokenStore;
  /** Chooses the authorization server if the resource names several. Default: the option `issuer`, or else the first. */
  readonly chooseIssuer?: (issuers: readonly string[]) => string;
  /** Exceptions, by the issuer as the resource names it. */
  readonly issuers?: Readonly<Record<string, IssuerException>>;
  /** DPoP (RFC 9449). Default: `when-offered` by both the resource and the authorization server. */
  readonly dpop?: "never" | "when-offered" | "required";
  /** Sends the requests for authorization, not those to the MCP server. It must not follow redirects. */
  readonly fetch?: Fetch;
  /** Allows addresses of private networks for authorization servers, with or without `fetch`. Default: false. */
  readonly privateNetwork?: boolean;
  readonly onEvent?: (event: AuthEvent) => void;
}

export type ScopePolicy =
  | { readonly policy: "challenge" }
  /** Scopes to request in addition to those of the challenge. */
  | { readonly always: readonly string[] }
  /** @param offered the scopes of the challenge, or else of the resource's metadata */
  | ((offered: readonly string[] | undefined) => readonly string[]);

/** Options of `oauth()`. */
export interface OAuthOptions extends FlowOptions {
  readonly client?: OAuthClient;
  /** Receives redirects. Without it, a login fails with `auth-needs-user`. */
  readonly redirect?: Redirect;
  /**
   * Shows the code of a login on another device. If the authorization server offers such logins, they replace the redirect.
   */
  readonly device?: (prompt: DevicePrompt, signal: AbortSignal) => unknown;
  /** Default: the scopes of the challenge, or else of the resource's metadata. */
  readonly scopes?: ScopePolicy;
  /** Asks the user for a client id, if there is no other way to get one. */
  readonly askClient?: (issuer: string, signal: AbortSignal) => Promise<Omit<KnownClient, "issuer">>;
  /** The issuer to use if the server names several, or has no metadata. Default: `client.issuer`. */
  readonly issuer?: string;
  /** Allows servers of this revision to lack metadata: the server's origin is then the authorization server. */
  readonly legacy?: "2025-03-26";
}

/** A client with the issuer of its credentials. Only this issuer receives them. */
export interface IssuedClient extends KnownClient {
  readonly issuer: string;
}

/** Options of `clientCredentials()`. */
export interface ClientCredentialsOptions extends FlowOptions, IssuedClient {
  /** Default: the scopes of the challenge, or else of the resource's metadata. */
  readonly scopes?: readonly string[];
}

/** Options of `workloadIdentity()`. */
export interface WorkloadIdentityOptions extends FlowOptions {
  /** Returns the platform's JWT; called for each token request. */
  readonly assertion: () => string | Promise<string>;
  readonly clientId?: string;
  /** The issuer that receives the assertions. No other issuer does. */
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
  /** The client at the identity provider, which is its issuer. */
  readonly idpClient: KnownClient;
  readonly scopes?: readonly string[];
}
