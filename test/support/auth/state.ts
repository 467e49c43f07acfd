import { randomBytes, randomUUID } from "node:crypto";
import { DPoPProofs } from "./dpop-proof.js";
import type { AuthorizationServerOptions, RegisteredClient } from "./options.js";
import { SecretSet, minted } from "./secrets.js";
import type { SigningKeys } from "./signing-keys.js";

/** The subject, client, scopes and resource of issued tokens. */
export interface Issued {
  readonly clientId: string;
  readonly subject: string;
  readonly scope: string;
  readonly resource: string | undefined;
  readonly jkt?: string | undefined;
  /** Identifies the tokens of one authorization, which are revoked together. */
  readonly family?: string;
  readonly refreshable?: boolean;
}

interface Code extends Issued {
  readonly family: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expires: number;
  used: boolean;
}

interface AccessToken extends Issued {
  readonly issued: number;
  expires: number;
}

interface RefreshToken extends Issued {
  readonly family: string;
  used: boolean;
}

interface Device extends Omit<Issued, "subject"> {
  readonly userCode: string;
  readonly expires: number;
  interval: number;
  polled: number | undefined;
  /** Empty if the user refused. */
  subject: string | undefined;
  used: boolean;
}

/** The state of an authorization server. */
export class State {
  readonly clients = new Map<string, RegisteredClient>();
  readonly codes = new Map<string, Code>();
  readonly accessTokens = new Map<string, AccessToken>();
  readonly refreshTokens = new Map<string, RefreshToken>();
  readonly devices = new Map<string, Device>();
  readonly revoked = new Set<string>();
  /** Ids of used assertions. */
  readonly usedIds = new Set<string>();
  /** All issued and received secrets. Output must not contain any of them. */
  readonly secrets: Set<string> = new SecretSet();
  readonly proofs: DPoPProofs;
  readonly now: () => number;
  /** Number of reused refresh tokens. */
  reuses = 0;

  readonly issuer: string;
  readonly options: AuthorizationServerOptions;
  readonly keys: SigningKeys;

  constructor(issuer: string, options: AuthorizationServerOptions, keys: SigningKeys) {
    this.issuer = issuer;
    this.options = options;
    this.keys = keys;
    this.now = options.now ?? Date.now;
    this.proofs = new DPoPProofs(options.nonces ?? false, this.now);
    for (const client of options.clients ?? []) {
      this.clients.set(client.id, client);
      if (client.secret !== undefined) this.secrets.add(client.secret);
    }
  }

  /** The URL of an endpoint. */
  url(path: string): string {
    return this.issuer + path;
  }

  secret(kind: string): string {
    const value = `${kind}-${randomBytes(24).toString("base64url")}`;
    this.secrets.add(value);
    return value;
  }

  /** Issues an access token and, where allowed, a refresh token (RFC 6749, 5.1). */
  async tokens(issued: Issued): Promise<object> {
    const family = issued.family ?? randomUUID();
    const expiresIn = this.options.expiresIn ?? 3600;
    const token = await this.accessToken({ ...issued, family }, expiresIn);
    const refresh = issued.refreshable === true && this.options.refresh !== "none";
    return {
      access_token: token,
      token_type: issued.jkt === undefined ? "Bearer" : "DPoP",
      expires_in: expiresIn,
      ...(issued.scope !== "" && { scope: issued.scope }),
      ...(refresh && { refresh_token: this.refreshToken({ ...issued, family }) }),
    };
  }

  async accessToken(issued: Issued, expiresIn: number): Promise<string> {
    const now = Math.floor(this.now() / 1000);
    const token =
      this.options.tokens === "opaque"
        ? this.secret("access")
        : await this.sign(claimsOf(this.issuer, issued, now, expiresIn), "at+jwt");
    this.secrets.add(token);
    const expires = this.now() + expiresIn * 1000;
    this.accessTokens.set(token, { ...issued, issued: this.now(), expires });
    return token;
  }

  /** Issues the identity assertion of a user for another authorization server (ID-JAG). */
  async idJag(subject: string, clientId: string, params: URLSearchParams): Promise<string> {
    const iat = Math.floor(this.now() / 1000);
    const jag = await this.sign(
      {
        iss: this.issuer,
        sub: subject,
        aud: params.get("audience") ?? undefined,
        client_id: clientId,
        resource: params.get("resource") ?? undefined,
        scope: params.get("scope") ?? undefined,
        jti: randomUUID(),
        iat,
        exp: iat + 300,
      },
      "oauth-id-jag+jwt",
    );
    this.secrets.add(jag);
    return jag;
  }

  async sign(claims: Record<string, unknown>, typ: string): Promise<string> {
    return minted(await this.keys.sign(claims, { alg: this.options.algorithm ?? "ES256", typ }));
  }

  /** Returns the data of an access token while it is valid. */
  active(token: string): AccessToken | undefined {
    const entry = this.accessTokens.get(token);
    if (!entry || entry.expires <= this.now() || this.revoked.has(entry.family ?? "")) return undefined;
    return entry;
  }

  revokeFamily(family: string): void {
    this.revoked.add(family);
  }

  private refreshToken(issued: Issued & { readonly family: string }): string {
    const token = this.secret("refresh");
    this.refreshTokens.set(token, { ...issued, used: false });
    return token;
  }
}

function claimsOf(issuer: string, issued: Issued, now: number, expiresIn: number): Record<string, unknown> {
  const { subject, clientId, resource, scope, jkt } = issued;
  return {
    iss: issuer,
    sub: subject,
    client_id: clientId,
    iat: now,
    exp: now + expiresIn,
    jti: randomUUID(),
    ...(resource !== undefined && { aud: resource }),
    ...(scope !== "" && { scope }),
    ...(jkt !== undefined && { cnf: { jkt } }),
  };
}
