import { createServer } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { type Fault, relayTo } from "../../generator/host/relay.js";
import { listen } from "../support/listen.js";
import { temporaryFolder } from "../support/temporary-folder.js";

interface Message {
  readonly id: number;
  readonly method: string;
}

/** Answers each message of a batch: a list with a tool, and calls with their ids. */
function answersTo(batch: readonly Message[]): object[] {
  return batch.map(({ id, method }) => {
    return { jsonrpc: "2.0", id, result: method === "tools/list" ? { tools: [{ name: "read" }] } : { id } };
  });
}

const echo = `${String(answersTo)}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) =>
  console.log(JSON.stringify(answersTo(JSON.parse(line)))))`;

/** A relay in front of a server that answers batches. @returns what sends one, and reads the answers */
async function relayed(wire: "stdio" | "http", fault?: Fault) {
  const folder = temporaryFolder();
  if (wire === "stdio") {
    const server = { command: process.execPath, args: ["-e", echo], env: {} };
    const relay = await relayTo(server, folder, { fault });
    onTestFinished(() => relay.close());
    const socket = connect((relay.server as { readonly args: readonly string[] }).args.at(-1)!);
    onTestFinished(() => void socket.destroy());
    socket.write(`${JSON.stringify({ PATH: process.env["PATH"] })}\n`);
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    const send = async (batch: readonly object[]): Promise<string> => {
      socket.write(`${JSON.stringify(batch)}\n`);
      return String((await lines.next()).value);
    };
    return { relay, send };
  }
  const port = await listen(
    createServer((request, response) => {
      void buffer(request).then((body) => {
        const text = JSON.stringify(answersTo(JSON.parse(body.toString()) as Message[]));
        response.writeHead(200, { "content-type": "application/json" }).end(text);
      });
    }),
  );
  const relay = await relayTo({ url: `http://127.0.0.1:${port}/`, headers: {} }, folder, { fault });
  onTestFinished(() => relay.close());
  const { url } = relay.server as { readonly url: string };
  const send = async (batch: readonly object[]): Promise<string> => {
    const answer = await fetch(url, { method: "POST", body: JSON.stringify(batch) });
    return answer.text();
  };
  return { relay, send };
}

const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "read" } });
const listing = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });

test.each(["stdio", "http"] as const)("over %s, each call of a batch is seen", async (wire) => {
  const { relay, send } = await relayed(wire);
  expect(JSON.parse(await send([call(1), listing(2), call(3)]))).toHaveLength(3);
  expect(relay.calls).toHaveLength(2);
  for (const { firstByte, answer } of relay.calls) {
    expect(firstByte).toBeGreaterThan(0);
    expect(answer).toBeGreaterThanOrEqual(firstByte!);
  }
});

test.each(["stdio", "http"] as const)("over %s, a fault meets the second call in a batch", async (wire) => {
  const { relay, send } = await relayed(wire, "cut");
  const whole = JSON.stringify([call(1), call(2)].map(({ id }) => ({ jsonrpc: "2.0", id, result: { id } })));
  const got = await send([call(1), call(2)]).catch(() => "");
  expect(relay.isMet).toBe(true);
  expect(whole.startsWith(got)).toBe(true);
  expect(got.length).toBeLessThan(whole.length);
  for (const { answer } of relay.calls) expect(answer).toBeUndefined();
});

test.each(["stdio", "http"] as const)("over %s, a batch has the changed list", async (wire) => {
  const { relay, send } = await relayed(wire, "list");
  const names = async (): Promise<string[]> => {
    const [first] = JSON.parse(await send([listing(1)])) as [{ result: { tools: { name: string }[] } }];
    return first.result.tools.map(({ name }) => name);
  };
  expect(await names()).toEqual(["read"]);
  await send([call(2), call(3)]);
  // The host does not listen, and has not listed again.
  expect(relay.isMet).toBe(false);
  expect(await names()).toEqual(["read", "added_by_mcpgen"]);
  expect(relay.isMet).toBe(true);
});
