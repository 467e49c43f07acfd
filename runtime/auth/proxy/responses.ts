/** Thrown for an error response of the token, registration or revocation endpoint (RFC 6749, 5.2). */
export class Refused extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    error: string,
    description: string,
    { status = 400, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Headers that let pages of any origin read an answer. This is safe, because the answer does not depend on
 * cookies or other browser credentials.
 */
const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate",
};

const noStore = { "cache-control": "no-store", pragma: "no-cache" };

export function jsonResponse(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...anyOrigin, ...noStore, ...headers, "content-type": "application/json" },
  });
}

export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...anyOrigin, ...noStore, ...headers } });
}

/** Answers the preflight request of a browser. */
export function preflightResponse(methods: string): Response {
  return emptyResponse(204, {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "Authorization, Content-Type, MCP-Protocol-Version",
    "access-control-max-age": "86400",
  });
}

export function wrongMethod(allow: string): Response {
  return emptyResponse(405, { allow });
}

/** Redirects the browser; a POST becomes a GET. */
export function redirectResponse(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ ...noStore, location, "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
