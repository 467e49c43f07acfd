import { type NetworkFetch, networkFetch, proxiesOf } from "../files/proxies.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { isLoopback } from "../files/loopback.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum size in bytes of a credential in a variable or file. */
export const longestCredential = 65_536;

/** The environment variables about credentials. */
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
 * @throws CodedError MG2017 for an empty value, so that a secret missing in CI is not mistaken for no
 * credential
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
 * The issuer in MCPGEN_ISSUER, the only one that receives credentials from the environment.
 *
 * @throws CodedError MG2017 for an invalid issuer (RFC 8414, 2)
 */
export function issuerOf(env: Environment): string | undefined {
  return issuerIn(env, "MCPGEN_ISSUER");
}

function issuerIn(env: Environment, name: "MCPGEN_ISSUER" | "MCPGEN_METADATA_ISSUER"): string | undefined {
  return addressIn(env, name, "an issuer, an https URL without query", ({ search }) => search === "");
}

/**
 * The server in MCPGEN_SERVER, the only one that receives the token from the environment.
 *
 * @throws CodedError MG2017 if it is not a URL
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
  // The error does not quote the value, because a secret may be in the wrong variable.
  throw wrong(`${name} is not ${expected}`, "Give the whole URL; http is for this machine alone.");
}

/** How to send authorization requests. */
interface Network {
  readonly privateNetwork?: true;
  readonly fetch?: NetworkFetch;
}

/**
 * MCPGEN_PRIVATE_NETWORK lets authorization servers have private addresses. Behind a proxy, which resolves
 * names, the addresses are unknown, so names must be public.
 *
 * @throws CodedError MG2017 for a value other than 1
 */
export function networkOf(env: Environment): Network {
  const isPrivate = only(env, "MCPGEN_PRIVATE_NETWORK", "1") !== undefined;
  return {
    ...(isPrivate && { privateNetwork: true }),
    ...(proxiesOf(process.env) && { fetch: networkFetch }),
  };
}

/**
 * Deviations of the authorization server in MCPGEN_ISSUER, stated by MCPGEN_PKCE, MCPGEN_RESOURCE and
 * MCPGEN_METADATA_ISSUER.
 *
 * @throws CodedError MG2017 for an invalid value, or without an issuer
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

/** The value of a variable that allows only one value. */
function only(
  env: Environment,
  name: "MCPGEN_PKCE" | "MCPGEN_RESOURCE" | "MCPGEN_PRIVATE_NETWORK",
  value: string,
): string | undefined {
  const given = variable(env, name);
  if (given === undefined || given === value) return given;
  throw wrong(`${name} has another value than ${value}`, `Set it to ${value}, or unset it.`);
}

/**
 * The scopes in MCPGEN_SCOPES, separated by spaces. @throws CodedError MG2017 for characters that scopes
 * cannot have
 */
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

/** Whether data sent to a URL can only be read by the receiver: it uses https, or is on this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Matches header names without secrets; any other header may contain one. */
const plainHeaders = /^(?:accept(?:-\w+)?|user-agent|traceparent|tracestate|baggage|mcp-[\w-]+)$/i;

/**
 * Checks that the user's headers are sent over https or to this machine.
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

/**
 * Whether a server is the destination of the environment's token; `unknown` if neither a variable nor the
 * command line decides it.
 */
export type Aim = "this" | "other" | "unknown";

/**
 * Decides which server receives the environment's token: the named one, else the only one on the command
 * line.
 */
export class ServerAim {
  readonly #named: string | undefined;
  readonly #typed: ReadonlySet<string>;

  /**
   * @param named the URL of MCPGEN_SERVER
   * @param typed the server URLs on the command line
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

/** The server URLs among the words of a command line. */
export function serversAmong(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, url] = /^(?:--server=)?(https?:\/\/.*)$/is.exec(word) ?? [];
    return url !== undefined && URL.canParse(url) ? [url] : [];
  });
}
