import { CodedError } from "../diagnostics/coded-error.js";
import type { RunCommand, CommandContext, Arguments } from "./command.js";
import { authorizationOf } from "./authorization.js";
import { noServer } from "../capture/server-source.js";
import { serverSource } from "./servers/named-servers.js";
import type { StoredLogin } from "../login/token-stores.js";

/** Logs in to a server. */
export const login: RunCommand = async (args, context) => {
  const { url, shown } = await httpServer(args, context);
  const authorization = authorizationOf(args, context);
  const server = authorization.forServer(url);
  let driven = await server.login(shown);
  // A server may require a login only for some requests, so ask it to log in as if it had answered 401.
  if (!driven.authorized && driven.status !== 401 && driven.status !== 403)
    driven = await server.login(shown, { status: 401, headers: new Headers() }).catch((error: unknown) => {
      if (error instanceof CodedError && error.code === "MG4107" && isOpen(error)) return driven;
      throw error;
    });
  const stored = driven.authorized ? await server.stored() : undefined;
  if (stored) {
    const store = authorization.kindFor(url);
    return {
      text: loginText(url, stored, store, Date.now()),
      data: { login: loginFacts(url, stored, store) },
    };
  }
  if (driven.status !== 401 && driven.status !== 403)
    return { summary: `${shown} asks for no login`, data: { login: null } };
  throw new CodedError("MG4107", `the server refuses the tokens of the login (${driven.status})`, {
    place: { file: shown },
    next: "Check the scopes: --scope NAME asks for more.",
  });
};

/**
 * Whether the error says that the server has no valid authorization metadata. Without a refusal, such a
 * server needs no login.
 */
function isOpen({ cause }: CodedError): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === "auth-metadata-invalid";
}

const texts = {
  revoked: "logged out; the authorization server revoked the tokens (a JWT may be valid until it expires)",
  removed: "logged out; the authorization server did not revoke the tokens: they are valid until they expire",
  absent: "there is no login",
} as const;

/** Removes the stored login of a server. */
export const logout: RunCommand = async (args, context) => {
  const { url, shown } = await httpServer(args, context);
  const authorization = authorizationOf(args, context);
  const auth = await authorization.auth();
  const store = await authorization.store(url);
  const done = await auth.forgetLogin(store, url, authorization.clientOptions());
  authorization.index.set(url, undefined);
  return { summary: `${shown}: ${texts[done]}`, data: { server: url, logout: done } };
};

/** Shows the stored login of one server, or all of them. */
export const authStatus: RunCommand = async (args, context) => {
  const authorization = authorizationOf(args, context);
  const named = args.given("source") ? [(await httpServer(args, context)).url] : undefined;
  const texts: string[] = [];
  const logins: Record<string, unknown>[] = [];
  for (const url of named ?? Object.keys(authorization.index.read())) {
    const login = await authorization.forServer(url).stored();
    if (!login) continue;
    const store = authorization.kindFor(url);
    texts.push(loginText(url, login, store, Date.now()));
    logins.push(loginFacts(url, login, store));
  }
  const none = named ? `there is no login to ${named[0]}` : "there are no logins";
  return {
    ...(texts.length > 0 ? { text: texts.join("\n") } : { summary: none }),
    data: { logins },
    ...(named && logins.length === 0 && { exit: 1 }),
  };
};

/** An HTTP server, which may have a login. */
interface HttpServer {
  readonly url: string;
  /** The server in messages, and as a SOURCE for other commands. */
  readonly shown: string;
}

/** @throws CodedError MG2014 for a SOURCE that is not an HTTP server */
async function httpServer(args: Arguments, context: CommandContext): Promise<HttpServer> {
  const source = await serverSource(args.required("source"), args, context);
  if (typeof source !== "string" && source.address.kind === "http")
    return { url: source.address.url, shown: source.name };
  const shown = typeof source === "string" ? source : source.name;
  if (!/^https?:/i.test(shown) || !URL.canParse(shown)) {
    if (typeof source === "string" && !/^stdio:/i.test(source)) throw noServer(source, context.directory);
    throw new CodedError("MG2014", "a server on standard input and output has no login", {
      next: "Pass its credentials as variables: --env NAME.",
    });
  }
  const { username, password } = new URL(shown);
  if (username === "" && password === "") return { url: shown, shown };
  throw new CodedError("MG2014", "the URL has a user name: no login is needed", {
    next: "Give the URL without it.",
  });
}

/** Data about a stored login for `--json`, without secrets. */
function loginFacts(url: string, login: StoredLogin, store: string): Record<string, unknown> {
  const { issuer, resource, scopes, clientId, expires, refreshable } = login;
  return {
    ...{ server: url, issuer, resource, scopes, clientId, store, refreshable },
    ...(expires !== undefined && { expires: new Date(expires).toISOString() }),
  };
}

/** The same data as lines of text. */
function loginText(url: string, login: StoredLogin, store: string, now: number): string {
  const { issuer, scopes, expires, refreshable } = login;
  const renewed = refreshable ? "; it is renewed by itself" : "";
  return [
    url,
    `  issuer:  ${issuer}`,
    `  scopes:  ${scopes.length > 0 ? scopes.join(" ") : "those that the server grants by default"}`,
    `  token:   ${expires === undefined ? "no expiry known" : expiryText(expires - now)}${renewed}`,
    `  kept in: ${store}`,
  ].join("\n");
}

function expiryText(ms: number): string {
  if (ms <= 0) return "expired";
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `expires in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `expires in ${hours} h` : `expires in ${Math.round(hours / 24)} days`;
}
