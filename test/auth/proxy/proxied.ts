import { createHash, randomBytes } from "node:crypto";
import { github, memoryStore, type OAuthProxy, oauthProxy, type ProxyOptions } from "@mcpgen/auth/proxy";
import { vi } from "vitest";
import { minted, shown } from "../../support/auth/secrets.js";
import { ask, Browser, type Visit } from "./browser.js";
import { type StandInOptions, UpstreamStandIn } from "./upstream-stand-in.js";

export const issuer = "https://api.example.com";
export const resource = "https://api.example.com/mcp";
export const redirectUri = "https://app.example.net/callback";
export const secret = "a secret of forty characters, for tests!";

/** A client of the proxy. */
export interface TestClient {
  readonly id: string;
  readonly secret?: string;
  readonly method: string;
  readonly redirectUri: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token: string;
}

/** A proxy, its upstream and its users. */
export class Proxied {
  readonly upstream: UpstreamStandIn;
  readonly proxy: OAuthProxy;
  readonly store = memoryStore();

  constructor(options: Partial<ProxyOptions> = {}, standIn: StandInOptions = {}) {
    if (!vi.getMockedSystemTime()) this.now = 1_800_000_000_000;
    this.upstream = new UpstreamStandIn(standIn);
    for (const key of options.keys ?? [secret]) minted(key);
    this.proxy = oauthProxy({ ...this.defaults(), onEvent: shown, ...options });
  }

  /** The time of the test, which stands still. */
  get now(): number {
    return Date.now();
  }

  set now(now: number) {
    vi.setSystemTime(now);
  }

  defaults(): ProxyOptions {
    const { upstream, store } = this;
    return {
      issuer,
      resource,
      upstream: github({ ...upstream.client, host: upstream.origin, scopes: ["repo", "gist"] }),
      keys: [secret],
      store,
      fetch: upstream.fetch as typeof fetch,
      // DNS cannot resolve the host names of these tests.
      unguarded: true,
    };
  }

  browser(): Browser {
    return new Browser(this.proxy, this.upstream);
  }

  ask(path: string, init?: RequestInit): Promise<Response> {
    return ask(this.proxy, issuer + path, init);
  }

  post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams(form).toString();
    const type = "application/x-www-form-urlencoded";
    return this.ask(path, { method: "POST", body, headers: { "content-type": type, ...headers } });
  }

  registration(metadata: Record<string, unknown>): Promise<Response> {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    return this.ask("/register", { ...init, body: JSON.stringify(metadata) });
  }

  async register(metadata: Record<string, unknown> = {}): Promise<TestClient> {
    const response = await this.registration({
      client_name: "Test client",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      ...metadata,
    });
    if (response.status !== 201) throw new Error(`registration: ${await response.text()}`);
    const registered = (await response.json()) as Record<string, string> & { redirect_uris: string[] };
    return {
      id: registered["client_id"]!,
      ...(registered["client_secret"] !== undefined && { secret: registered["client_secret"] }),
      method: registered["token_endpoint_auth_method"]!,
      redirectUri: registered.redirect_uris[0]!,
    };
  }

  /** Logs a user in: consent, upstream, redirection to the client. */
  async login(client: TestClient, params: Params = {}, browser = this.browser()): Promise<Login> {
    const verifier = minted(randomBytes(32).toString("base64url"));
    const page = await browser.open(authorizationUrl(client, verifier, params));
    const end = page.text.includes("<form") ? await browser.decide(page, "allow") : page;
    return { verifier, page, end, code: end.url.searchParams.get("code") ?? "" };
  }

  redeem(client: TestClient, login: Login, form: Params = {}): Promise<Response> {
    return this.tokenRequest(client, {
      grant_type: "authorization_code",
      code: login.code,
      redirect_uri: client.redirectUri,
      code_verifier: login.verifier,
      resource,
      ...form,
    });
  }

  refresh(client: TestClient, token: string, form: Params = {}): Promise<Response> {
    return this.tokenRequest(client, { grant_type: "refresh_token", refresh_token: token, ...form });
  }

  tokenRequest(client: TestClient, form: Params, path = "/token"): Promise<Response> {
    const given = Object.entries(form).filter(([, value]) => value !== undefined) as [string, string][];
    const fields: Record<string, string> = Object.fromEntries(given);
    if (client.method === "client_secret_basic") {
      const pair = [client.id, client.secret ?? ""].map(encodeURIComponent).join(":");
      return this.post(path, fields, { authorization: `Basic ${btoa(pair)}` });
    }
    const credentials = client.secret === undefined ? {} : { client_secret: client.secret };
    return this.post(path, { client_id: client.id, ...credentials, ...fields });
  }

  async tokens(client: TestClient, params: Params = {}, browser = this.browser()): Promise<Tokens> {
    const response = await this.redeem(client, await this.login(client, params, browser));
    if (response.status !== 200) throw new Error(`token: ${await response.text()}`);
    return (await response.json()) as Tokens;
  }
}

export type Params = Readonly<Record<string, string | undefined>>;

export interface Login {
  readonly verifier: string;
  readonly page: Visit;
  readonly end: Visit;
  readonly code: string;
}

/** @param params changes of the request; `undefined` leaves a parameter out */
export function authorizationUrl(client: TestClient, verifier: string, params: Params = {}): string {
  const all: Params = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: client.redirectUri,
    state: "client-state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource,
    ...params,
  };
  const url = new URL(`${issuer}/authorize`);
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
