import type { OAuthProxy } from "@mcpgen/auth/proxy";
import { minted, shown } from "../../support/auth/secrets.js";
import type { UpstreamStandIn } from "./upstream-stand-in.js";

/** One answer that a browser shows or follows. */
export interface Visit {
  readonly url: URL;
  readonly response: Response;
  readonly text: string;
}

/** Asks a proxy, as `serveHttp` does. */
export async function ask(proxy: OAuthProxy, url: string, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(url);
  const route = proxy.routes.find(({ path }) => path === pathname);
  if (!route) return new Response("", { status: 404 });
  const response = await route.handle(new Request(url, init));
  await record(response.clone());
  return response;
}

/** Records the secrets that a response gives to their owners, and the rest of the response as shown text. */
async function record(response: Response): Promise<void> {
  for (const cookie of response.headers.getSetCookie()) minted(cookie.split("; ")[0]!.split("=")[1]);
  const location = response.headers.get("location");
  if (location !== null) minted(new URL(location).searchParams.get("code"));
  const text = await response.text();
  if (!response.ok || !text.startsWith("{")) return void shown(text);
  const body = JSON.parse(text) as Readonly<Record<string, string | undefined>>;
  for (const name of ["access_token", "refresh_token", "client_secret"]) minted(body[name]);
}

/** A browser without script: keeps cookies, follows redirections between the proxy and the upstream, sends forms. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly visited: string[] = [];
  private readonly origin: string;
  private readonly proxies: () => OAuthProxy;
  private readonly upstream: UpstreamStandIn;

  /** @param proxies returns the proxy that answers the next request, so that each request may reach another node */
  constructor(proxies: OAuthProxy | (() => OAuthProxy), upstream: UpstreamStandIn) {
    this.proxies = typeof proxies === "function" ? proxies : () => proxies;
    this.origin = new URL(this.proxies().issuer).origin;
    this.upstream = upstream;
  }

  /** Goes to a URL, and follows redirections until a page, or a host that is neither the proxy nor the upstream. */
  async open(url: string, init: RequestInit = {}): Promise<Visit> {
    const here = new URL(url);
    this.visited.push(here.href);
    if (here.origin === this.upstream.origin) return this.open(this.upstream.authorize(here));
    if (here.origin !== this.origin) return { url: here, response: new Response(), text: "" };
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0)
      headers.set("cookie", [...this.cookies].map((pair) => pair.join("=")).join("; "));
    const response = await ask(this.proxies(), url, { ...init, headers });
    this.keep(response);
    const location = response.headers.get("location");
    if (location !== null) return this.open(location);
    return { url: here, response, text: await response.text() };
  }

  /** Sends the form of a consent page. */
  async decide(page: Visit, decision: string, headers: Record<string, string> = {}): Promise<Visit> {
    const [, action = ""] = /<form method="post" action="([^"]+)">/.exec(page.text) ?? [];
    const fields = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const form = new URLSearchParams(fields.map(([, name, value]): [string, string] => [name!, value!]));
    form.set("decision", decision);
    const sent = { origin: this.origin, "sec-fetch-site": "same-origin", ...headers };
    return this.open(action, {
      method: "POST",
      body: form.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...sent },
    });
  }

  private keep(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split("; ");
      const [name = "", value = ""] = pair.split("=");
      if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
