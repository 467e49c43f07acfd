import { malformedMember, type Members, withoutNulls } from "@mcpgen/base";
import { AuthError } from "./errors.js";
import { isPassing, passingError } from "./guarded-fetch.js";
import { jsonObject } from "./json-object.js";
import { hostOf } from "./urls.js";

// Reads answers of authorization servers to requests for tokens and for device codes.

type Body = Readonly<Record<string, unknown>>;

export interface Tokens {
  readonly access: string;
  readonly refresh?: string | undefined;
  /** Time of receipt in milliseconds since 1970. */
  readonly obtained: number;
  /** Life in seconds. */
  readonly expiresIn?: number | undefined;
  readonly scope?: string | undefined;
}

/** An error answer of an authorization server. Contains only its code. */
export class TokenRefusal extends AuthError {
  readonly error: string;

  constructor(issuer: string, error: string, next = "") {
    super("auth-refused", `${hostOf(issuer)} refused: ${error}${next && `. ${next}`}`);
    this.error = error;
  }
}

/** Temporary errors, which say nothing about the grant (RFC 6749, 4.1.2.1). */
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

/**
 * Returns the members of a successful answer, without null members.
 *
 * An error has status 400 (RFC 6749, 5.2), but GitHub and Slack send errors with status 200. If the answer
 * also has a token, `error` counts as an unknown member and is ignored (5.1).
 *
 * @param given the members of the answer; empty if it is not a JSON object
 * @param token the member that every success has
 * @throws {AuthError} `auth-unavailable`: a temporary error. `TokenRefusal`: any other error
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
 * Reads a successful answer, and checks the types of its members.
 *
 * @param required names of required members; the first one marks a success
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

/**
 * The members of a token response (RFC 6749, 5.1; RFC 8693, 2.2.1). `scope` is checked, because an absent
 * scope means the requested one.
 */
const members: Members = {
  ...{ access_token: "text", token_type: "text", refresh_token: "text" },
  ...{ scope: "string", expires_in: "seconds", issued_token_type: "text" },
};

/** Maximum life in seconds: the end of a longer one may not be a valid date. */
const longestLife = 1e9;

/**
 * Reads an answer of a token endpoint (RFC 6749, 5.1). Does not read an id token in it.
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

/** The checked members of a token response. */
interface TokenBody {
  readonly access_token?: string;
  readonly token_type?: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** Makes the error for an unusable answer. @param member the member, with its expected form */
export function unusable(issuer: string, member: string): AuthError {
  const [name, expected = ""] = member.split(/(?=:)/);
  return new AuthError(
    "auth-metadata-invalid",
    `${hostOf(issuer)}: ${name} of its answer is not usable${expected}`,
  );
}

/** Returns an OAuth error code for a message, if it has the form of one (RFC 6749, 5.2). */
export const shown = (code: unknown): string =>
  typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "an unknown error";
