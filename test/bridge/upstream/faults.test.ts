import { createBridge } from "@mcpgen/bridge";
import { serverRevisions } from "@mcpgen/protocol";
import type { Server, Source } from "@mcpgen/runtime";
import { stdioServerChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { eras, clientOf, serverWith } from "../../support/served.js";
import { until } from "../../support/until.mjs";

// A server that dies, or whose call is given up: each call ends, and a next one gets a new connection.

function backOf(era: string): Server {
  const isLegacy = era < "2026";
  const speaks = serverRevisions.map(({ id }) => id).filter((id) => id < "2026" === isLegacy);
  const back = serverWith({ revisions: { known: serverRevisions, speaks } });
  back.tool("works", {}, () => "works");
  back.tool("waits", {}, (_, { progress, signal }) => {
    progress(1);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("gone"))),
    );
  });
  return back;
}

/** Pipes to a server, and the means to break the last one. */
class Line {
  #kill: (() => void) | undefined;
  readonly #back: Server;

  constructor(back: Server) {
    this.#back = back;
  }

  readonly source = (): Source => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    this.#kill = () => void output.end();
    this.#back.connect(stdioServerChannel({ input, output }));
    return streamChannel(output, input);
  };

  kill(): void {
    this.#kill?.();
  }
}

const cells = (["stdio", "HTTP"] as const).flatMap((wire) =>
  eras.flatMap((front) => eras.map((era) => [wire, front, era] as const)),
);

test.each(cells)("the server dies in a call: over %s at %s, the server at %s", async (wire, front, era) => {
  const line = new Line(backOf(era));
  const bridge = await createBridge({ back: { source: line.source as Source } }, { onEvent: () => true });
  onTestFinished(() => bridge.close());
  const client = await clientOf(bridge, wire, front);
  for (const _ of [1, 2, 3]) {
    const call = client.callTool("waits", {}, { onProgress: () => line.kill() });
    await expect(call).rejects.toMatchObject({
      rpcCode: -32603,
      message: expect.stringContaining("did not answer"),
    });
    expect(await client.callTool("works")).toMatchObject({ content: [{ text: "works" }] });
  }
});

test.each(cells)(
  "a call is given up, and others go on: over %s at %s, the server at %s",
  async (wire, front, era) => {
    const line = new Line(backOf(era));
    const bridge = await createBridge({ back: { source: line.source as Source } }, { onEvent: () => true });
    onTestFinished(() => bridge.close());
    const client = await clientOf(bridge, wire, front);
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    await expect(client.callTool("waits", {}, options)).rejects.toMatchObject({ code: "cancelled" });
    expect(await client.callTool("works")).toMatchObject({ content: [{ text: "works" }] });
  },
);

test("no connection stays when clients and the bridge are gone", async () => {
  const back = backOf("2025-11-25");
  const line = new Line(back);
  const bridge = await createBridge({ back: { source: line.source as Source } }, { onEvent: () => true });
  const clients = await Promise.all(
    ["stdio", "HTTP"].flatMap((wire) => eras.map((front) => clientOf(bridge, wire as "stdio", front))),
  );
  await Promise.all(clients.map((client) => client.callTool("works")));
  expect(back.stats().gauges.connections).toBeGreaterThan(0);
  await Promise.all(clients.map((client) => client.close()));
  await bridge.close();
  await until("the connections are closed", () => back.stats().gauges.connections === 0);
});
