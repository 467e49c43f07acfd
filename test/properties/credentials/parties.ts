// Parties that are MCP server, authorization server and platform at once, wired to one another at random. Each records every
// byte that it gets, and knows nothing of what a client should do.
import { randomBytes } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { Socket } from "node:net";
import { listen } from "../../support/listen.js";

export const endpointNames = ["authorization", "token", "registration", "revocation"] as const;
export type EndpointName = (typeof endpointNames)[number];
const paths = {
  authorization: "/authorize",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
};

/** The behaviour of one party; parties are numbers. */
export interface Wiring {
  /** Whether its MCP server asks for a token. */
  readonly guard: "open" | "oauth" | "bare";
  /** The authorization servers that its resource metadata lists. */
  readonly lists: readonly number[];
  /** The party whose resource metadata its challenge names. */
  readonly metadataAt: number;
  /** The party whose URL its resource metadata names as resource. */
  readonly resource: number;
  /** The party to whom its MCP server redirects. */
  readonly redirects: number | undefined;
  /** The party whose identifier its metadata as an issuer has. */
  readonly names: number;
  /** The parties that its metadata names as endpoints. */
  readonly endpoints: Readonly<Record<EndpointName, number>>;
  /** Whether its authorization responses contain `iss` (RFC 9207), and whether its metadata announces that. */
  readonly iss: "sent" | "omitted" | "claimed";
  /** The party to whom its token endpoint redirects. */
  readonly tokenRedirects: number | undefined;
  /** Whether registrations have a secret, and tokens a refresh token. */
  readonly gives: { readonly secret: boolean; readonly refresh: boolean };
}

/** Whether a party may get a secret now. */
export type MayGet = (party: number) => boolean;

interface Secret {
  readonly what: string;
  readonly text: string;
  readonly mayGet: MayGet;
}

/** All parties of the worlds, and what they got. */
export class Parties {
  readonly urls: string[] = [];
  wiring: readonly Wiring[] = [];
  /** Whether the user names an issuer, whose metadata is then trusted. */
  isNamed: (party: number) => boolean = () => false;
  /** The parties that may get access tokens without a resource. */
  unbound: MayGet = () => false;
  /** The parties that may get assertions of a party: ID-JAGs, identities of jobs. */
  asserted: MayGet = () => false;
  /** How often any party got a secret that it may get. */
  arrivals = 0;
  readonly #secrets: Secret[] = [];
  readonly #valid = new Set<string>();
  readonly #got: string[][] = [];
  readonly #closing: (() => void)[] = [];

  static async start(count: number): Promise<Parties> {
    const parties = new Parties();
    for (let party = 0; party < count; party++) await parties.#add(party);
    return parties;
  }

  async #add(party: number): Promise<void> {
    const got: string[] = [];
    const server = createServer((request, response) => void this.#handle(party, request, response));
    // This listener must come after the server's own, which would otherwise read the bytes first.
    server.on("connection", (socket: Socket) => {
      socket.on("data", (bytes: Buffer) => void got.push(bytes.toString("latin1")));
    });
    this.#got.push(got);
    this.urls.push(`http://127.0.0.1:${await listen(server)}`);
    this.#closing.push(() => (server.closeAllConnections(), server.close()));
  }

  close(): void {
    for (const each of this.#closing) each();
  }

  /** A new secret. */
  secret(what: string, mayGet: MayGet): string {
    const text = `s${randomBytes(12).toString("hex")}`;
    this.#secrets.push({ what, text, mayGet });
    return text;
  }

  mcp(party: number): string {
    return `${this.urls[party]!}/mcp`;
  }

  /** Whether a party is an endpoint of an issuer, as the metadata of that issuer says now. */
  isEndpointOf(party: number, issuer: number, names: readonly EndpointName[]): boolean {
    const { names: identifier, endpoints } = this.wiring[issuer]!;
    return identifier === issuer && names.some((name) => endpoints[name] === party);
  }

  /** Whether a party may get what an endpoint of `owner` gave: the owner, and endpoints of issuers that the user names. */
  #mayGetOf(owner: number, names: readonly EndpointName[]): MayGet {
    return (party) =>
      party === owner ||
      this.urls.some((_, issuer) => this.isNamed(issuer) && this.isEndpointOf(party, issuer, names));
  }

  /** The secrets that parties got, although they may not have them, since the last call. */
  misdirected(): string[] {
    const found: string[] = [];
    for (const [party, got] of this.#got.entries()) {
      const text = readable(got.splice(0).join(""));
      for (const { what, text: secret, mayGet } of this.#secrets)
        if (text.includes(secret)) {
          if (mayGet(party)) this.arrivals++;
          else found.push(`${what} arrived at party ${party}`);
        }
    }
    return found;
  }

  /** Begins a new world. */
  reset(wiring: readonly Wiring[]): void {
    this.wiring = wiring;
    this.#secrets.length = 0;
    this.#valid.clear();
    this.isNamed = this.unbound = this.asserted = () => false;
    for (const got of this.#got) got.length = 0;
  }

  /** Ends all access tokens. */
  expire(): void {
    this.#valid.clear();
  }

  async #handle(party: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    const url = new URL(request.url!, this.urls[party]);
    const json = (status: number, value: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const to = (location: string): void => void response.writeHead(307, { location }).end();
    const { redirects, tokenRedirects, gives } = this.wiring[party]!;
    const form = new URLSearchParams(body);
    if (url.pathname === "/mcp") {
      if (redirects !== undefined) return to(this.mcp(redirects));
      this.#mcp(party, request, response, body);
    } else if (url.pathname.startsWith("/.well-known/oauth-protected-resource"))
      json(200, this.#resource(party));
    else if (url.pathname.startsWith("/.well-known/")) json(200, this.#issuer(party));
    else if (url.pathname === paths.authorization)
      response.writeHead(302, { location: this.#code(party, url) }).end();
    else if (url.pathname === paths.registration)
      json(201, {
        client_id: `client-of-${party}`,
        redirect_uris: ["http://127.0.0.1:4711/callback"],
        token_endpoint_auth_method: gives.secret ? "client_secret_post" : "none",
        ...(gives.secret && {
          client_secret: this.secret(
            `the secret of a registration at ${party}`,
            this.#mayGetOf(party, ["token", "revocation"]),
          ),
        }),
      });
    else if (url.pathname === paths.token) {
      if (tokenRedirects !== undefined) return to(this.urls[tokenRedirects]! + paths.token);
      json(200, this.#tokens(party, form));
    } else if (url.pathname === "/identity")
      json(200, { value: this.secret(`the identity of a job by ${party}`, (at) => this.asserted(at)) });
    else response.writeHead(url.pathname === paths.revocation ? 200 : 404).end();
  }

  #mcp(party: number, request: IncomingMessage, response: ServerResponse, body: string): void {
    const { guard, metadataAt } = this.wiring[party]!;
    const [, token = ""] = (request.headers.authorization ?? "").split(" ");
    if (guard === "open" || this.#valid.has(token)) return answer(request, response, body);
    const place = `${this.urls[metadataAt]!}/.well-known/oauth-protected-resource/mcp`;
    const challenge = guard === "bare" ? "Bearer" : `Bearer resource_metadata="${place}"`;
    response.writeHead(401, { "www-authenticate": challenge }).end();
  }

  #resource(party: number): object {
    const { resource, lists } = this.wiring[party]!;
    return { resource: this.mcp(resource), authorization_servers: lists.map((each) => this.urls[each]) };
  }

  #issuer(party: number): object {
    const { names, endpoints, iss } = this.wiring[party]!;
    return {
      issuer: this.urls[names],
      ...Object.fromEntries(
        endpointNames.map((name) => [`${name}_endpoint`, this.urls[endpoints[name]]! + paths[name]]),
      ),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      ...(iss !== "omitted" && { authorization_response_iss_parameter_supported: true }),
    };
  }

  #code(party: number, url: URL): string {
    const to = new URL(url.searchParams.get("redirect_uri")!);
    const { iss } = this.wiring[party]!;
    const mayGet = this.#mayGetOf(party, ["token"]);
    // A response with this party as `iss` allows the token endpoint of this issuer to get the code.
    const named: MayGet = (at) => iss === "sent" && this.isEndpointOf(at, party, ["token"]);
    const code = this.secret(`a code of ${party}`, (at) => mayGet(at) || named(at));
    to.searchParams.set("code", code);
    to.searchParams.set("state", url.searchParams.get("state")!);
    if (iss === "sent") to.searchParams.set("iss", this.urls[party]!);
    return to.href;
  }

  #tokens(party: number, form: URLSearchParams): object {
    const resource = form.get("resource");
    const isAssertion = form.has("requested_token_type");
    const revokes = this.#mayGetOf(party, ["revocation"]);
    const bound: MayGet = (at) => (resource === null ? this.unbound(at) : this.mcp(at) === resource);
    const access = this.secret(
      `${isAssertion ? "an ID-JAG" : "an access token"} of ${party} for ${resource}`,
      isAssertion ? (at) => this.asserted(at) : (at) => bound(at) || revokes(at),
    );
    this.#valid.add(access);
    const refresh = (): string =>
      this.secret(`a refresh token of ${party}`, this.#mayGetOf(party, ["token", "revocation"]));
    return {
      access_token: access,
      token_type: "Bearer",
      expires_in: 3600,
      ...(this.wiring[party]!.gives.refresh && !isAssertion && { refresh_token: refresh() }),
      ...(isAssertion && { issued_token_type: form.get("requested_token_type") }),
    };
  }
}

/** The responses of an MCP server without tools, at any revision. */
function answer({ method }: IncomingMessage, response: ServerResponse, text: string): void {
  if (method !== "POST") return void response.writeHead(method === "DELETE" ? 200 : 405).end();
  const message = JSON.parse(text) as { id?: number; method?: string; params?: { protocolVersion?: string } };
  const { id, params } = message;
  if (id === undefined) return void response.writeHead(202).end();
  const kept = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "party", version: "1" },
    },
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...kept },
    "tools/list": { tools: [], ...kept },
    "tools/call": { content: [], ...kept },
  };
  const result = results[message.method ?? ""];
  const error = { code: -32601, message: "no such method" };
  const session = message.method === "initialize" ? { "mcp-session-id": "session-of-a-party" } : {};
  response.writeHead(200, { "content-type": "application/json", ...session });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
}

/** A record of bytes, with everything in it that is encoded as base64. */
function readable(bytes: string): string {
  const encoded = bytes.match(/[A-Za-z0-9+/_-]{24,}={0,2}/g) ?? [];
  return [bytes, ...encoded.map((text) => Buffer.from(text, "base64").toString("latin1"))].join("\n");
}
