import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished } from "vitest";
import { members } from "../../support/processes.js";
import { stopTime } from "../../support/stopped-time.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { until } from "../../support/until.mjs";
import {
  ScriptedPeer,
  base,
  connected,
  everything,
  failure,
  reply,
  standard,
  supervise,
} from "../../support/scripted-stdio-server.js";
import { row } from "./rows.js";

row("STDIO-03", "every line is a message of the revision, and lines hold nothing else", async (revision) => {
  const { client, peer } = await connected(
    revision,
    { "tools/call": ({ params }) => (params!["name"] === "slow" ? undefined : failure(-32603)) },
    { roots: [{ uri: "file:///a", name: "a\nb" }] },
  );
  const stop = new AbortController();
  const slow = client.callTool("slow", { text: "a\nb\r\n\u2028" }, { signal: stop.signal });
  await expect(client.callTool("fails")).rejects.toMatchObject({ code: "remote-error" });
  stop.abort();
  await expect(slow).rejects.toMatchObject({ code: "cancelled" });
  await client.ping();
  await client.close();
  // Each line was judged as it came.
  expect(peer.faults).toEqual([]);
  expect(peer.received.map(({ method }) => method)).toContain("notifications/cancelled");
});

row("STDIO-04", "bytes one by one, many messages at once, and line ends of both kinds", async (revision) => {
  const { client, peer } = await connected(revision, { "tools/call": () => undefined });
  const calls = Array.from({ length: 100 }, (_, n) => client.callTool("any", { n }));
  await peer.until("tools/call", 100);
  const lines = peer.of("tools/call").map(({ id, params }) => {
    const text = `é ${params!["arguments"].n}`;
    return JSON.stringify({ jsonrpc: "2.0", id, ...reply(peer, { content: [{ type: "text", text }] }) });
  });
  for (const byte of Buffer.from(`${lines[0]}\r\n`)) peer.write(Uint8Array.of(byte));
  peer.write(`${lines.slice(1).join("\r\n")}\n`);
  const texts = (await Promise.all(calls)).map(({ content }) => content[0]);
  expect(texts).toEqual(lines.map((_, n) => ({ type: "text", text: `é ${n}` })));
});

/** Answers the first request, reads to the end of its input, and logs its input. */
const script = ([trap, afterwards]: readonly [trap: string, afterwards: string]): string => `
  ${trap}
  read -r line; id=\${line#*'"id":'}; id=\${id%%,*}
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$RESULT"
  while read -r line; do :; done
  echo EOF >>"$LOG"
  ${afterwards}`;

/** Milliseconds between the steps of the end. */
const grace = 250;

/**
 * Ways in which a server ends: its reactions, the events that it logs, and the number of grace periods that pass. Each
 * period is advanced when the server has received the event before it.
 */
const endings = [
  ["one that ends with its input", ["", "exit 0"], ["EOF"], 0],
  [
    "one that goes on until SIGTERM",
    [`trap 'echo TERM >>"$LOG"; exit 0' TERM`, "sleep 60 & wait $!"],
    ["EOF", "TERM"],
    1,
  ],
  [
    "one that nothing but SIGKILL ends",
    [`trap 'echo TERM >>"$LOG"' TERM`, "while :; do sleep 60 & wait $!; done"],
    ["EOF", "TERM"],
    2,
  ],
] as const;

row(
  "STDIO-07",
  "the end of the input, then SIGTERM, then SIGKILL, and no process is left",
  async (revision) => {
    const peer = new ScriptedPeer(revision);
    const opening = revision < "2026" ? "initialize" : "server/discover";
    const { result } = (await standard[opening]!({}, peer)) as { readonly result: object };
    const pass = stopTime();
    for (const [what, afterwards, received, graces] of endings) {
      const log = join(temporaryFolder({ log: "" }), "log");
      const channel = stdioClientChannel(["/bin/sh", "-c", script(afterwards)], {
        env: { LOG: log, RESULT: JSON.stringify(result) },
        inputGrace: grace,
        terminateGrace: grace,
      });
      const client = await connect(channel, { revisions: clientRevisions, revision });
      const logged = (): string[] => readFileSync(log, "utf8").split("\n").slice(0, -1);
      const closing = client.close();
      for (let passed = 0; passed < graces; passed++) {
        await until(`${what}: ${received[passed]}`, () => logged().length > passed);
        await pass(grace);
      }
      await until(`${what}: no process`, () => members(channel.pid!).length === 0);
      // The client looks whether processes are left at growing intervals.
      let closed = false;
      void closing.then(() => (closed = true));
      await until(`${what}: the end of the client`, () => pass(grace).then(() => closed));
      await closing;
      expect(logged(), what).toEqual(received);
      expect(members(channel.pid!), what).toEqual([]);
    }
  },
);

row("STDIO-09", "requests of a server are not answered, and what follows works", async (revision) => {
  const { client, peer } = await connected(revision, {}, { roots: [{ uri: "file:///a" }] });
  const mark = peer.received.length;
  peer.send({ jsonrpc: "2.0", id: 1, method: "roots/list" }, { jsonrpc: "2.0", id: "x", method: "ping" });
  await peer.nothingSince(mark, client);
  // Such requests are not answered before the era is known, either.
  const early = new ScriptedPeer(revision, {
    "server/discover": (request, self) => {
      self.send({ jsonrpc: "2.0", id: 1, method: "roots/list" }, { jsonrpc: "2.0", id: "x", method: "ping" });
      return standard["server/discover"]!(request, self);
    },
  });
  const other = await detecting(early);
  await early.nothingSince(1, other.client);
});

row(
  "STDIO-10",
  "a call that is given up is cancelled by its id; a late answer is ignored",
  async (revision) => {
    const { client, peer } = await connected(revision, {
      "tools/call": ({ params }, self) =>
        params!["name"] === "slow" ? undefined : reply(self, { content: [] }),
    });
    const stop = new AbortController();
    const call = client.callTool("slow", {}, { signal: stop.signal });
    const { id } = await peer.until("tools/call");
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    const { params } = await peer.until("notifications/cancelled");
    expect(params!["requestId"]).toBe(id);
    peer.send({ jsonrpc: "2.0", id, ...reply(peer, { content: [{ type: "text", text: "late" }] }) });
    expect((await client.callTool("next")).content).toEqual([]);
  },
);

row("STDIO-12", "a server that died is started again for the next call", async (revision) => {
  const peers: ScriptedPeer[] = [];
  const clock = new VirtualClock();
  const source = () => {
    const peer = new ScriptedPeer(revision, {
      "tools/call": ({ params }, self) => {
        if (params!["name"] !== "deadly") return reply(self, { content: [] });
        self.hangUp();
        return undefined;
      },
    });
    peers.push(peer);
    return peer.channel;
  };
  const client = await connect(source, { ...base(clock), revision });
  supervise(peers[0]!, clock, client);
  await client.callTool("fine");
  const doomed = Promise.allSettled([client.callTool("deadly"), client.callTool("deadly")]);
  for (const outcome of await doomed)
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "connection-closed" } });
  const again = await Promise.all([client.callTool("fine"), client.callTool("fine")]);
  expect(again.map(({ content }) => content)).toEqual([[], []]);
  expect(peers).toHaveLength(2);
  expect(peers[1]!.faults).toEqual([]);
});

/** A server of the old era with another answer to the probe. The client may choose the revision. */
async function detecting(
  peer: ScriptedPeer,
  before: (clock: VirtualClock) => Promise<void> = async () => {},
) {
  const clock = new VirtualClock();
  const connecting = connect(peer.channel, base(clock));
  await before(clock);
  const client = await connecting;
  // If the probe is never answered, it ends when the client closes.
  onTestFinished(() => client.close());
  expect(peer.faults).toEqual([]);
  return { client, clock };
}

row("STDIO-15", "the client falls back to initialize on every error of the probe", async () => {
  for (const code of [-32601, -32602, -32600, -32000, -32603, -32700, -32002, 0, 1]) {
    const peer = new ScriptedPeer("2025-11-25", { "server/discover": () => failure(code) });
    const { client, clock } = await detecting(peer);
    expect(client.revision).toBe("2025-11-25");
    expect(clock.now()).toBe(0);
    expect(peer.received.map(({ method }) => method).slice(0, 2)).toEqual(["server/discover", "initialize"]);
    await client.callTool("works");
  }
});

row(
  "STDIO-16",
  "a server that is silent at the probe is given the handshake after five seconds",
  async () => {
    const peer = new ScriptedPeer("2024-11-05", { "server/discover": () => undefined });
    const { client, clock } = await detecting(peer, async (time) => {
      await peer.until("server/discover");
      await time.advance(4999);
      expect(peer.of("initialize")).toEqual([]);
      await time.advance(1);
    });
    expect(client.revision).toBe("2024-11-05");
    expect(clock.now()).toBe(5000);
    await client.callTool("works");
    // The probe is over: the client sends no cancellation of it in the session.
    await clock.advance(60_000);
    const mark = peer.received.length;
    await peer.nothingSince(mark, client);
    expect(peer.of("notifications/cancelled")).toEqual([]);
  },
);

row(
  "STDIO-17",
  "a server that lists its versions is modern: it is asked again, and sees no handshake",
  async (revision) => {
    let probes = 0;
    const peer = new ScriptedPeer(revision, {
      "server/discover": (request, self) =>
        ++probes === 1
          ? failure(-32022, "Unsupported protocol version", { supported: [revision], requested: "?" })
          : standard["server/discover"]!(request, self),
    });
    const { client } = await detecting(peer);
    expect(client.revision).toBe(revision);
    expect(client.serverCapabilities).toEqual(everything);
    await client.callTool("works");
    expect(peer.of("initialize")).toEqual([]);
  },
);
