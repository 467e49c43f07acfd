// Whole logins at servers whose authorization server has two names, from the first refusal to the answer of a tool.
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, connect } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { type OAuthOptions, memoryStore } from "../../../runtime/auth/client.js";
import { type AuthorizationServer, authorizationServer } from "../../support/auth/authorization-server.js";
import { protectedResource } from "../../support/auth/protected-resource.js";
import { type RenamedIssuer, namesAt, renamedIssuers } from "../../support/auth/renamed-issuers.js";
import { newServer } from "../../support/live-server.js";
import { login, user } from "./drive.js";

interface Site {
  readonly as: AuthorizationServer;
  /** As the MCP server names it, or its user. */
  readonly issuer: string;
  /** As it calls itself. */
  readonly own: string;
  /** Connects, and lets the user log in. */
  readonly open: (options: OAuthOptions) => Promise<Client>;
}

/** An MCP server of one tool, and an authorization server with the two names of a public one. */
async function siteOf(renamed: RenamedIssuer): Promise<Site> {
  const as: AuthorizationServer = await authorizationServer({
    path: new URL(renamed.issuer).pathname.replace(/\/$/, ""),
    fault: (call, honest) =>
      call.endpoint === "metadata" && renamed.where === "metadata"
        ? { ...honest, body: { ...(honest.body as object), issuer: names().own } }
        : honest,
  });
  const names = (): { readonly issuer: string; readonly own: string } =>
    namesAt(renamed, new URL(as.issuer).origin);
  const { issuer, own } = names();
  const server = newServer();
  server.tool("echo", { description: "It answers with one word." }, () => "echoed");
  const handler = createNodeHandler(server);
  onTestFinished(() => handler.close());
  const { url } = await protectedResource({
    servers: [as],
    ...(renamed.unnamed ? { metadataAt: "none" } : { metadata: { authorization_servers: [issuer] } }),
    serve: (request, response, body) => handler(request, response, body),
  });
  const redirect = user((callback) => {
    callback.searchParams.set("iss", own);
    return callback;
  });
  const open = async (options: OAuthOptions): Promise<Client> => {
    const named = renamed.unnamed ? { issuer } : {};
    const authorize = login({ redirect, ...named, ...options });
    const client = await connect(url, { revisions: clientRevisions, http: { authorize } });
    onTestFinished(() => client.close());
    return client;
  };
  return { as, issuer, own, open };
}

const called = async (client: Client): Promise<unknown> => (await client.callTool("echo")).content;
const echoed = [{ type: "text", text: "echoed" }];

describe.each(renamedIssuers.map((each) => [each.name, each] as const))("%s", (_, renamed) => {
  test("with the exception: metadata, registration, code, token, call, refresh and the next process", async () => {
    const { as, issuer, own, open } = await siteOf(renamed);
    const options = { store: memoryStore(), issuers: { [issuer]: { issuer: own } } };
    const client = await open(options);
    expect(await called(client)).toEqual(echoed);
    const asked = as.calls.map(({ endpoint }) => endpoint).filter((each) => each !== "unknown");
    expect([...new Set(asked)]).toEqual(["metadata", "register", "authorize", "token"]);
    as.expireAccessTokens();
    expect(await called(client)).toEqual(echoed);
    as.expireAccessTokens();
    expect(await called(await open(options))).toEqual(echoed);
    const counts = ["register", "authorize", "token refresh_token"].map((each) => as.count(each));
    expect(counts).toEqual([1, 1, 2]);
  });

  test("without it, with another one, or with swapped names: the error has both names in full, and no secret is sent", async () => {
    const { as, issuer, own, open } = await siteOf(renamed);
    const exceptions: readonly NonNullable<OAuthOptions["issuers"]>[] = [
      {},
      { [own]: { issuer } },
      { [issuer]: { issuer: `${own}/x` } },
      { [issuer]: { issuer: own.replace("http", "HTTP") } },
      { [issuer]: { issuer: own.replace(/:(\d+)/, ":0$1") } },
      { [issuer]: { issuer: own.endsWith("/") ? own.slice(0, -1) : `${own}/` } },
    ];
    for (const issuers of exceptions) {
      const error: unknown = await open({ issuers }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "authorize-failed", cause: { code: "auth-issuer-mismatch" } });
      const { message } = (error as { readonly cause: Error }).cause;
      for (const each of [issuer, own]) expect(message).toContain(`"${each}"`);
    }
    expect(as.count("token")).toBe(0);
    if (renamed.where === "metadata") expect([as.count("register"), as.count("authorize")]).toEqual([0, 0]);
  });
});
