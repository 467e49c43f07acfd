import type { Authorizer } from "@mcpgen/runtime";
import { HttpRequests } from "../../../runtime/core/http/client/http-requests.js";
import { type OAuthOptions, type RedirectReceiver, oauth } from "../../../runtime/auth/client.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import {
  type ProtectedResource,
  type ProtectedResourceOptions,
  protectedResource,
} from "../../support/auth/protected-resource.js";
import { shown } from "../../support/auth/secrets.js";

/** One request, sent as the core sends it: resolves with its status. */
export async function send(authorizer: Authorizer, url: string, revision?: string): Promise<number> {
  const requests = new HttpRequests(url, { authorize: authorizer }, false);
  const { signal } = new AbortController();
  const headers = revision === undefined ? {} : { "mcp-protocol-version": revision };
  const sent = requests.send({ method: "POST", headers, body: "{}", signal });
  const { status } = await sent.catch((error: unknown) => Promise.reject(shown(error)));
  return status;
}

/** The code of the authorization error that a request fails with. */
export async function failure(sent: Promise<number>): Promise<string> {
  const outcome = await sent.then(
    (status) => `answered ${status}`,
    (error: Error) => error,
  );
  if (typeof outcome === "string") return outcome;
  return (outcome.cause as { readonly code?: string } | undefined)?.code ?? String(outcome);
}

/** A user who consents at once. The test can change the URL to which the browser is redirected. */
export function user(
  change: (callback: URL) => string | URL = (url) => url,
): RedirectReceiver & { opened: URL[] } {
  const opened: URL[] = [];
  return {
    opened,
    uri: "http://127.0.0.1:4711/callback",
    receive: async (url) => {
      opened.push(new URL(url));
      const { headers } = await fetch(url, { redirect: "manual" });
      return String(change(new URL(headers.get("location")!)));
    },
  };
}

export interface Pair {
  readonly as: AuthorizationServer;
  readonly rs: ProtectedResource;
}

/** An authorization server, and a resource that it protects. */
export async function pair(
  server: AuthorizationServerOptions = {},
  resource: Omit<ProtectedResourceOptions, "servers"> = {},
): Promise<Pair> {
  const as = await authorizationServer(server);
  return { as, rs: await protectedResource({ ...resource, servers: [as] }) };
}

/** An authorizer whose user consents. */
export const login = (options: OAuthOptions = {}): Authorizer =>
  oauth({ redirect: user(), onEvent: shown, ...options });
