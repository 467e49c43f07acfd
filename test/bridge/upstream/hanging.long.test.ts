import { PassThrough, Writable } from "node:stream";
import { createBridge } from "@mcpgen/bridge";
import type { Source } from "@mcpgen/runtime";
import { stdioServerChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { expect, onTestFinished, test } from "vitest";
import { clientOf, eras, serverWith } from "../../support/served.js";
import { until } from "../../support/until.mjs";

test.each(eras.flatMap((front) => eras.map((era) => [front, era] as const)))(
  "a server that hangs is left for a new connection: a client of %s, the server at %s",
  { timeout: 120_000 },
  async (front, revision) => {
    const back = serverWith();
    back.tool("works", {}, () => "works");
    let opened = 0;
    let hung = 0;
    const source = (): Source => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const number = ++opened;
      const sent = new Writable({
        write: (chunk, _encoding, done) => {
          if (number > hung) input.write(chunk);
          done();
        },
        final: (done) => void input.end(done),
      });
      back.connect(stdioServerChannel({ input, output }));
      return streamChannel(output, sent);
    };
    const bridge = await createBridge(
      { back: { source: source as Source, revision } },
      { onEvent: () => true },
    );
    onTestFinished(() => bridge.close());
    const client = await clientOf(bridge, "stdio", front);
    await client.callTool("works");
    hung = opened;
    await expect(client.callTool("works", {}, { timeout: 200 })).rejects.toMatchObject({ code: "timeout" });
    const works = (): Promise<unknown> =>
      client.callTool("works", {}, { timeout: 1000 }).catch(() => undefined);
    expect(await until("a new connection", works)).toMatchObject({ content: [{ text: "works" }] });
    expect(opened).toBeGreaterThan(hung);
  },
);
