// Wherever the core stores data for a client, the principal is the pair of issuer and subject.
import { expect, test } from "vitest";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { MemorySessionStore, createHttpHandler } from "@mcpgen/runtime/http";
import { jwks, resourceServer } from "@mcpgen/auth/server";
import { type AuthorizationServer, authorizationServer } from "../../support/auth/authorization-server.js";
import { shown } from "../../support/auth/secrets.js";
import { claimsFor, resource } from "./requests.js";

interface Two {
  readonly one: AuthorizationServer;
  readonly two: AuthorizationServer;
  /** Sends a message with a token of an issuer; the subject is the same at both. */
  readonly send: (
    as: AuthorizationServer,
    message: object,
    headers?: object,
    method?: string,
  ) => Promise<Response>;
}

async function twoIssuers(store?: MemorySessionStore): Promise<Two> {
  const [one, two] = [await authorizationServer(), await authorizationServer()];
  const handler = (): ReturnType<typeof createHttpHandler> => {
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: serverRevisions, onEvent: () => true },
    );
    server.tool("ask", {}, async (_, { ask }) => {
      const { action } = await ask.elicit("sure", {
        message: "Sure?",
        requestedSchema: { type: "object", properties: { confirmed: { type: "boolean" } } },
      });
      return String(action);
    });
    const { http } = resourceServer({ resource, issuers: [jwks(one.issuer), jwks(two.issuer)] });
    return createHttpHandler(server, { ...http, ...(store && { sessions: { store } }) });
  };
  const handlers = [handler(), handler()];
  let turn = 0;
  const send: Two["send"] = async (as, message, headers = {}, method = "POST") => {
    const token = await as.sign(claimsFor(as), "at+jwt");
    const all = {
      host: "localhost",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    };
    const body = method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", ...message }) } : {};
    // With a store, requests alternate between two processes.
    const { fetch } = handlers[store ? turn++ % 2 : 0]!;
    const response = await fetch(new Request("http://localhost/mcp", { method, headers: all, ...body }));
    if (method === "POST") shown(await response.clone().text());
    return response;
  };
  return { one, two, send };
}

const clientInfo = { name: "t", version: "1" };
const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};

test.each(["in memory", "in a store"])(
  "a session %s does not belong to the same sub at another issuer",
  async (where) => {
    const { one, two, send } = await twoIssuers(where === "in memory" ? undefined : new MemorySessionStore());
    const opened = await send(one, initialize);
    const session = {
      "mcp-session-id": opened.headers.get("mcp-session-id")!,
      "mcp-protocol-version": "2025-11-25",
    };
    await send(one, { method: "notifications/initialized" }, session);
    const ping = { id: 1, method: "ping" };
    expect((await send(two, ping, session)).status).toBe(404);
    expect((await send(two, {}, session, "GET")).status).toBe(404);
    expect((await send(two, {}, session, "DELETE")).status).toBe(404);
    expect((await send(one, ping, session)).status).toBe(200);
  },
);

test("the sealed state of a request in rounds is not accepted from the same sub at another issuer", async () => {
  const { one, two, send } = await twoIssuers();
  const newest = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": newest,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const headers = { "mcp-protocol-version": newest, "mcp-method": "tools/call", "mcp-name": "ask" };
  const call = (as: AuthorizationServer, more = {}): Promise<Response> =>
    send(
      as,
      { id: 1, method: "tools/call", params: { name: "ask", arguments: {}, _meta, ...more } },
      headers,
    );
  const { result } = (await (await call(one)).json()) as {
    result: { inputRequests: Record<string, unknown>; requestState: string };
  };
  const inputResponses = Object.fromEntries(
    Object.keys(result.inputRequests).map((key) => [key, { action: "accept", content: { confirmed: true } }]),
  );
  const retry = { inputResponses, requestState: result.requestState };
  expect(await (await call(two, retry)).text()).toContain("it was issued to another client");
  expect(await (await call(one, retry)).text()).not.toContain("issued to another client");
});
