import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A login on this machine that behaves like GitHub's, with one registered client and one account. */
export interface LoginStandIn {
  readonly clientId: string;
  readonly secret: string;
  readonly host: string;
  readonly api: string;
}

const account = { id: 17, login: "ada" };

/** @param redirectUri the only one that is registered */
export async function startLoginStandIn(redirectUri: string): Promise<LoginStandIn> {
  const client = { clientId: "stand-in", secret: randomBytes(16).toString("hex") };
  /** PKCE challenges by code. */
  const codes = new Map<string, string>();
  const tokens = new Set<string>();

  function token(form: URLSearchParams): object {
    const challenge = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "");
    if (form.get("client_secret") !== client.secret || challenge !== verifier.digest("base64url"))
      return { error: "bad_verification_code" };
    const access = `gho_${randomBytes(16).toString("hex")}`;
    tokens.add(access);
    return { access_token: access, token_type: "bearer", scope: "gist" };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, "http://127.0.0.1");
    const body = request.method === "POST" ? new URLSearchParams(await text(request)) : undefined;
    if (pathname === "/login/oauth/authorize" && !body) return page(response, searchParams);
    if (pathname === "/login/oauth/authorize") {
      const code = randomBytes(16).toString("hex");
      codes.set(code, body!.get("code_challenge")!);
      const query = new URLSearchParams({ code, state: body!.get("state")! });
      response.writeHead(303, { location: `${redirectUri}?${query}` }).end();
    } else if (pathname === "/login/oauth/access_token" && body) json(response, token(body));
    else if (pathname === "/api/user" && tokens.has(request.headers.authorization?.slice(7) ?? ""))
      json(response, account);
    else response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The server of the example keeps the process alive.
  server.unref();
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...client, host, api: `${host}/api` };
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function page(response: ServerResponse, query: URLSearchParams): void {
  const fields = ["state", "code_challenge"].map((name) => {
    const value = (query.get(name) ?? "").replace(/[^\w-]/g, "");
    return `<input type="hidden" name="${name}" value="${value}">`;
  });
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html>
<html lang="en"><head><meta name="viewport" content="width=device-width"><title>Log in</title></head>
<body><h1>A login that stands in for GitHub</h1>
<form method="post">${fields.join("")}<button>Log in as ${account.login}</button></form></body></html>`);
}
