/** A request to an authorization server. */
export interface Call {
  /** `metadata`, `register`, `authorize`, `token`, `introspect`, `revoke`, `jwks`, `device` or `unknown`. */
  readonly endpoint: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
  /** Parameters: of the query for GET, of a form for POST. */
  readonly params: URLSearchParams;
}

/** An answer of a server; an object is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** An OAuth error that a client gets as JSON (RFC 6749, 5.2). */
export class OAuthFault extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: string,
    text: string,
    status = code === "invalid_client" ? 401 : 400,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(text);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }

  get answer(): Answer {
    return { ...json(this.status, { error: this.code, error_description: this.message }, this.headers) };
  }
}

export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body,
  };
}

/** Returns the value of a parameter that must occur exactly once. */
export function required(params: URLSearchParams, name: string): string {
  const [value, ...more] = params.getAll(name);
  if (value === undefined || value === "") throw new OAuthFault("invalid_request", `${name} is missing`);
  if (more.length > 0) throw new OAuthFault("invalid_request", `${name} is repeated`);
  return value;
}
