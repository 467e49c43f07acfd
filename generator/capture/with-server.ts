import type { JsonObject } from "@mcpgen/engine";
import { packageVersion } from "../files/regular-file.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { revisionAdvice } from "../diagnostics/suggest.js";
import { type Authorization, LoginNeeded, type ServerAuthorization } from "../login/authorization.js";
import { drive, headersWith } from "../login/drive.js";
import type { Authorizer } from "../login/token-stores.js";
import { isSecretName, secrets } from "../secrets/secrets.js";
import { expectConfidential } from "../login/variables.js";
import { interruption } from "./interruption.js";
import { type Links, type LiveClient, type Runtime, loadRuntime } from "./runtime.js";
import { Silence, isTimeout, serverError } from "./server-error.js";
import {
  type HttpAddress,
  type ServerSource,
  addressOf,
  isServerSource,
  noServer,
  replacing,
  shownSource,
} from "./server-source.js";
import { openFetch, useProxies } from "../files/proxies.js";
import { HttpLink, ProcessLink, type ServerLink } from "./server-link.js";
import type { Tap } from "./tap.js";

/** How to reach a server. */
export interface ServerOptions {
  /** Folder in which commands start. */
  readonly directory: string;
  /** The only revision to use; default: the newest that both sides support. */
  readonly revision?: string | undefined;
  /** Time limit in milliseconds without a response or progress. */
  readonly timeout?: number | undefined;
  /** Headers of every HTTP request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Environment variables for the server process, besides inherited ones without secrets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Called with what the server asked its user or a model for, if that is declined. */
  readonly onAsked?: (what: string) => void;
  /** Authorizes HTTP requests if no header does. */
  readonly authorization?: Authorization | undefined;
  /** Answers the server's questions to its user; without it, all are declined. */
  readonly questions?: Questions | undefined;
  /** Creates the client's extensions for each connection. */
  readonly extensions?: (() => readonly object[]) | undefined;
  /** Connection options that override those above, for handlers of server requests, e.g. `sample`. */
  readonly connection?: object | undefined;
  /** Observes all messages. */
  readonly tap?: Tap | undefined;
  /** Called with standard error output of the server process. */
  readonly onStderr?: (text: string) => void;
  /** Called if a process has not answered after 2 seconds, and the revision that it speaks is not given. */
  readonly onSlow?: (() => void) | undefined;
  /** Called with each connected client. */
  readonly onConnected?: (client: LiveClient) => void;
  /** Called at the end with a description of non-message output on the process's standard output. */
  readonly onStray?: (what: string) => void;
  /** Ends the connection of `withServer`, which then throws its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Answers elicitation requests of the server. */
export interface Questions {
  elicit(form: JsonObject): Promise<JsonObject>;
  elicitUrl(page: JsonObject): Promise<JsonObject>;
}

/** Time limit in milliseconds for connecting by default; `npx` may have to install a package first. */
const connectTimeout = 60_000;

/** Time in milliseconds after which `onSlow` is called. */
const slow = 2_000;

/**
 * Connects to the server that a SOURCE names, calls `use`, and always closes the connection. If a signal ends this process, it first ends the server that it started.
 *
 * @throws CodedError MG2014 for a SOURCE that is not a server, MG2010 for an unknown revision, MG2013 without
 *   the runtime, MG41xx for failures of the server
 */
export async function withServer<T>(
  source: ServerSource,
  options: ServerOptions,
  use: (client: LiveClient) => Promise<T>,
): Promise<T> {
  if (typeof source === "string" && !isServerSource(source)) throw noServer(source, options.directory);
  return withRuntime(await loadRuntime(), source, options, use);
}

/** Maximum number of logins in one command: one to start, and one for further scopes. */
const mostLogins = 2;

/**
 * Same as `withServer` with a loaded runtime. Repeats a rejected request after a login, because the server
 * did not execute it.
 */
export async function withRuntime<T>(
  runtime: Runtime,
  source: ServerSource,
  options: ServerOptions,
  use: (client: LiveClient) => Promise<T>,
): Promise<T> {
  return afterLogins(() => withConnection(runtime, source, options, use));
}

/** Repeats what failed for want of a login, after the login. */
export async function afterLogins<T>(work: () => Promise<T>): Promise<T> {
  for (let logins = 0; ; logins++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoginNeeded) || !error.login || logins === mostLogins) throw error;
      await error.login();
    }
  }
}

async function withConnection<T>(
  runtime: Runtime,
  source: ServerSource,
  options: ServerOptions,
  use: (client: LiveClient) => Promise<T>,
): Promise<T> {
  expectRevision(runtime, options.revision);
  let authorization: ServerAuthorization | undefined;
  let link: ServerLink | undefined;
  let client: LiveClient | undefined;
  const { signal } = options;
  const end = async (): Promise<void> => {
    link?.hurry();
    await link?.close(client);
  };
  const released = interruption.endsFirst(end);
  signal?.addEventListener("abort", end);
  try {
    const linked = await linkTo(source, runtime, options);
    signal?.throwIfAborted();
    ({ link } = linked);
    if (typeof link.source === "string" && !hasLogin(linked.headers))
      authorization = options.authorization?.forServer(link.source);
    client = await connected(runtime, linked, options, authorization);
    options.onConnected?.(client);
    const result = await use(client);
    if (link.stray !== undefined) options.onStray?.(link.stray);
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    if (isTimeout(error)) link?.hurry();
    const refused = authorization?.errorOf(error, shownSource(source));
    throw (
      refused ??
      serverError(error, source, link ?? { credentials: [], printed: "", stray: undefined }, runtime)
    );
  } finally {
    signal?.removeEventListener("abort", end);
    await link?.close(client);
    await released();
  }
}

/** An HTTP server for another client: its URL, its headers, and what adds a login to each request. @throws as `withServer` */
export async function httpServer(address: HttpAddress, options: ServerOptions) {
  const headers = await headersOf(address, options);
  const { url } = address;
  const authorizer = hasLogin(headers) ? undefined : options.authorization?.forServer(url).authorizer;
  // If it gets none, the server's refusal says more.
  if (authorizer) await drive(authorizer, url, AbortSignal.timeout(connectTimeout)).catch(() => {});
  return { url, headers, authorizer };
}

/** A server that other code of this process connects to, as often as it likes. */
export interface Connectable {
  readonly source: ServerLink["source"];
  /** Adds headers and logins to requests over HTTP; absent if there are none. */
  readonly authorize: Authorizer | undefined;
  /** Reads an error of a connection. */
  readonly errorOf: (error: unknown) => unknown;
  /** Ends its processes; no other one starts. */
  readonly close: () => Promise<void>;
}

/** Prepares connections with a server. @throws CodedError as `withServer` */
export async function connectable(
  runtime: Links,
  server: ServerSource,
  options: ServerOptions,
): Promise<Connectable> {
  if (options.revision !== undefined) expectRevision(await loadRuntime(), options.revision);
  const { link, headers } = await linkTo(server, runtime, options, false);
  const { source } = link;
  const authorization =
    typeof source === "string" && !hasLogin(headers) ? options.authorization?.forServer(source) : undefined;
  if (typeof source === "string") await useProxies();
  secrets.learnHeaders(Object.entries(headers));
  const isPlain = !authorization && Object.keys(headers).length === 0;
  return {
    source,
    authorize: isPlain ? undefined : authorizerWith(headers, authorization?.authorizer),
    errorOf: (error) =>
      authorization?.errorOf(error, shownSource(server)) ?? serverError(error, server, link, runtime),
    close: () => {
      link.hurry();
      return link.close(undefined);
    },
  };
}

/** Sends the same headers with each request, and what another authorizer adds. */
function authorizerWith(headers: Readonly<Record<string, string>>, other?: Authorizer): Authorizer {
  return {
    authorize: async (attempt) => {
      const given = await other?.authorize(attempt);
      return attempt.refused && given === undefined ? undefined : headersWith(given ?? {}, headers);
    },
    observe: (response) => other?.observe?.(response),
  };
}

/** A connection that stays open until it is closed explicitly. */
export interface OpenServer {
  readonly client: LiveClient;
  readonly link: ServerLink;
}

/**
 * Connects to a server; `link.close(client)` ends the connection.
 *
 * @param watched called with the link before it connects, so that it can be closed while connecting
 * @throws CodedError as `withServer`; the link is then closed
 */
export async function openServer(
  runtime: Runtime,
  source: ServerSource,
  options: ServerOptions,
  watched: (link: ServerLink) => void,
): Promise<OpenServer> {
  expectRevision(runtime, options.revision);
  const linked = await linkTo(source, runtime, options);
  const { link } = linked;
  watched(link);
  try {
    return { link, client: await connected(runtime, linked, options, undefined) };
  } catch (error) {
    link.hurry();
    await link.close(undefined);
    throw serverError(error, source, link, runtime);
  }
}

/** A link to a server, and the headers to send. */
interface Linked {
  readonly link: ServerLink;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param isWatched whether lines that are not messages are counted */
async function linkTo(
  source: ServerSource,
  runtime: Links,
  options: ServerOptions,
  isWatched = true,
): Promise<Linked> {
  const address = addressOf(source, options.directory, runtime);
  if (address.kind === "http") {
    const headers = await headersOf(address, options);
    return { link: new HttpLink(address.url, Object.keys(headers).filter(isSecretName)), headers };
  }
  const { command, cwd } = address;
  const env = { ...address.env, ...options.variables };
  const { onStderr } = options;
  return { link: new ProcessLink(runtime, { command, cwd, env, onStderr, isWatched }), headers: {} };
}

/**
 * The headers of a connection: from the address, from `moreHeaders`, and from the command line; later ones
 * override earlier ones.
 *
 * @throws CodedError MG2017 for headers that would be sent without https
 */
async function headersOf(
  { url, headers, moreHeaders }: HttpAddress,
  options: ServerOptions,
): Promise<Readonly<Record<string, string>>> {
  const all = replacing(replacing(headers, await moreHeaders?.()), options.headers);
  expectConfidential(url, all);
  return all;
}

const hasLogin = (headers: object): boolean =>
  Object.keys(headers).some((name) => /^authorization$/i.test(name));

/** @throws Silence after the timeout: the runtime may try several revisions, each with that limit */
async function connected(
  runtime: Runtime,
  { link: { source, signal }, headers }: Linked,
  { revision, timeout, onAsked, onSlow, questions, extensions, connection, tap }: ServerOptions,
  authorization: ServerAuthorization | undefined,
): Promise<LiveClient> {
  const limit = timeout ?? connectTimeout;
  secrets.learnHeaders(Object.entries(headers));
  const opened = typeof source === "function" && tap ? () => tap.channel(source()) : source;
  if (typeof source === "string") await useProxies();
  const connecting = runtime.connect(opened, {
    ...(signal && { signal }),
    revisions: runtime.revisions,
    ...(revision !== undefined && { revision }),
    info: { name: "mcpgen", version: packageVersion() },
    timeouts: { connect: limit, ...(timeout !== undefined && { timeout }) },
    http: {
      headers,
      // Without a tap, the runtime uses `node:http`, which uses the proxies.
      ...(tap && { fetch: tap.fetch(openFetch) }),
      ...(authorization && { authorize: authorization.authorizer }),
    },
    // Nothing is printed: the callers report omitted list entries themselves, and the server receives the error of a
    // question, whose consequence its result shows.
    onEvent: () => true,
    ...(extensions && { extensions: extensions() }),
    ...declining(runtime, onAsked),
    ...(questions && {
      elicit: {
        form: (form: JsonObject) => questions.elicit(form),
        url: (page: JsonObject) => questions.elicitUrl(page),
      },
    }),
    ...connection,
  });
  const isProbed = typeof source === "function" && revision === undefined;
  const slowTimer = isProbed && onSlow ? setTimeout(onSlow, slow) : undefined;
  return inTime(connecting, limit).finally(() => clearTimeout(slowTimer));
}

/** @throws Silence after `limit` milliseconds; the outcome of `connecting` is then ignored */
export function inTime<T>(connecting: Promise<T>, limit = connectTimeout): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Silence(limit)), limit);
  });
  return Promise.race([connecting, late]).finally(() => clearTimeout(timer));
}

/**
 * Options that declare elicitation and sampling, because servers may hide tools without them, but decline
 * every request.
 */
function declining({ userRejected }: Runtime, onAsked: (what: string) => void = () => {}): object {
  const decline = ({ message }: { readonly message: string }): object => {
    onAsked(`the user: ${message}`);
    return { action: "decline" };
  };
  return {
    elicit: { form: decline, url: decline },
    sample: () => {
      onAsked("a model for a message");
      throw userRejected();
    },
    roots: [],
  };
}

function expectRevision({ revisions }: Runtime, wanted: string | undefined): void {
  const ids = revisions.map(({ id }) => id);
  if (wanted === undefined || ids.includes(wanted)) return;
  throw new CodedError("MG2010", `there is no revision ${JSON.stringify(wanted)}`, {
    next: revisionAdvice(wanted, ids),
  });
}
