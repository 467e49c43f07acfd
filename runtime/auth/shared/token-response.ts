import { malformedMember, type Members, withoutNulls } from "@mcpgen/base";
import { AuthError } from "./errors.js";
import { isPassing, passingError } from "./guarded-fetch.js";
import { jsonObject } from "./json-object.js";
import { hostOf } from "./urls.js";

// What authorization servers answer to requests for tokens, and for the codes of devices.

type Body = Readonly<Record<string, unknown>>;

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

/** Errors that say nothing about the grant (RFC 6749, 4.1.2.1). */
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

/**
 * The members of a successful answer, without those that are null.
 *
 * An error has status 400 (RFC 6749, 5.2); GitHub and Slack answer it with 200. Where a token stands beside it, it is a member
 * that RFC 6749 does not know, and is ignored (5.1).
 *
 * @param given the members of the answer; none if it is not a JSON object
 * @param token the member that each success has
 * @throws {AuthError} `auth-unavailable`: the answer decides nothing. `TokenRefusal`: it is an error
 */
export function successOf(issuer: string, status: number, given: Body, token = "access_token"): Body {
  const body = withoutNulls(given);
  const { error } = body;
  const isError = typeof error === "string" && body[token] === undefined;
  if (status === 200 && !isError) return body;
  if (typeof error !== "string" || isPassing(status)) throw passingError(issuer, status);
  if (passing.has(error)) throw passingError(issuer, error);
  throw new TokenRefusal(issuer, shown(error));
}

/**
 * The members of a successful answer, each as a table says.
 *
 * @param required names of the table that the answer must have; the first one is in no error
 * @throws {AuthError} as `successOf`; `auth-metadata-invalid`: a member is malformed or missing
 */
export async function judgedAnswer(
  issuer: string,
  response: Response,
  table: Members,
  required: readonly string[] = [],
): Promise<Body> {
  const given = jsonObject(await response.text()) ?? {};
  const body = successOf(issuer, response.status, given, required[0]);
  const problem = malformedMember(body, table, required);
  if (problem !== undefined) throw unusable(issuer, problem);
  return body;
}

/** The members of a token response (RFC 6749, 5.1; RFC 8693, 2.2.1). A malformed scope would pass for the one that was asked for. */
const members: Members = {
  ...{ access_token: "text", token_type: "text", refresh_token: "text" },
  ...{ scope: "string", expires_in: "seconds", issued_token_type: "text" },
};

/** Seconds of a life at most: the end of a longer one may be no date. */
const longestLife = 1e9;

/**
 * Reads an answer of a token endpoint (RFC 6749, 5.1). An id token in it is not used, and so not read.
 *
 * @throws {AuthError} as `judgedAnswer`
 */
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
export function unusable(issuer: string, member: string): AuthError {
  const [name, expected = ""] = member.split(/(?=:)/);
  return new AuthError(
    "auth-metadata-invalid",
    `${hostOf(issuer)}: ${name} of its answer is not usable${expected}`,
  );
}

/** An error code of OAuth, if it is one (RFC 6749, 5.2). */
export const shown = (code: unknown): string =>
  typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "an unknown error";
