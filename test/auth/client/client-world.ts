// What the rules of clients are tried in: servers of the fixture, a user with a browser, and an agent that a client serves.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, connect } from "@mcpgen/runtime";
import { type OAuthClient, type TokenStore, memoryStore, oauth } from "@mcpgen/auth/client";
import {
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
  /** Sends a request; lets the user log in where that is needed. */
  call(): Promise<unknown>;
  close(): Promise<unknown>;
  /** The same application with the same storage in a new process. */
  restart(): Agent;
}

export interface AgentOptions {
  readonly url: string;
  readonly redirectUri: string;
  readonly client: OAuthClient;
  /** Brings the user to a URL, and resolves with the URL that the browser is sent back to. */
  readonly browse: (url: string) => Promise<string>;
  /** Whether tokens are bound to a key. */
  readonly dpop: boolean;
}

export type MakeAgent = (options: AgentOptions) => Agent;

/** The revision that all agents use. */
export const revision = "2025-11-25";

/** An application with the client of this project. */
export function ourAgent(options: AgentOptions, store: TokenStore = memoryStore()): Agent {
  const { url, redirectUri, client, browse } = options;
  const redirect = { uri: redirectUri, receive: browse };
  const authorize = oauth({ client, store, redirect });
  let connection: Promise<Client> | undefined;
  const connected = (): Promise<Client> =>
    (connection ??= connect(url, { revisions: clientRevisions, revision, http: { authorize } }).catch(
      (error: unknown) => {
        connection = undefined;
        throw error;
      },
    ));
  return {
    call: async () => (await connected()).ping(),
    close: async () => (await connection)?.close(),
    restart: () => ourAgent(options, store),
  };
}

/** What the user and the browser do with the URL that they are sent back to. */
type Change = (callback: URL) => URL | Promise<URL>;

interface AgentChanges extends Partial<Pick<AgentOptions, "redirectUri" | "client" | "dpop">> {
  readonly change?: Change;
}

type Protection = Omit<ProtectedResourceOptions, "servers">;

/** One rule's servers and agents; `close` ends them. */
export class World {
  /** The URLs to which users were brought. */
  readonly opened: URL[] = [];
  readonly #make: MakeAgent;
  readonly #closing: (() => unknown)[] = [];

  constructor(make: MakeAgent) {
    this.#make = make;
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
    const standard = { redirectUri: "http://127.0.0.1:4711/callback", client: {}, dpop: false };
    const agent = this.#make({ url, browse, ...standard, ...more });
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

/** An MCP server with sessions; it knows `ping`. */
export function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.method !== "POST")
    return void response.writeHead(request.method === "DELETE" ? 200 : 405).end();
  const { id, method, params } = JSON.parse(body) as {
    readonly id?: number;
    readonly method: string;
    readonly params?: { readonly protocolVersion?: string };
  };
  if (id === undefined) return void response.writeHead(202).end();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: {},
      serverInfo: { name: "protected", version: "1" },
    },
    ping: {},
  };
  const result = results[method];
  const error = { code: -32601, message: "no such method" };
  const session = method === "initialize" ? { "mcp-session-id": randomUUID() } : {};
  response.writeHead(200, { "content-type": "application/json", ...session });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
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
