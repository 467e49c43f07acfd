import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { until } from "../../support/until.mjs";
import { ScriptedPeer, base } from "../../support/scripted-stdio-server.js";

const program = join(import.meta.dirname, "programs", "server.mjs");

interface Kind {
  readonly name: string;
  readonly revision: string;
  readonly starts: number;
  /** Milliseconds of waiting, by the client's clock, that connecting takes. */
  readonly waits: number;
}

const kinds: readonly Kind[] = [
  { name: "modern", revision: "2026-07-28", starts: 1, waits: 0 },
  { name: "legacy", revision: "2025-06-18", starts: 1, waits: 0 },
  { name: "silent", revision: "2025-06-18", starts: 1, waits: 5000 },
  { name: "mortal", revision: "2025-06-18", starts: 2, waits: 0 },
  { name: "locked", revision: "2025-06-18", starts: 1, waits: 0 },
];

// The processes are real, but the client has a virtual clock, which shows the exact waiting time.
test.each(kinds)("R29: a $name server is started $starts times, and waited for $waits ms", async (kind) => {
  const log = join(temporaryFolder({ log: "" }), "log");
  const noted = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { started?: number; method?: string });
  const clock = new VirtualClock();
  const source = { command: process.execPath, args: [program, kind.name, log], inputGrace: 5000 };
  const connecting = connect(source, base(clock));
  onTestFinished(() => connecting.then((client) => client.close()).catch(() => undefined));
  if (kind.waits > 0) {
    await until("the probe is read", () => noted().some(({ method }) => method === "server/discover"));
    await clock.advance(kind.waits);
  }
  const client = await connecting;
  expect(client.revision).toBe(kind.revision);
  expect((await client.callTool("any")).content).toEqual([{ type: "text", text: kind.name }]);
  expect(clock.now()).toBe(kind.waits);
  expect(noted().filter(({ started }) => started !== undefined)).toHaveLength(kind.starts);
  expect(noted().filter(({ method }) => method === "server/discover")).toHaveLength(1);
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("R29: a server that answers the probe and exits at the handshake is not started again", async () => {
  const peers: ScriptedPeer[] = [];
  const source = () => {
    peers.push(new ScriptedPeer("2025-11-25", { initialize: (_, peer) => void peer.hangUp() }));
    return peers.at(-1)!.channel;
  };
  const clock = new VirtualClock();
  await expect(connect(source, base(clock))).rejects.toMatchObject({ code: "connection-closed" });
  expect(peers).toHaveLength(1);
  expect(clock.waiting).toBe(0);
});
