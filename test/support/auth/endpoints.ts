import { randomUUID } from "node:crypto";
import { type Answer, type Call, OAuthFault, json, required } from "./calls.js";
import { authenticatedClient } from "./client-authentication.js";
import { DPoPFault } from "./dpop-proof.js";
import { grants, resourceOf } from "./grants.js";
import { type ClientAuthentication, type RegisteredClient, jwtBearer } from "./options.js";
import type { State } from "./state.js";

type Endpoint = (state: State, call: Call) => Answer | Promise<Answer>;

/** The handlers of the endpoints. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  jwks: (state) => json(200, state.keys.jwks()),
  register,
  authorize,
  token,
  introspect: async (state, call) => {
    await clientOf(state, call);
    const entry = state.active(required(call.params, "token"));
    if (!entry) return json(200, { active: false });
    const { clientId, subject, scope, resource, issued, expires, jkt } = entry;
    return json(200, {
      active: true,
      iss: state.issuer,
      sub: subject,
      client_id: clientId,
      scope,
      iat: Math.floor(issued / 1000),
      exp: Math.floor(expires / 1000),
      token_type: jkt === undefined ? "Bearer" : "DPoP",
      ...(resource !== undefined && { aud: resource }),
      ...(jkt !== undefined && { cnf: { jkt } }),
    });
  },
  revoke: async (state, call) => {
    const { id } = await clientOf(state, call);
    const token = required(call.params, "token");
    const entry = state.accessTokens.get(token) ?? state.refreshTokens.get(token);
    if (entry?.clientId === id) state.revokeFamily(entry.family!);
    return { status: 200 };
  },
  device: async (state, call) => {
    const { id } = await clientOf(state, call);
    const code = state.secret("device");
    const userCode = randomUUID().slice(0, 8).toUpperCase();
    const interval = state.options.pollSeconds ?? 1;
    state.devices.set(code, {
      clientId: id,
      userCode,
      scope: call.params.get("scope") ?? "",
      resource: resourceOf(state, call.params),
      expires: state.now() + 600_000,
      interval,
      polled: undefined,
      subject: undefined,
      used: false,
    });
    return json(200, {
      device_code: code,
      user_code: userCode,
      verification_uri: state.url("/verify"),
      expires_in: 600,
      interval,
    });
  },
  unknown: () => ({ status: 404, body: "" }),
};

/** Finds the client of a request. Fetches the document of a URL client id (CIMD). */
function clientOf(state: State, call: Call): Promise<RegisteredClient> {
  return authenticatedClient(
    call,
    (id) => findClient(state, id),
    [state.issuer, state.url("/token")],
    state.usedIds,
    state.now,
  );
}

async function findClient(state: State, id: string): Promise<RegisteredClient | undefined> {
  const known = state.clients.get(id);
  if (known || !state.options.cimd || !URL.canParse(id)) return known;
  const { protocol, pathname } = new URL(id);
  if (protocol !== "https:" || pathname === "/") return undefined;
  const document = (await state.options.cimd(id)) as Record<string, unknown> | undefined;
  if (!document || document["client_id"] !== id || typeof document["client_name"] !== "string")
    return undefined;
  return {
    id,
    redirectUris: document["redirect_uris"] as string[],
    method: (document["token_endpoint_auth_method"] as ClientAuthentication | undefined) ?? "none",
    ...(document["jwks"] !== undefined && {
      jwks: document["jwks"] as NonNullable<RegisteredClient["jwks"]>,
    }),
  };
}

function register(state: State, { body }: Call): Answer {
  let asked: Record<string, unknown>;
  try {
    asked = JSON.parse(body) as Record<string, unknown>;
  } catch {
    throw new OAuthFault("invalid_client_metadata", "not JSON");
  }
  const redirectUris = asked["redirect_uris"];
  if (!Array.isArray(redirectUris) || !redirectUris.every((uri) => acceptedRedirect(asked, uri)))
    throw new OAuthFault("invalid_redirect_uri", "redirect_uris");
  const method = (state.options.registrationMethod ??
    asked["token_endpoint_auth_method"] ??
    "client_secret_basic") as ClientAuthentication;
  const id = `client-${randomUUID()}`;
  const secret = method.startsWith("client_secret") ? state.secret("secret") : undefined;
  state.clients.set(id, {
    id,
    method,
    redirectUris,
    grants: (asked["grant_types"] as string[] | undefined) ?? ["authorization_code"],
    ...(secret !== undefined && { secret }),
  });
  return json(201, {
    ...asked,
    client_id: id,
    client_id_issued_at: Math.floor(state.now() / 1000),
    token_endpoint_auth_method: method,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
  });
}

/** OpenID Connect Registration, 2: `web`, the default, allows https and no localhost; `native` loopback http. */
function acceptedRedirect(asked: Record<string, unknown>, uri: unknown): boolean {
  if (typeof uri !== "string" || !URL.canParse(uri) || uri.includes("#")) return false;
  const { protocol, hostname } = new URL(uri);
  const local = ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
  return asked["application_type"] === "native"
    ? local || protocol === "https:"
    : protocol === "https:" && !local;
}

async function authorize(state: State, { params }: Call): Promise<Answer> {
  const client = await findClient(state, params.get("client_id") ?? "");
  const redirectUri = params.get("redirect_uri") ?? "";
  // Never redirect to an unregistered address (RFC 6749, 4.1.2.1).
  if (!client?.redirectUris?.some((uri) => sameRedirect(uri, redirectUri)))
    return { status: 400, body: "unknown client or redirect_uri" };
  try {
    const code = await grantCode(state, params, client.id, redirectUri);
    return redirect(state, redirectUri, params, { code });
  } catch (error) {
    if (!(error instanceof OAuthFault)) throw error;
    return redirect(state, redirectUri, params, { error: error.code, error_description: error.message });
  }
}

async function grantCode(
  state: State,
  params: URLSearchParams,
  clientId: string,
  redirectUri: string,
): Promise<string> {
  if (params.get("response_type") !== "code") throw new OAuthFault("unsupported_response_type", "code only");
  const challenge = required(params, "code_challenge");
  if (params.get("code_challenge_method") !== "S256") throw new OAuthFault("invalid_request", "S256 only");
  state.secrets.add(required(params, "state"));
  const resource = resourceOf(state, params);
  const asked = params.get("scope") ?? "";
  const known = state.options.scopes;
  const unknown = asked.split(" ").find((scope) => scope !== "" && known && !known.includes(scope));
  if (unknown !== undefined) throw new OAuthFault("invalid_scope", unknown);
  const decided = state.options.decide?.(params) ?? { subject: "user-1" };
  if ("error" in decided) throw new OAuthFault(decided.error, "decided by the user");
  const code = state.secret("code");
  state.codes.set(code, {
    clientId,
    subject: decided.subject,
    scope: decided.scope ?? asked,
    resource,
    family: randomUUID(),
    redirectUri,
    challenge,
    expires: state.now() + 60_000,
    used: false,
  });
  return code;
}

/** Exact, except for the port of a loopback address (RFC 8252, 7.3). */
function sameRedirect(registered: string, given: string): boolean {
  if (registered === given) return true;
  if (!URL.canParse(given) || !URL.canParse(registered)) return false;
  const [one, other] = [new URL(registered), new URL(given)];
  if (!["127.0.0.1", "[::1]", "localhost"].includes(one.hostname) || one.protocol !== "http:") return false;
  one.port = other.port;
  return one.href === other.href && given === other.href;
}

function redirect(
  state: State,
  to: string,
  asked: URLSearchParams,
  values: Readonly<Record<string, string>>,
): Answer {
  const url = new URL(to);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  const given = asked.get("state");
  if (given !== null) url.searchParams.set("state", given);
  if (state.options.iss !== "omitted") url.searchParams.set("iss", state.issuer);
  return { status: 302, headers: { location: url.href, "cache-control": "no-store" } };
}

async function token(state: State, call: Call): Promise<Answer> {
  if (!call.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded"))
    throw new OAuthFault("invalid_request", "the body is no form");
  const type = required(call.params, "grant_type");
  const grant = grants[type];
  if (!grant) throw new OAuthFault("unsupported_grant_type", type);
  // A workload needs no client, because its assertion identifies it.
  const presented = call.headers.has("authorization") || call.params.has("client_id");
  const anonymous = type === jwtBearer && !presented && !call.params.has("client_assertion");
  const client = anonymous ? undefined : await clientOf(state, call);
  if (client?.grants && !client.grants.includes(type)) throw new OAuthFault("unauthorized_client", type);
  const jkt = await boundKey(state, call);
  return json(200, await grant(state, { call, params: call.params, client, jkt }));
}

async function boundKey(state: State, { headers, method }: Call): Promise<string | undefined> {
  const { dpop = "off" } = state.options;
  if (dpop === "off" || (dpop === "offered" && !headers.has("dpop"))) return undefined;
  try {
    return await state.proofs.verify(headers, method, state.url("/token"));
  } catch (error) {
    if (!(error instanceof DPoPFault)) throw error;
    const { nonce } = error;
    if (nonce === undefined) throw new OAuthFault("invalid_dpop_proof", error.message);
    throw new OAuthFault("use_dpop_nonce", "a nonce is needed", 400, { "dpop-nonce": nonce });
  }
}
