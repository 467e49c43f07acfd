import * as oauth from "oauth4webapi";
import { type Members, malformedMember, withoutNulls } from "@mcpgen/runtime/extending";
import { AuthError } from "../shared/errors.js";
import { type Guard, guardedFetch, isPassing, passingError } from "../shared/guarded-fetch.js";
import { jsonObject } from "../shared/json-object.js";
import { hostOf } from "../shared/urls.js";
import { importKey } from "./client-keys.js";
import { type Destination, type Provenance, checkDestination } from "./destination.js";
import { ownMetadata } from "./issuer-names.js";
import type { KnownClient } from "./options.js";
import type { Proofs } from "./proofs.js";

/** A client with the way it authenticates at the token endpoint, and the issuer that its secret is for. */
export interface AuthenticatedClient extends Omit<KnownClient, "issuer">, Provenance {
  readonly method?: string | undefined;
  /** The key of its dynamic registration in the store. Empty: the user typed it in. Absent: the options name the client. */
  readonly registration?: string;
}

/** Where, and with what, tokens are asked for. */
export interface TokenEndpoint extends Destination {
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
  readonly scope?: string | undefined;
}

/** An error that an authorization server answered; only its code is kept. */
export class TokenRefusal extends AuthError {
  readonly error: string;

  constructor(issuer: string, error: string, next = "") {
    super("auth-refused", `${hostOf(issuer)} refused: ${error}${next && `. ${next}`}`);
    this.error = error;
  }
}

type Send = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;

/**
 * Sends a request of the token endpoint, once more if it asks for a DPoP nonce, and reads the answer (RFC 6749, 5.1). An
 * id token in it is not used, and so not read.
 *
 * @throws {AuthError} without what the server answered, except an error code
 */
export async function requestTokens(endpoint: TokenEndpoint, send: Send): Promise<Tokens> {
  const { as, proofs } = endpoint;
  const options: oauth.TokenEndpointRequestOptions = {
    ...transport(endpoint.guard),
    ...(proofs && { DPoP: proofs.handle }),
  };
  for (let again = proofs !== undefined; ; again = false) {
    try {
      const body = await tokenResponse(as.issuer, await send(options));
      if (proofs && body.type !== "dpop") throw new TokenRefusal(as.issuer, "no DPoP token");
      if (!proofs && body.type !== "bearer") throw unusable(as.issuer, "token_type");
      return body;
    } catch (error) {
      if (again && error instanceof TokenRefusal && error.error === "use_dpop_nonce") continue;
      throw refusal(as.issuer, error);
    }
  }
}

/** Seconds of a life at most: the end of a longer one may be no date. */
const longestLife = 1e9;

/** Errors that say nothing about the grant (RFC 6749, 4.1.2.1). */
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

/** The members of a token response (RFC 6749, 5.1; RFC 8693, 2.2.1). A malformed scope would pass for the one that was asked for. */
const members: Members = {
  ...{ access_token: "text", token_type: "text", refresh_token: "text" },
  ...{ scope: "string", expires_in: "seconds", issued_token_type: "text" },
};

/**
 * The members of a successful answer of an authorization server, without those that are null.
 *
 * @throws {AuthError} `auth-unavailable`: the answer decides nothing. `TokenRefusal`: it is an error
 */
async function successOf(issuer: string, response: Response): Promise<Readonly<Record<string, unknown>>> {
  const { status } = response;
  const body = withoutNulls(jsonObject(await response.text()) ?? {});
  if (status === 200) return body;
  const { error } = body;
  if (typeof error !== "string" || isPassing(status) || passing.has(error))
    throw passingError(issuer, status);
  throw new TokenRefusal(issuer, shown(error));
}

/**
 * The members of a successful answer, each as a table says.
 *
 * @param required names of the table that the answer must have
 * @throws {AuthError} as `successOf`; `auth-metadata-invalid`: a member is malformed or missing
 */
export async function judgedAnswer(
  issuer: string,
  response: Response,
  table: Members,
  required: readonly string[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const body = await successOf(issuer, response);
  const problem = malformedMember(body, table, required);
  if (problem !== undefined) throw unusable(issuer, problem);
  return body;
}

/** Reads an answer of a token endpoint. */
export async function tokenResponse(
  issuer: string,
  response: Response,
): Promise<Tokens & { readonly type: string; readonly issued: unknown }> {
  const body = await judgedAnswer(issuer, response, members);
  const { access_token: access = "", token_type: type, refresh_token: refresh, scope } = body as TokenBody;
  if (!/^[\x21-\x7e]+$/.test(access)) throw unusable(issuer, "access_token");
  if (type === undefined) throw unusable(issuer, "token_type");
  const { expires_in: seconds } = body;
  return {
    access,
    type: type.toLowerCase(),
    issued: body["issued_token_type"],
    refresh,
    obtained: Date.now(),
    expiresIn: seconds === undefined ? undefined : Math.min(Number(seconds), longestLife),
    scope,
  };
}

/** Members of a token response that were judged. */
interface TokenBody {
  readonly access_token?: string;
  readonly token_type?: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** @param member with what it must be */
function unusable(issuer: string, member: string): AuthError {
  const [name, expected = ""] = member.split(/(?=:)/);
  return new AuthError(
    "auth-metadata-invalid",
    `${hostOf(issuer)}: ${name} of its answer is not usable${expected}`,
  );
}

/** How the library sends: bounded, without redirects, to endpoints that discovery has checked. */
export function transport(guard: Guard): oauth.HttpRequestOptions<"POST", URLSearchParams> {
  return {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) =>
      guardedFetch(url, init as RequestInit, { ...guard, timeout: 30_000 }),
    ...(guard.signal && { signal: guard.signal }),
  };
}

/** Errors of the library hold what they are about, secrets included: none leaves here as it is, nor as a cause. */
export function refusal(issuer: string, error: unknown): unknown {
  if (error instanceof AuthError || !(error instanceof Error)) return error;
  if (error.name === "AbortError" || error.name === "TimeoutError") return error;
  return new AuthError(
    "auth-metadata-invalid",
    `${hostOf(issuer)}: no token can be asked for with its metadata`,
  );
}

/** An error code of OAuth, if it is one (RFC 6749, 5.2). */
export const shown = (code: unknown): string =>
  typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "an unknown error";

/**
 * How a client authenticates (RFC 6749, 2.3).
 *
 * @param to the endpoint that gets the secret
 * @throws {AuthError} the secret of the client does not belong there
 */
export async function authentication(
  { client, ...destination }: Pick<TokenEndpoint, "as" | "isNamed" | "client">,
  to: Parameters<typeof checkDestination>[2] = "token_endpoint",
): Promise<oauth.ClientAuth> {
  const { id, key, secret, method } = client;
  const { as } = destination;
  checkDestination(client, destination, to, "the client");
  if (key) {
    const proof = oauth.PrivateKeyJwt(await importKey(key));
    return (_as, ...rest) => proof(ownMetadata(as), ...rest);
  }
  const listed = as.token_endpoint_auth_methods_supported;
  const basic = !listed || listed.includes("client_secret_basic");
  const way =
    secret === undefined ? "none" : (method ?? (basic ? "client_secret_basic" : "client_secret_post"));
  return (_as, _client, body, headers) => {
    // Encoded as a form, no more than that: some servers do not decode (RFC 6749, 2.3.1).
    if (way === "client_secret_basic")
      return headers.set("authorization", `Basic ${btoa(`${formText(id)}:${formText(secret!)}`)}`);
    body.set("client_id", id);
    if (way === "client_secret_post") body.set("client_secret", secret!);
  };
}

const formText = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);
