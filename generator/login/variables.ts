import { type NetworkFetch, networkFetch, proxiesOf } from "../files/proxies.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { isLoopback } from "../files/loopback.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Bytes of a credential at most, in a variable or in a file. */
export const longestCredential = 65_536;

/** The variables about credentials. */
type Name = `MCPGEN_${
  | "TOKEN"
  | "SERVER"
  | "ISSUER"
  | "METADATA_ISSUER"
  | "SCOPES"
  | "PKCE"
  | "RESOURCE"
  | "PRIVATE_NETWORK"
  | "ASSERTION_FILE"
  | `CLIENT_${"ID" | "SECRET" | "KEY_FILE"}`}`;

/**
 * The value of a variable.
 *
 * @throws CodedError MG2017 for an empty one: a secret that CI does not have must not count as none
 */
export function variable(env: Environment, name: Name): string | undefined {
  const value = env[name];
  if (value === undefined) return undefined;
  if (value.trim() === "") throw wrong(`${name} is set, and empty`, "Give it a value, or unset it.");
  if (value.length > longestCredential)
    throw wrong(`${name} is longer than ${longestCredential} characters`, "Check its value.");
  return value;
}

/**
 * The issuer of MCPGEN_ISSUER: the only one that gets credentials of the environment.
 *
 * @throws CodedError MG2017 for what is no issuer (RFC 8414, 2)
 */
export function issuerOf(env: Environment): string | undefined {
  return issuerIn(env, "MCPGEN_ISSUER");
}

function issuerIn(env: Environment, name: "MCPGEN_ISSUER" | "MCPGEN_METADATA_ISSUER"): string | undefined {
  return addressIn(env, name, "an issuer, an https URL without query", ({ search }) => search === "");
}

/**
 * The server of MCPGEN_SERVER: the only one that gets the token of the environment.
 *
 * @throws CodedError MG2017 for another text than a URL
 */
export function serverOf(env: Environment): string | undefined {
  return addressIn(env, "MCPGEN_SERVER", "the https URL of a server", () => true);
}

function addressIn(
  env: Environment,
  name: "MCPGEN_ISSUER" | "MCPGEN_METADATA_ISSUER" | "MCPGEN_SERVER",
  expected: string,
  fits: (url: URL) => boolean,
): string | undefined {
  const text = variable(env, name);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === "" && url.password === "" && !/[\s#]/.test(text);
  if (isPlain && isConfidential(url) && fits(url)) return text;
  // The value is not quoted: a secret may stand in the wrong variable.
  throw wrong(`${name} is not ${expected}`, "Give the whole URL; http is for this machine alone.");
}

/** How requests of authorization are sent. */
interface Network {
  readonly privateNetwork?: true;
  readonly fetch?: NetworkFetch;
}

/**
 * MCPGEN_PRIVATE_NETWORK lets authorization servers have private addresses. Behind a proxy, which resolves names, the addresses are
 * not known: there names must be public ones.
 *
 * @throws CodedError MG2017 for another value than 1
 */
export function networkOf(env: Environment): Network {
  const isPrivate = only(env, "MCPGEN_PRIVATE_NETWORK", "1") !== undefined;
  return {
    ...(isPrivate && { privateNetwork: true }),
    ...(proxiesOf(process.env) && { fetch: networkFetch }),
  };
}

/**
 * What MCPGEN_PKCE, MCPGEN_RESOURCE and MCPGEN_METADATA_ISSUER say that the authorization server of MCPGEN_ISSUER does otherwise.
 *
 * @throws CodedError MG2017 for another value, or without an issuer
 */
export function exceptionsOf(env: Environment): { readonly issuers?: Readonly<Record<string, object>> } {
  const given = {
    pkce: ["MCPGEN_PKCE", only(env, "MCPGEN_PKCE", "assumed")],
    resource: ["MCPGEN_RESOURCE", only(env, "MCPGEN_RESOURCE", "omit")],
    issuer: ["MCPGEN_METADATA_ISSUER", issuerIn(env, "MCPGEN_METADATA_ISSUER")],
  } as const;
  const set = Object.entries(given).filter(([, [, value]]) => value !== undefined);
  const [first] = set;
  if (!first) return {};
  const issuer = issuerOf(env);
  if (issuer !== undefined)
    return { issuers: { [issuer]: Object.fromEntries(set.map(([name, [, value]]) => [name, value])) } };
  const [, [name]] = first;
  throw wrong(`${name} is set, and MCPGEN_ISSUER is not`, "Set MCPGEN_ISSUER: it holds for one issuer.");
}

/** The value of a variable that has one alone. */
function only(
  env: Environment,
  name: "MCPGEN_PKCE" | "MCPGEN_RESOURCE" | "MCPGEN_PRIVATE_NETWORK",
  value: string,
): string | undefined {
  const given = variable(env, name);
  if (given === undefined || given === value) return given;
  throw wrong(`${name} has another value than ${value}`, `Set it to ${value}, or unset it.`);
}

/** Scopes of MCPGEN_SCOPES, separated by spaces. @throws CodedError MG2017 for characters that no scope has */
export function scopesOf(env: Environment): readonly string[] | undefined {
  const scopes = variable(env, "MCPGEN_SCOPES")
    ?.split(/\s+/)
    .filter((scope) => scope !== "");
  // RFC 6749, 3.3.
  if (!scopes || scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope))) return scopes;
  throw wrong(
    "MCPGEN_SCOPES holds characters that no scope has",
    "Separate scopes by spaces, without quotes.",
  );
}

export function wrong(message: string, next: string, cause?: unknown): CodedError {
  return new CodedError("MG2017", message, { next, ...(cause !== undefined && { cause }) });
}

/** Whether only the receiver reads what is sent to a URL: https, or this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Headers that hold no secret by their names. All others may hold one. */
const plainHeaders = /^(?:accept(?:-\w+)?|user-agent|traceparent|tracestate|baggage|mcp-[\w-]+)$/i;

/**
 * Headers of the user go over https, or to this machine.
 *
 * @throws CodedError MG2017
 */
export function expectConfidential(url: string, headers: Readonly<Record<string, string>>): void {
  const name = Object.keys(headers).find((each) => !plainHeaders.test(each));
  if (name === undefined || isConfidential(new URL(url))) return;
  throw new CodedError("MG2017", `the header ${name} is not sent over http: it may hold a secret`, {
    next: "Give the URL with https.",
  });
}

/** Whether a server is the one that a credential of the environment is for: `unknown` where neither a variable nor the command line says so. */
export type Aim = "this" | "other" | "unknown";

/** Says which server gets a token of the environment: the one that is named, else the only one of the command line. */
export class ServerAim {
  readonly #named: string | undefined;
  readonly #typed: ReadonlySet<string>;

  /**
   * @param named the URL of MCPGEN_SERVER
   * @param typed the URLs of servers that stand on the command line
   */
  constructor(named: string | undefined, typed: readonly string[]) {
    this.#named = named === undefined ? undefined : canonical(named);
    this.#typed = new Set(typed.map(canonical));
  }

  of(url: string): Aim {
    const server = canonical(url);
    if (this.#named !== undefined) return this.#named === server ? "this" : "other";
    return this.#typed.size === 1 && this.#typed.has(server) ? "this" : "unknown";
  }
}

/** A URL as it is sent: without fragment, and with its host in lower case. */
function canonical(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

/** The URLs of servers among the words of a command line. */
export function serversAmong(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, url] = /^(?:--server=)?(https?:\/\/.*)$/is.exec(word) ?? [];
    return url !== undefined && URL.canParse(url) ? [url] : [];
  });
}
