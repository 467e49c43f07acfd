import type { JsonObject } from "@mcpgen/engine";
import { expect, test, vi } from "vitest";
import type { Channel, Receiver } from "../../generator/capture/runtime.js";
import { ProxiedSession } from "../../generator/dev/proxied-session.js";

/** One end of a connection: the messages sent to it, and the receiver of the proxy. */
class End implements Channel {
  readonly sent: JsonObject[] = [];
  receiver!: Receiver;
  isClosed = false;

  open(receiver: Receiver): void {
    this.receiver = receiver;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as JsonObject);
  }

  flush(): void {}

  async close(): Promise<void> {
    this.isClosed = true;
  }

  says(message: JsonObject): void {
    this.receiver.message(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** The messages since the last call. */
  taken(): JsonObject[] {
    return this.sent.splice(0);
  }
}

function proxied(): {
  client: End;
  servers: End[];
  session: ProxiedSession;
  onLost: ReturnType<typeof vi.fn>;
} {
  const client = new End();
  const servers: End[] = [];
  const onLost = vi.fn();
  const start = (): End => servers[servers.push(new End()) - 1]!;
  const session = new ProxiedSession({ client, start, onLost, onEnd: () => {}, heard: () => {} });
  return { client, servers, session, onLost };
}

const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const agreed = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};

async function withSession(): Promise<ReturnType<typeof proxied>> {
  const all = proxied();
  await all.session.restart();
  const [server] = all.servers as [End];
  all.client.says(initialize);
  server.says({ id: 0, result: agreed });
  all.client.says({ method: "notifications/initialized" });
  return all;
}

test("the next server gets the handshake and the state of the session; the client is notified of changed lists", async () => {
  const { client, servers, session } = await withSession();
  // The client may listen for changes of lists, which each restart can bring.
  expect(client.taken()).toEqual([
    { jsonrpc: "2.0", id: 0, result: { ...agreed, capabilities: { tools: { listChanged: true } } } },
  ]);
  const [first] = servers as [End];
  client.says({ id: 1, method: "resources/subscribe", params: { uri: "a://b" } });
  client.says({ id: 2, method: "resources/subscribe", params: { uri: "a://c" } });
  client.says({ id: 3, method: "resources/unsubscribe", params: { uri: "a://c" } });
  for (const id of [1, 2, 3]) first.says({ id, result: {} });
  client.taken();

  const restarted = session.restart();
  await expect.poll(() => servers).toHaveLength(2);
  expect(first.isClosed).toBe(true);
  client.says({ id: 4, method: "tools/list" });
  const second = servers[1]!;
  expect(second.taken()).toEqual([{ jsonrpc: "2.0", ...initialize, id: "mcpgen-dev:1" }]);
  second.says({ id: "mcpgen-dev:1", result: agreed });
  await expect.poll(() => second.sent).toHaveLength(2);
  expect(second.taken().map(({ method }) => method)).toEqual([
    "notifications/initialized",
    "resources/subscribe",
  ]);
  second.says({ id: "mcpgen-dev:2", result: {} });
  await restarted;
  // The client's own request waited; nothing of the proxy's requests reaches the client.
  expect(second.taken()).toEqual([{ jsonrpc: "2.0", id: 4, method: "tools/list" }]);
  expect(client.taken()).toEqual([{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
});

test("a subscription of an era without sessions is opened again with its id, and gets changes of lists", async () => {
  const { client, servers, session } = proxied();
  await session.restart();
  const listen = {
    id: "l",
    method: "subscriptions/listen",
    params: { notifications: { toolsListChanged: true } },
  };
  const acknowledged = {
    method: "notifications/subscriptions/acknowledged",
    params: { _meta: { "io.modelcontextprotocol/subscriptionId": "l" }, notifications: {} },
  };
  client.says(listen);
  servers[0]!.says(acknowledged);
  expect(client.taken()).toMatchObject([{ params: { notifications: { toolsListChanged: true } } }]);
  await session.restart();
  expect(servers[1]!.taken()).toEqual([{ jsonrpc: "2.0", ...listen }]);
  servers[1]!.says(acknowledged);
  expect(client.taken()).toEqual([
    {
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { "io.modelcontextprotocol/subscriptionId": "l" } },
    },
  ]);
});

test("requests of two servers have different ids; an answer reaches the server that asked, or none", async () => {
  const { client, servers, session } = await withSession();
  client.taken();
  servers[0]!.says({ id: 7, method: "elicitation/create", params: {} });
  const [asked] = client.taken();
  const restarted = session.restart();
  await expect.poll(() => servers).toHaveLength(2);
  const second = servers[1]!;
  second.says({ id: String(second.taken()[0]!["id"]), result: agreed });
  await restarted;
  expect(client.taken()).toMatchObject([
    { method: "notifications/cancelled", params: { requestId: asked!["id"] } },
    { method: "notifications/tools/list_changed" },
  ]);
  second.taken();
  second.says({ id: 7, method: "elicitation/create", params: {} });
  const [again] = client.taken();
  expect(again!["id"]).not.toBe(asked!["id"]);
  client.says({ id: again!["id"]!, result: { action: "decline" } });
  expect(second.taken()).toEqual([{ jsonrpc: "2.0", id: 7, result: { action: "decline" } }]);
});

test("if the server ends by itself, open requests fail, and later ones wait for the next server", async () => {
  const { client, servers, session, onLost } = await withSession();
  client.taken();
  client.says({ id: 5, method: "tools/call", params: { name: "x" } });
  servers[0]!.receiver.closed(new Error("exited with code 1"));
  expect(onLost).toHaveBeenCalledOnce();
  expect(client.taken()).toMatchObject([{ id: 5, error: { code: -32603 } }]);
  client.says({ id: 6, method: "tools/list" });
  const restarted = session.restart();
  await expect.poll(() => servers).toHaveLength(2);
  servers[1]!.says({ id: String(servers[1]!.taken()[0]!["id"]), result: agreed });
  await restarted;
  expect(servers[1]!.taken().at(-1)).toEqual({ jsonrpc: "2.0", id: 6, method: "tools/list" });
});

test("a server that no longer has the revision of the client is refused", async () => {
  const { servers, session } = await withSession();
  const restarted = session.restart();
  await expect.poll(() => servers).toHaveLength(2);
  servers[1]!.says({
    id: String(servers[1]!.taken()[0]!["id"]),
    result: { ...agreed, protocolVersion: "2024-11-05" },
  });
  await expect(restarted).rejects.toThrow("no longer uses revision 2025-11-25");
});

test("of a batch that comes while the server ends, it gets the responses; the next server gets the others", async () => {
  const { client, servers, session } = await withSession();
  const [first] = servers as [End];
  client.says({ id: 1, method: "tools/call", params: { name: "ask" } });
  first.says({ id: 7, method: "elicitation/create", params: {} });
  const asked = client.taken().at(-1)!["id"]!;
  first.taken();
  const restarted = session.restart();
  // The restart waits for the response to the open request.
  await new Promise(setImmediate);
  const declined = { jsonrpc: "2.0", id: asked, result: { action: "decline" } };
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  client.receiver.message(JSON.stringify([declined, list]));
  expect(first.taken()).toEqual([[{ ...declined, id: 7 }]]);
  first.says({ id: 1, result: { content: [] } });
  await expect.poll(() => servers).toHaveLength(2);
  const second = servers[1]!;
  second.says({ id: String(second.taken()[0]!["id"]), result: agreed });
  await restarted;
  expect(second.taken().at(-1)).toEqual([list]);
  expect(client.taken().filter(({ error }) => error !== undefined)).toEqual([]);
});
