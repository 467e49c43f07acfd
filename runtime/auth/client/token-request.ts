import type { AuthorizationServer } from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import { formRequest } from "../shared/form-request.js";
import { type Guard, guardedFetch } from "../shared/guarded-fetch.js";
import { jsonObject } from "../shared/json-object.js";
import { type TokenResponse, shown, tokensIn } from "../shared/token-response.js";
import { hostOf } from "../shared/urls.js";
import type { KnownClient } from "./options.js";
import type { Proofs } from "./proofs.js";

/** A client with the way it authenticates at the token endpoint. */
export interface AuthenticatedClient extends Omit<KnownClient, "issuer"> {
  readonly method?: string | undefined;
  /** The key of its dynamic registration in the store. Empty: the user typed it in. Absent: the options name the client. */
  readonly registration?: string;
}

/** Where, and with what, tokens are asked for. */
export interface TokenEndpoint {
  readonly as: AuthorizationServer;
  readonly client: AuthenticatedClient;
  readonly guard: Guard;
  readonly proofs?: Proofs | undefined;
}

export interface Tokens {
  readonly access: string;
  readonly refresh?: string | undefined;
  /** Milliseconds since 1970. */
  readonly obtained: number;
  /** Seconds. */
  readonly expiresIn?: number | undefined;
}

/** An error that an authorization server answered; only its code is kept. */
export class TokenRefusal extends AuthError {
  readonly error: string;

  constructor(issuer: string, error: string, next = "") {
    super("auth-refused", `${hostOf(issuer)} refused: ${error}${next && `. ${next}`}`);
    this.error = error;
  }
}

/**
 * Asks for tokens, once more if a DPoP nonce is missing, and reads the answer (RFC 6749, 5.1). An id token in it is not
 * used, and so not read.
 *
 * @throws {AuthError} without what the server answered, except an error code
 */
export async function requestTokens(endpoint: TokenEndpoint, params: FormParams): Promise<Tokens> {
  const { as, proofs } = endpoint;
  for (let again = proofs !== undefined; ; again = false) {
    try {
      const response = await send(endpoint, as.token_endpoint!, params);
      proofs?.observe(response.headers);
      const body = await tokenResponse(as.issuer, response);
      if (proofs && body.type !== "dpop") throw new TokenRefusal(as.issuer, "no DPoP token");
      if (!proofs && body.type !== "bearer") throw unusable(as.issuer, "token_type");
      return body;
    } catch (error) {
      if (!again || !(error instanceof TokenRefusal) || error.error !== "use_dpop_nonce") throw error;
    }
  }
}

/** Errors that say nothing about the grant (RFC 6749, 4.1.2.1). */
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

/** Reads an answer of a token endpoint. */
export async function tokenResponse(
  issuer: string,
  response: Response,
): Promise<TokenResponse & { readonly obtained: number }> {
  const body = jsonObject(await response.text()) ?? {};
  const { error } = body;
  if (response.status !== 200) {
    if (typeof error !== "string" || response.status >= 500 || passing.has(error))
      throw new AuthError(
        "auth-unavailable",
        `${hostOf(issuer)} answered ${response.status}; try again later`,
      );
    throw new TokenRefusal(issuer, shown(error));
  }
  const tokens = tokensIn(body);
  if (typeof tokens === "string") throw unusable(issuer, tokens);
  return { ...tokens, obtained: Date.now() };
}

function unusable(issuer: string, member: string): AuthError {
  return new AuthError(
    "auth-metadata-invalid",
    `${hostOf(issuer)}: ${member} of the token response is not usable`,
  );
}

/** Parameters of a form; absent ones are left out. */
type FormParams = Readonly<Record<string, string | undefined>>;

/** Sends a form to an endpoint of the authorization server, with what authenticates the client. */
export async function send(
  { as, client: { id, key, secret, method }, guard, proofs }: TokenEndpoint,
  url: string,
  params: FormParams,
): Promise<Response> {
  const listed = as.token_endpoint_auth_methods_supported;
  const usual = !listed || listed.includes("client_secret_basic");
  const way = method ?? (usual ? "client_secret_basic" : "client_secret_post");
  const client = key
    ? { id, key: await (await import("./client-keys.js")).importKey(key) }
    : { id, ...(way !== "none" && { secret }), basic: secret !== undefined && way === "client_secret_basic" };
  const request = await formRequest(as.issuer, client, params);
  if (proofs) request.headers["dpop"] = await proofs.proof("POST", url);
  return guardedFetch(url, request, { ...guard, timeout: 30_000 });
}
