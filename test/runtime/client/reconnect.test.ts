import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Channel, type Client, McpError, type Receiver, connect, createServer } from "@mcpgen/runtime";
import { VirtualClock, memoryChannels } from "@mcpgen/testing";
import { expect, test, vi } from "vitest";
import { ScriptedPeer, type Script, base, reply } from "../../support/scripted-stdio-server.js";
import type { ConnectOptions } from "@mcpgen/runtime";
import { failureOf } from "../../support/failure-of.js";
import { heard } from "../../support/heard.mjs";

interface Reconnecting {
  readonly client: Client;
  /** The servers that were started, in order. */
  readonly peers: ScriptedPeer[];
}

/** A client that starts another server when one is gone. */
async function reconnecting(
  revision: string,
  script: Script = {},
  options: Partial<ConnectOptions> = {},
): Promise<Reconnecting> {
  const peers: ScriptedPeer[] = [];
  const start = () => {
    const peer = new ScriptedPeer(revision, script);
    vi.spyOn(peer.channel, "close");
    peers.push(peer);
    return peer.channel;
  };
  const client = await connect(start, { ...base(new VirtualClock()), revision, ...options });
  return { client, peers };
}

/** Resolves when the client knows that its server is gone. */
async function gone({ client, peers }: Reconnecting): Promise<void> {
  const call = client.request("tools/call", { name: "last" });
  peers.at(-1)!.hangUp();
  await call.catch(() => undefined);
}

const never: Script = { "tools/call": () => undefined };

test.each(["2025-11-25", "2026-07-28"])(
  "closing also ends a server that is still starting (%s)",
  async (revision) => {
    const made = await reconnecting(revision, never);
    const { client, peers } = made;
    await gone(made);
    const call = failureOf(client.callTool("a"));
    await client.close();
    expect(await call).toMatchObject({ name: "McpError", code: "connection-closed" });
    expect(peers).toHaveLength(2);
    for (const { channel } of peers.slice(1)) expect(channel.close).toHaveBeenCalled();
  },
);

test("closing does not wait for a server that does not answer", async () => {
  const script = { ...never };
  const made = await reconnecting("2026-07-28", script);
  const { client, peers } = made;
  await gone(made);
  Object.assign(script, { "server/discover": () => undefined });
  const call = failureOf(client.callTool("a"));
  await expect.poll(() => peers[1]?.of("server/discover")).toHaveLength(1);
  await client.close();
  expect(await call).toMatchObject({ code: "connection-closed" });
  expect(peers).toHaveLength(2);
  expect(peers[1]!.channel.close).toHaveBeenCalled();
});

test("cached results of a server are not used for its successor", async () => {
  const made = await reconnecting("2026-07-28", {
    ...never,
    "tools/list": (_, peer) => reply(peer, { tools: [], ttlMs: 1000 }),
  });
  const { client, peers } = made;
  await client.listTools();
  await client.listTools();
  expect(peers[0]!.of("tools/list")).toHaveLength(1);
  await gone(made);
  await client.listTools();
  expect(peers[1]!.of("tools/list")).toHaveLength(1);
  await client.close();
});

test("a server that is modern after its restart is probed over its new pipe", async () => {
  const clock = new VirtualClock();
  const peers: ScriptedPeer[] = [];
  const unknown = { error: { code: -32601, message: "no such method" } };
  const start = () => {
    const first = peers.length === 0;
    peers.push(
      first
        ? new ScriptedPeer("2025-11-25", never)
        : new ScriptedPeer("2026-07-28", { initialize: () => unknown }),
    );
    return peers.at(-1)!.channel;
  };
  const client = await connect(start, base(clock));
  expect(client.revision).toBe("2025-11-25");
  await gone({ client, peers });
  await client.callTool("a");
  expect(client.revision).toBe("2026-07-28");
  expect(peers.map(({ received }) => received.map(({ method }) => method))).toEqual([
    ["server/discover", "initialize", "notifications/initialized", "tools/call"],
    ["initialize", "server/discover", "tools/call"],
  ]);
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("the log level is sent to each server that logs; later servers get the last level set", async () => {
  const made = await reconnecting(
    "2025-11-25",
    { ...never, "logging/setLevel": () => ({ result: {} }) },
    { logLevel: "error" },
  );
  const { client, peers } = made;
  await client.setLogLevel("debug");
  await gone(made);
  await client.listTools();
  const levels = peers.map((peer) => peer.of("logging/setLevel").map(({ params }) => params!["level"]));
  expect(levels).toEqual([["error", "debug"], ["debug"]]);
  await client.close();
});

test("a server that does not log gets no level; a refusal is a warning", async () => {
  const warnings: string[] = [];
  const options: Partial<ConnectOptions> = {
    logLevel: "error",
    onEvent: heard({ warning: (message) => warnings.push(message) }),
  };
  const quiet = await reconnecting(
    "2025-11-25",
    {
      initialize: ({ params }) => ({
        result: {
          protocolVersion: params!["protocolVersion"],
          capabilities: {},
          serverInfo: { name: "quiet", version: "1" },
        },
      }),
    },
    options,
  );
  expect(quiet.peers[0]!.of("logging/setLevel")).toEqual([]);
  await quiet.client.close();
  expect(warnings).toEqual([]);
  const { client } = await reconnecting("2025-11-25", {}, options);
  expect(warnings).toEqual([expect.stringContaining("the log level could not be set")]);
  await client.close();
});

test("a request after the end of the only connection was not sent", async () => {
  const [there, here] = memoryChannels();
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  const started = new Promise<void>((resolve) =>
    server.tool("a", {}, () => {
      resolve();
      return new Promise<string>(() => {});
    }),
  );
  server.connect(there);
  let receiver: Receiver | undefined;
  const channel: Channel = {
    open: (given) => here.open((receiver = given)),
    send: (text) => here.send(text),
    flush: () => here.flush(),
    close: () => here.close(),
  };
  const client = await connect(channel, { revisions: clientRevisions });
  const open = failureOf(client.callTool("a"));
  await started;
  receiver!.closed(new McpError("connection-closed", "cut", { data: { interrupted: true } }));
  expect(await open).toMatchObject({ data: { interrupted: true } });
  expect(await failureOf(client.callTool("a"))).toMatchObject({
    code: "connection-closed",
    message: "cut",
    data: { interrupted: false },
  });
  await client.close();
});
