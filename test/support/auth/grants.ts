import { createHash } from "node:crypto";
import { type JWTPayload, createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { type Call, OAuthFault, required } from "./calls.js";
import type { Issued, State } from "./state.js";
import { type RegisteredClient, deviceCode, jwtBearer, tokenExchange } from "./options.js";

/** A token request, as input of a grant. */
export interface TokenRequest {
  readonly call: Call;
  readonly params: URLSearchParams;
  /** Absent only if a workload authenticates by its assertion. */
  readonly client: RegisteredClient | undefined;
  readonly jkt: string | undefined;
}

type Grant = (state: State, request: TokenRequest) => Promise<object>;

/** The handlers of the grant types. */
export const grants: Readonly<Record<string, Grant>> = {
  authorization_code: async (state, { params, client, jkt }) => {
    const code = required(params, "code");
    const entry = state.codes.get(code);
    if (!entry) throw invalidGrant("the code is unknown");
    if (entry.used) {
      state.revokeFamily(entry.family);
      throw invalidGrant("the code was used before");
    }
    entry.used = true;
    if (entry.clientId !== client!.id) throw invalidGrant("the code was issued to another client");
    if (entry.expires < state.now()) throw invalidGrant("the code has expired");
    if (entry.redirectUri !== required(params, "redirect_uri")) throw invalidGrant("redirect_uri differs");
    const verifier = required(params, "code_verifier");
    if (!/^[\w.~-]{43,128}$/.test(verifier)) throw invalidGrant("code_verifier is malformed");
    if (state.options.pkce !== false && digest(verifier) !== entry.challenge)
      throw invalidGrant("code_verifier does not fit");
    state.secrets.add(verifier);
    const resource = resourceOf(state, params);
    if (resource !== entry.resource) throw new OAuthFault("invalid_target", "resource differs");
    return state.tokens({ ...entry, jkt, refreshable: true });
  },
  refresh_token: async (state, { params, client, jkt }) => {
    const token = required(params, "refresh_token");
    const entry = state.refreshTokens.get(token);
    if (!entry || entry.clientId !== client!.id) throw invalidGrant("the refresh token is unknown");
    if (state.revoked.has(entry.family)) throw invalidGrant("the refresh token is revoked");
    if (entry.used) {
      state.reuses++;
      state.revokeFamily(entry.family);
      throw invalidGrant("the refresh token was used before");
    }
    // Refresh tokens of public clients are bound to the key (RFC 9449, 5).
    if (entry.jkt !== undefined && entry.jkt !== jkt) throw invalidGrant("another DPoP key");
    const resource = resourceOf(state, params) ?? entry.resource;
    if (resource !== entry.resource) throw new OAuthFault("invalid_target", "resource differs");
    const scope = params.get("scope") ?? entry.scope;
    if (scope.split(" ").some((each) => !entry.scope.split(" ").includes(each)))
      throw new OAuthFault("invalid_scope", "more than was granted");
    if (state.options.refresh !== "keep") entry.used = true;
    return state.tokens({ ...entry, scope, jkt, refreshable: state.options.refresh !== "keep" });
  },
  client_credentials: async (state, { params, client, jkt }) => {
    if ((client!.method ?? client!.secret) === undefined || client!.method === "none")
      throw new OAuthFault("unauthorized_client", "a public client has no credentials");
    return state.tokens({
      clientId: client!.id,
      subject: client!.id,
      scope: params.get("scope") ?? "",
      resource: resourceOf(state, params),
      jkt,
    });
  },
  [jwtBearer]: async (state, request) => state.tokens(await fromAssertion(state, request)),
  [tokenExchange]: exchange,
  [deviceCode]: async (state, { params, client, jkt }) => {
    const entry = state.devices.get(required(params, "device_code"));
    if (!entry || entry.clientId !== client!.id || entry.used)
      throw invalidGrant("the device code is unknown");
    const early = entry.polled !== undefined && state.now() - entry.polled < entry.interval * 1000 - 50;
    entry.polled = state.now();
    if (early) {
      entry.interval += 5;
      throw new OAuthFault("slow_down", "polled too early");
    }
    if (entry.expires < state.now()) throw new OAuthFault("expired_token", "the device code has expired");
    if (entry.subject === undefined)
      throw new OAuthFault("authorization_pending", "the user has not decided");
    if (entry.subject === "") throw new OAuthFault("access_denied", "the user refused");
    entry.used = true;
    return state.tokens({ ...entry, subject: entry.subject, jkt, refreshable: true });
  },
};

async function fromAssertion(state: State, { params, client, jkt }: TokenRequest): Promise<Issued> {
  const assertion = required(params, "assertion");
  let issuer: string | undefined;
  try {
    issuer = decodeJwt(assertion).iss;
  } catch {
    throw invalidGrant("the assertion is malformed");
  }
  const trusted = state.options.trusted?.find((each) => each.issuer === issuer);
  if (!trusted) throw invalidGrant("the issuer of the assertion is not trusted");
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(trusted.jwks()), {
    audience: [state.issuer, state.url("/token")],
    requiredClaims: ["sub", "exp"],
    currentDate: new Date(state.now()),
    ...(trusted.kind === "id-jag" && { typ: "oauth-id-jag+jwt" }),
  }).catch((error: unknown) => {
    throw invalidGrant(String(error));
  });
  if (trusted.kind === "id-jag") checkIdJag(state, payload, client);
  return {
    clientId: client?.id ?? payload.sub!,
    subject: payload.sub!,
    scope: params.get("scope") ?? String(payload["scope"] ?? ""),
    resource: trusted.kind === "id-jag" ? (payload["resource"] as string) : resourceOf(state, params),
    jkt,
  };
}

function checkIdJag(state: State, payload: JWTPayload, client: RegisteredClient | undefined): void {
  if (!client || client.method === "none") throw new OAuthFault("invalid_client", "an ID-JAG needs a client");
  if (payload["client_id"] !== client.id) throw invalidGrant("the ID-JAG is for another client");
  if (typeof payload.jti !== "string" || state.usedIds.has(payload.jti)) throw invalidGrant("jti was used");
  state.usedIds.add(payload.jti);
  if (typeof payload["resource"] !== "string") throw invalidGrant("the ID-JAG names no resource");
}

const tokenType = "urn:ietf:params:oauth:token-type:";

async function exchange(state: State, { params, client, jkt }: TokenRequest): Promise<object> {
  const subjectToken = required(params, "subject_token");
  const given = required(params, "subject_token_type");
  if (params.get("requested_token_type") === `${tokenType}id-jag`) {
    if (given !== `${tokenType}id_token`) throw new OAuthFault("invalid_request", "expected an id_token");
    const { payload } = await jwtVerify(subjectToken, createLocalJWKSet(state.keys.jwks()), {
      issuer: state.issuer,
      currentDate: new Date(state.now()),
    }).catch((error: unknown) => {
      throw invalidGrant(String(error));
    });
    const jag = await state.idJag(payload.sub!, client!.id, params);
    return { issued_token_type: `${tokenType}id-jag`, access_token: jag, token_type: "N_A", expires_in: 300 };
  }
  if (given !== `${tokenType}access_token`) throw new OAuthFault("invalid_request", "subject_token_type");
  const entry = state.active(subjectToken);
  if (!entry) throw invalidGrant("the subject token is not active");
  const resource = resourceOf(state, params) ?? required(params, "audience");
  const issued = { ...entry, clientId: client!.id, resource, scope: params.get("scope") ?? entry.scope, jkt };
  return { ...(await state.tokens(issued)), issued_token_type: `${tokenType}access_token` };
}

/** Returns the parameter `resource` (RFC 8707), checked by the options. */
export function resourceOf(state: State, params: URLSearchParams): string | undefined {
  const all = params.getAll("resource");
  if (all.length === 0 && state.options.resourceRequired === false) return undefined;
  const [resource] = all;
  const known = state.options.resources;
  const valid = resource !== undefined && URL.canParse(resource) && !resource.includes("#");
  if (all.length !== 1 || !valid || (known && !known.includes(resource)))
    throw new OAuthFault("invalid_target", `resource: ${all.join(", ")}`);
  return resource;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

const invalidGrant = (text: string): OAuthFault => new OAuthFault("invalid_grant", text);
