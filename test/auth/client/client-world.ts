// The surroundings in which the rules of clients are tested: servers of the fixture, a user with a browser, and an
// agent that uses a client.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, connect } from "@mcpgen/runtime";
import { type OAuthClient, type TokenStore, memoryStore, oauth } from "@mcpgen/auth/client";
import {
  type Answer,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from "../../support/auth/authorization-server.js";
import {
  type ProtectedResource,
  type ProtectedResourceOptions,
  startProtectedResource,
} from "../../support/auth/protected-resource.js";
import { shown } from "../../support/auth/secrets.js";

/** An application with a connection to one server. */
export interface Agent {
  /** Sends a request; lets the user log in if necessary. */
  call(): Promise<unknown>;
  close(): Promise<unknown>;
  /** The same application with the same storage in a new process. */
  restart(): Agent;
}

export interface AgentOptions {
  readonly url: string;
  readonly redirectUri: string;
  readonly client: OAuthClient;
  /** Opens a URL in the user's browser, and resolves with the URL to which the browser is redirected at the end. */
  readonly browse: (url: string) => Promise<string>;
  /** Whether tokens are bound to a key. */
  readonly dpop: boolean;
  /** The revision of the protocol that the application uses. */
  readonly revision: string;
  /** Whether the origin of a server of 2025-03-26 without metadata may be its authorization server. */
  readonly legacy: boolean;
}

export type MakeAgent = (options: AgentOptions) => Agent;

/** An application with the client of this project. */
export function ourAgent(options: AgentOptions, store: TokenStore = memoryStore()): Agent {
  const { url, redirectUri, client, browse, revision } = options;
  const redirect = { uri: redirectUri, receive: browse };
  const authorize = oauth({
    client,
    store,
    redirect,
    onEvent: shown,
    ...(options.legacy && { legacy: "2025-03-26" }),
  });
  let connection: Promise<Client> | undefined;
  const connected = (): Promise<Client> =>
    (connection ??= connect(url, { revisions: clientRevisions, revision, http: { authorize } }).catch(
      (error: unknown) => {
        connection = undefined;
        throw error;
      },
    ));
  return {
    call: async () => (await connected()).callTool("echo"),
    close: async () => (await connection)?.close(),
    restart: () => ourAgent(options, store),
  };
}

/** Changes the URL to which the browser is redirected, as a user or an attacker can. */
type Change = (callback: URL) => URL | Promise<URL>;

interface AgentChanges extends Partial<Pick<AgentOptions, "redirectUri" | "client" | "dpop" | "legacy">> {
  readonly change?: Change;
}

type Protection = Omit<ProtectedResourceOptions, "servers">;

/** One rule's servers and agents; `close` ends them. */
export class World {
  /** The URLs to which users were brought. */
  readonly opened: URL[] = [];
  readonly revision: string;
  readonly #make: MakeAgent;
  readonly #closing: (() => unknown)[] = [];

  constructor(make: MakeAgent, revision: string) {
    this.#make = make;
    this.revision = revision;
  }

  async server(options?: AuthorizationServerOptions): Promise<AuthorizationServer> {
    const server = await startAuthorizationServer(options);
    this.#closing.push(server.close);
    return server;
  }

  /** An MCP server that needs tokens. */
  async resource(servers: readonly AuthorizationServer[], options?: Protection): Promise<ProtectedResource> {
    const { resource, close } = await startProtectedResource({ serve: answer, ...options, servers });
    this.#closing.push(close);
    return resource;
  }

  async pair(
    server?: AuthorizationServerOptions,
    options?: Protection,
  ): Promise<{ readonly as: AuthorizationServer; readonly rs: ProtectedResource }> {
    const as = await this.server(server);
    return { as, rs: await this.resource([as], options) };
  }

  /**
   * An MCP server of 2025-03-26, whose origin is its authorization server.
   *
   * @param described whether there is metadata; without it, endpoints have their default paths
   */
  async legacy(described: boolean): Promise<{ readonly as: AuthorizationServer; readonly url: string }> {
    const as: AuthorizationServer = await this.server({
      resourceRequired: false,
      fault: ({ endpoint, method, url, headers, body }, given) => {
        if (endpoint === "metadata" && !described) return { status: 404 };
        if (url.pathname !== "/mcp") return given;
        const token = headers.get("authorization")?.slice("Bearer ".length);
        return as.state.active(token ?? "") ? reply(method, body) : { status: 401 };
      },
    });
    return { as, url: `${as.issuer}/mcp` };
  }

  /** A port of this machine, and how many connections it got. */
  async port(): Promise<{ readonly port: number; connections: () => number }> {
    let count = 0;
    const server = createServer((socket) => (count++, socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, resolve));
    this.#closing.push(() => server.close());
    return { port: (server.address() as AddressInfo).port, connections: () => count };
  }

  /** An agent whose user consents. */
  agent({ url }: { readonly url: string }, changes: AgentChanges = {}): Agent {
    const { change = (callback) => callback, ...more } = changes;
    const browse = async (to: string): Promise<string> => {
      this.opened.push(new URL(to));
      const location = (await fetch(to, { redirect: "manual" })).headers.get("location");
      assert.ok(location !== null, "the authorization server does not redirect");
      return (await change(new URL(location))).href;
    };
    const standard = {
      redirectUri: "http://127.0.0.1:4711/callback",
      client: {},
      dpop: false,
      legacy: false,
    };
    const agent = this.#make({ url, browse, revision: this.revision, ...standard, ...more });
    this.#closing.push(() => agent.close().catch(() => undefined));
    return agent;
  }

  /** The values of a parameter in the URLs that were opened. */
  asked(name: string): (string | null)[] {
    return this.opened.map(({ searchParams }) => searchParams.get(name));
  }

  async close(): Promise<void> {
    for (const each of this.#closing.reverse()) await each();
  }
}

const serverInfo = { name: "protected", version: "1" };
const capabilities = { tools: {} };
/** The members that results have since 2026-07-28. Older clients ignore them. */
const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** The results of an MCP server with one tool, at any revision. */
const results: Readonly<Record<string, (params: { readonly protocolVersion?: string }) => object>> = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities, ...modern }),
  "tools/list": () => ({ tools: [], ...modern }),
  "tools/call": () => ({ content: [], ...modern }),
};

/** The response of an MCP server. It has sessions before 2026-07-28. */
function reply(verb: string, text: string): Answer {
  if (verb !== "POST") return { status: verb === "DELETE" ? 200 : 405 };
  const { id, method, params } = JSON.parse(text) as {
    readonly id?: number;
    readonly method: string;
    readonly params?: object;
  };
  if (id === undefined) return { status: 202 };
  const result = results[method]?.(params ?? {});
  const error = { code: -32601, message: "no such method" };
  const session: Record<string, string> = method === "initialize" ? { "mcp-session-id": randomUUID() } : {};
  const headers = { "content-type": "application/json", ...session };
  return { status: 200, headers, body: { jsonrpc: "2.0", id, ...(result ? { result } : { error }) } };
}

/** The MCP server behind a protected resource. */
export function answer({ method }: IncomingMessage, response: ServerResponse, text: string): void {
  const { status, headers, body } = reply(method!, text);
  response.writeHead(status, headers).end(body === undefined ? "" : JSON.stringify(body));
}

/** The text of the error that a call fails with, and of its causes. */
export async function failure(call: Promise<unknown>): Promise<string> {
  let error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown ?? "nothing",
  );
  assert.ok(error !== undefined, "the call succeeded");
  shown(error);
  const texts: string[] = [];
  for (; error !== undefined && texts.length < 10; error = (error as Error).cause) texts.push(String(error));
  return texts.join("\n");
}
