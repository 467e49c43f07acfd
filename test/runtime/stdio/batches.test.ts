import { expect, test } from "vitest";
import { raw, textOf } from "../../support/raw-stdio-client.js";

test.each([7, "7"])(
  "a batch with the id %j twice is refused over stdio like over HTTP, and none of its requests runs",
  async (id) => {
    let runs = 0;
    const { client } = await raw("2025-03-26", (server) => {
      server.tool("run", {}, () => `${++runs}`);
    });
    const call = (each: number | string) => ({
      jsonrpc: "2.0",
      id: each,
      method: "tools/call",
      params: { name: "run" },
    });
    const mark = client.received.length;
    client.write(`${JSON.stringify([call(id), call("other"), call(id)])}\n`);
    const answers = await client.settled(mark);
    expect(answers).toMatchObject([{ error: { code: -32600 } }]);
    expect(answers[0]!.error!.message).toContain(
      `two requests of the batch have the id ${JSON.stringify(id)}`,
    );
    expect(runs).toBe(0);
    // 7 and "7" are two ids.
    client.send([call(7), call("7")]);
    expect(textOf(await client.answer("7"))).toBe("2");
  },
);
