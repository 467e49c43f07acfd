// A resource server for tests of clients: protected resource metadata, challenges, and tokens checked by the
// fixture's authorization servers.
import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { served } from "../listen.js";
import type { AuthorizationServer } from "./authorization-server.js";
import { DPoPFault, DPoPProofs } from "./dpop-proof.js";

export interface ProtectedResourceOptions {
  /** The https URL of its host, for access through a proxy. Default: http on this machine. */
  readonly host?: string;
  /** Default: `/mcp`. */
  readonly path?: string;
  /** The authorization servers whose tokens are accepted, in the order of the metadata. */
  readonly servers: readonly AuthorizationServer[];
  /** URL of the metadata. Default: with the path inserted. `none`: there is no metadata. */
  readonly metadataAt?: "path" | "root" | "none";
  /** Replaces members of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Scopes that a token needs; a refusal names them. */
  readonly scopes?: readonly string[];
  /** The text of `WWW-Authenticate`, or of several. Default: Bearer, or DPoP, with `resource_metadata`. */
  readonly challenge?: (standard: string) => string | readonly string[] | undefined;
  readonly dpop?: boolean;
  readonly nonces?: boolean;
  /** Serves an authorized request. Default: 200 and `{}`. */
  readonly serve?: (request: IncomingMessage, response: ServerResponse, body: string) => void;
}

export class ProtectedResource {
  readonly url: string;
  readonly port: number;
  options: ProtectedResourceOptions;
  /** `status method path` of every request. */
  readonly log: string[] = [];
  /** `Authorization` of every request that had it. */
  readonly tokens: string[] = [];
  private readonly proofs: DPoPProofs;

  constructor(url: string, port: number, options: ProtectedResourceOptions) {
    this.url = url;
    this.port = port;
    this.options = options;
    this.proofs = new DPoPProofs(options.nonces ?? false, Date.now);
  }

  count(status: number): number {
    return this.log.filter((line) => line.startsWith(`${status} `) && !line.includes(".well-known")).length;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    response.on("finish", () => this.log.push(`${response.statusCode} ${request.method} ${request.url}`));
    if (request.url!.startsWith("/.well-known/oauth-protected-resource"))
      this.sendMetadata(request, response);
    else if (request.url!.split("?")[0] !== new URL(this.url).pathname) response.writeHead(404).end();
    else await this.protect(request, response, body);
  }

  private sendMetadata({ url }: IncomingMessage, response: ServerResponse): void {
    if (url !== this.metadataPath()) {
      response.writeHead(404).end();
      return;
    }
    const document = {
      resource: this.url,
      authorization_servers: this.options.servers.map(({ issuer }) => issuer),
      ...this.options.metadata,
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  }

  private metadataPath(): string | undefined {
    const { metadataAt = "path" } = this.options;
    const path = metadataAt === "path" ? new URL(this.url).pathname : "";
    return metadataAt === "none" ? undefined : `/.well-known/oauth-protected-resource${path}`;
  }

  private async protect(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const given = request.headers.authorization;
    if (given !== undefined) this.tokens.push(given);
    const [scheme, token = ""] = (given ?? "").split(" ");
    const entry = this.options.servers.map(({ state }) => state.active(token)).find((found) => found);
    const scopes = this.options.scopes ?? [];
    if (!entry || entry.resource !== this.url)
      return this.refuse(response, 401, given === undefined ? undefined : "invalid_token");
    if (scheme!.toLowerCase() !== (entry.jkt === undefined ? "bearer" : "dpop"))
      return this.refuse(response, 401, "invalid_token");
    if (entry.jkt !== undefined && !(await this.possesses(request, response, token, entry.jkt))) return;
    if (!scopes.every((scope) => entry.scope.split(" ").includes(scope)))
      return this.refuse(response, 403, "insufficient_scope");
    if (this.options.serve) return this.options.serve(request, response, body);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }

  private async possesses(
    request: IncomingMessage,
    response: ServerResponse,
    token: string,
    jkt: string,
  ): Promise<boolean> {
    try {
      const headers = new Headers(Object.entries(request.headers) as [string, string][]);
      const thumbprint = await this.proofs.verify(headers, request.method!, this.url, token);
      if (thumbprint === jkt) return true;
      this.refuse(response, 401, "invalid_dpop_proof");
    } catch (error) {
      if (!(error instanceof DPoPFault)) throw error;
      if (error.nonce !== undefined) response.setHeader("dpop-nonce", error.nonce);
      this.refuse(response, 401, error.nonce === undefined ? "invalid_dpop_proof" : "use_dpop_nonce");
    }
    return false;
  }

  private refuse(response: ServerResponse, status: number, error: string | undefined): void {
    const { scopes, dpop, challenge = (text: string) => text } = this.options;
    const path = this.metadataPath();
    const params = [
      path === undefined ? undefined : `resource_metadata="${new URL(path, this.url).href}"`,
      scopes ? `scope="${scopes.join(" ")}"` : undefined,
      error === undefined ? undefined : `error="${error}"`,
    ].filter((param) => param !== undefined);
    const text = challenge(`${dpop === true ? "DPoP" : "Bearer"} ${params.join(", ")}`.trim());
    response
      .writeHead(status, text === undefined ? {} : { "www-authenticate": text as string | string[] })
      .end();
  }
}

/** Starts a resource server; `close` ends it. */
export async function startProtectedResource(
  options: ProtectedResourceOptions,
): Promise<{ readonly resource: ProtectedResource; readonly close: () => void }> {
  const { origin, port, close } = await served(
    options.host,
    (request, response) => void resource.handle(request, response),
  );
  const resource = new ProtectedResource(`${origin}${options.path ?? "/mcp"}`, port, options);
  return { resource, close };
}

/** Starts a resource server that ends with the test. */
export async function protectedResource(options: ProtectedResourceOptions): Promise<ProtectedResource> {
  const { resource, close } = await startProtectedResource(options);
  onTestFinished(close);
  return resource;
}
