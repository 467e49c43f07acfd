import { timingSafeEqual } from "node:crypto";

/** The parts of an HTTP request that decide whether it is served. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What requests must know: the secret in the path, and the port. */
export interface Access {
  readonly token: string;
  readonly port: number;
}

/** A request that is served, by its path below the secret; or the status that refuses it. */
export type Guarded = { readonly path: string } | { readonly status: 403 | 404 | 405 | 415 };

/**
 * Admits the page alone. Other sites can send requests to this machine: `Host` stops names that resolve to it (DNS
 * rebinding), `Origin` and `Sec-Fetch-Site` stop pages of other origins, the secret stops other users and programs.
 */
export function guarded({ method, url = "", headers }: GuardedRequest, { token, port }: Access): Guarded {
  const host = `127.0.0.1:${port}`;
  if (headers["host"] !== host) return { status: 403 };
  const origin = headers["origin"];
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403 };
  const site = headers["sec-fetch-site"];
  const [, given = "", path] = /^\/([^/?]*)\/([^?]*)(?:\?|$)/.exec(url) ?? [];
  // `none`: the user has typed the address, or another program has opened it. A file of this user, too, leads to the page,
  // and to nothing else: a browser takes it for another site.
  const isOwn = site === undefined || site === "same-origin" || site === "none";
  if (!isOwn && !(path === "" && method === "GET" && isWholePage(headers))) return { status: 403 };
  if (path === undefined || !isSame(given, token)) return { status: 404 };
  if (method === "GET") return { path };
  if (method !== "POST") return { status: 405 };
  // A type that a form cannot send: it makes requests of other origins ask first.
  return /^application\/json\s*(;|$)/i.test(String(headers["content-type"]))
    ? { path: `POST ${path}` }
    : { status: 415 };
}

/** The request shows a page in a tab of the browser: no other page gets its content. */
function isWholePage(headers: GuardedRequest["headers"]): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
