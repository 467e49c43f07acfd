// An authorization server for tests: a real HTTP server on a free port, strict by default, with faults by option.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { cert } from "../certificate.js";
import { served } from "../listen.js";
import { type Answer, type Call, OAuthFault, json } from "./calls.js";
import { endpoints } from "./endpoints.js";
import { grants } from "./grants.js";
import type { AuthorizationServerOptions } from "./options.js";
import { minted } from "./secrets.js";
import { SigningKeys } from "./signing-keys.js";
import { type Issued, State } from "./state.js";

export type { AuthorizationServerOptions, RegisteredClient, TrustedIssuer } from "./options.js";
export type { Answer, Call } from "./calls.js";

const paths: Readonly<Record<string, string>> = {
  "/authorize": "authorize",
  "/token": "token",
  "/register": "register",
  "/introspect": "introspect",
  "/revoke": "revoke",
  "/jwks.json": "jwks",
  "/device": "device",
};

/** Parameters of requests whose values are secrets. */
const presentedSecrets = [
  ...["assertion", "client_assertion", "client_secret", "code", "code_verifier", "device_code"],
  ...["refresh_token", "state", "subject_token", "token"],
];

/** A running authorization server. */
export class AuthorizationServer {
  readonly issuer: string;
  readonly state: State;
  /** Every request in order. */
  readonly calls: Call[] = [];
  readonly port: number;
  readonly close: () => void;

  constructor(state: State, port: number, close: () => void) {
    this.issuer = state.issuer;
    this.state = state;
    this.port = port;
    this.close = close;
  }

  /** All issued and received secrets. Output must not contain any of them. */
  get secrets(): ReadonlySet<string> {
    return this.state.secrets;
  }

  /** Number of requests to an endpoint. For `token` also by grant, such as `token refresh_token`. */
  count(endpoint: string): number {
    const [name, grant] = endpoint.split(" ");
    return this.calls.filter(
      (call) => call.endpoint === name && (grant === undefined || call.params.get("grant_type") === grant),
    ).length;
  }

  /** Paths of all requests for metadata and unknown paths, in order. */
  paths(): string[] {
    return this.calls
      .filter(({ endpoint }) => endpoint === "metadata" || endpoint === "unknown")
      .map(({ url }) => url.pathname);
  }

  /** Visits an authorization URL like a browser. Returns the URL of the redirect. */
  async visit(url: string): Promise<string> {
    const { protocol, pathname, search, host, hostname, port } = new URL(url);
    const { request, Agent } = (protocol === "https:" ? https : http) as typeof https;
    // The test name of this server does not resolve.
    const to =
      this.state.options.host === undefined
        ? { host: hostname, port }
        : { host: "127.0.0.1", port: this.port };
    const options = {
      ...to,
      path: pathname + search,
      headers: { host },
      servername: hostname,
      ca: cert,
      agent: new Agent(),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      request(options, resolve).on("error", reject).end(),
    );
    let text = "";
    for await (const chunk of answer.setEncoding("utf8")) text += chunk as string;
    const { location } = answer.headers;
    if (location === undefined) throw new Error(`no redirect: ${answer.statusCode} ${text}`);
    return location;
  }

  /** Issues an access token without a flow. */
  mint(issued: Partial<Issued> & { readonly resource: string }, expiresIn = 3600): Promise<string> {
    const defaults = { clientId: "client-1", subject: "user-1", scope: "", family: randomUUID() };
    return this.state.accessToken({ ...defaults, ...issued }, expiresIn);
  }

  /** Signs any JWT: an id token, an assertion, or an access token with a fault. */
  sign(claims: Record<string, unknown>, typ = "JWT"): Promise<string> {
    return this.state.sign(claims, typ);
  }

  /** Expires all access tokens. */
  expireAccessTokens(): void {
    for (const entry of this.state.accessTokens.values()) entry.expires = 0;
  }

  /** Simulates a user who enters the code of a device, and consents or refuses. */
  decideDevice(userCode: string, subject: string | undefined = "user-1"): void {
    const entry = [...this.state.devices.values()].find((device) => device.userCode === userCode);
    if (!entry) throw new Error("no such user code");
    entry.subject = subject ?? "";
  }

  metadata(): Record<string, unknown> {
    const { options, issuer } = this.state;
    const at = (path: string): string => issuer + path;
    const methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"];
    const all = {
      issuer,
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      jwks_uri: at("/jwks.json"),
      introspection_endpoint: at("/introspect"),
      revocation_endpoint: at("/revoke"),
      device_authorization_endpoint: at("/device"),
      ...(options.registration !== false && { registration_endpoint: at("/register") }),
      ...(options.scopes && { scopes_supported: options.scopes }),
      response_types_supported: ["code"],
      grant_types_supported: Object.keys(grants),
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: ["ES256", "RS256"],
      ...(options.cimd && { client_id_metadata_document_supported: true }),
      ...(options.iss !== "omitted" && { authorization_response_iss_parameter_supported: true }),
      ...((options.dpop ?? "off") !== "off" && { dpop_signing_alg_values_supported: ["ES256", "RS256"] }),
      ...options.metadata,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  /** Answers one request, with the configured faults. */
  async answer(call: Call): Promise<Answer | "hang" | "cut"> {
    this.calls.push(call);
    for (const name of presentedSecrets) minted(call.params.get(name));
    const { fault } = this.state.options;
    const answer = await this.honest(call);
    return fault ? fault(call, answer) : answer;
  }

  private async honest(call: Call): Promise<Answer> {
    if (call.endpoint === "metadata") return json(200, this.metadata());
    try {
      return await endpoints[call.endpoint]!(this.state, call);
    } catch (error) {
      if (error instanceof OAuthFault) return error.answer;
      return { status: 500, body: String(error) };
    }
  }

  endpointOf({ pathname }: URL): string {
    const { path = "", forms = ["oauth", "oidc", "oidc-appended"] } = this.state.options;
    const metadata: Readonly<Record<string, string>> = {
      oauth: `/.well-known/oauth-authorization-server${path}`,
      oidc: `/.well-known/openid-configuration${path}`,
      "oidc-appended": `${path}/.well-known/openid-configuration`,
    };
    if (forms.some((form) => metadata[form] === pathname)) return "metadata";
    return pathname.startsWith(path) ? (paths[pathname.slice(path.length)] ?? "unknown") : "unknown";
  }
}

/** Starts a server; `close` ends it. */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const keys = await SigningKeys.create(options.algorithm ?? "ES256");
  const { origin, port, close } = await served(
    options.host,
    (request, response) => void serve(authorization, request, response),
  );
  const state = new State(origin + (options.path ?? ""), options, keys);
  const authorization = new AuthorizationServer(state, port, close);
  return authorization;
}

/** Starts a server that ends with the test. */
export async function authorizationServer(
  options?: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer(options);
  onTestFinished(server.close);
  return server;
}

async function serve(
  authorization: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url!, authorization.issuer);
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
  const headers = new Headers();
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    headers.append(request.rawHeaders[i]!, request.rawHeaders[i + 1]!);
  const form = headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
  const answer = await authorization.answer({
    endpoint: authorization.endpointOf(url),
    method: request.method!,
    url,
    headers,
    body,
    params: form ? new URLSearchParams(body) : url.searchParams,
  });
  if (answer === "cut") response.destroy();
  if (typeof answer === "string") return;
  const text = typeof answer.body === "object" ? JSON.stringify(answer.body) : (answer.body ?? "");
  response.writeHead(answer.status, answer.headers).end(text);
}
