import { type ServerResponse, createServer, request } from "node:http";
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

/** Sends over HTTP. @returns the body until its end, or until it has that many events */
function sent(url: string, method: string, batch: readonly object[], events = Infinity): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "mcp-session-id": "one" };
    const asking = request(url, { method, headers }, (answer) => {
      let got = "";
      answer.setEncoding("utf8").on("data", (text: string) => {
        got += text;
        if (got.split("\n\n").length > events) resolve(got);
      });
      answer.on("error", () => {}).on("close", () => resolve(got));
    });
    onTestFinished(() => void asking.destroy());
    asking.on("error", reject).end(method === "POST" ? JSON.stringify(batch) : undefined);
  });
}

const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

type Wire = "stdio" | "http" | "open stream";

/** A relay in front of a server that answers batches; it never ends an open stream. @returns what sends one, and reads the answers */
async function relayed(wire: Wire, fault?: Fault) {
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
  const relay = await relayOver(fault, (_, batch, response) => {
    const answers = answersTo(batch);
    if (wire === "http")
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers));
    response.writeHead(200, { "content-type": "text/event-stream" });
    // A request of the server with the id of a call is not its answer.
    response.write(event({ jsonrpc: "2.0", id: batch[0]!.id, method: "ping" }));
    return answers.forEach((answer) => response.write(event(answer)));
  });
  const { url } = relay.server as { readonly url: string };
  const send = (batch: readonly object[]): Promise<string> =>
    sent(url, "POST", batch, wire === "http" ? undefined : batch.length + 1);
  return { relay, send };
}

/** A relay in front of a server over HTTP. */
async function relayOver(
  fault: Fault | undefined,
  answer: (method: string, batch: readonly Message[], response: ServerResponse) => unknown,
) {
  const port = await listen(
    createServer((request, response) => {
      void buffer(request).then((body) =>
        answer(request.method!, JSON.parse(body.toString() || "[]") as Message[], response),
      );
    }),
  );
  const relay = await relayTo({ url: `http://127.0.0.1:${port}/`, headers: {} }, temporaryFolder(), {
    fault,
  });
  onTestFinished(() => relay.close());
  return relay;
}

/** The answers in a body or a line. */
function answersIn(got: string): unknown[] {
  const data = [...got.matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text!) as object);
  return data.length > 0 ? data.filter((each) => !("method" in each)) : (JSON.parse(got) as unknown[]);
}

const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "read" } });
const listing = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });

const wires: readonly Wire[] = ["stdio", "http", "open stream"];

test.each(wires)("over %s, each call of a batch is seen", async (wire) => {
  const { relay, send } = await relayed(wire);
  expect(answersIn(await send([call(1), listing(2), call(3)]))).toHaveLength(3);
  expect(relay.calls).toHaveLength(2);
  expect([...relay.listed.byName.keys()]).toEqual(["read"]);
  for (const { firstByte, answer } of relay.calls) {
    expect(firstByte).toBeGreaterThan(0);
    expect(answer).toBeGreaterThanOrEqual(firstByte!);
  }
});

const half = (text: string): string => text.slice(0, text.length / 2);
const answer = (id: number) => ({ jsonrpc: "2.0", id, result: { id } });

test.each(wires)("over %s, a fault meets the second call in a batch", async (wire) => {
  const { relay, send } = await relayed(wire, "cut");
  const got = await send([call(1), call(2)]);
  expect(relay.isMet).toBe(true);
  const [first, second] = relay.calls;
  expect(second!.answer).toBeUndefined();
  // Events before the one with the answer are whole.
  if (wire === "open stream") {
    const ping = event({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(got).toBe(ping + event(answer(1)) + half(event(answer(2))));
    expect(first!.answer).toBeGreaterThan(0);
  } else {
    expect(got).toBe(half(JSON.stringify([answer(1), answer(2)])));
    expect(first!.answer).toBeUndefined();
  }
});

test("a stream that ends before its answer does not end the call: another one brings it", async () => {
  const relay = await relayOver(undefined, (method, _, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(method === "POST" ? "id: 1\r\ndata: \r\n\r\n" : event(answer(1)));
  });
  const { url } = relay.server as { readonly url: string };
  await sent(url, "POST", [call(1)]);
  expect(relay.calls.map((each) => each.answer)).toEqual([undefined]);
  await sent(url, "GET", []);
  expect(relay.calls.map((each) => each.answer)).toEqual([expect.any(Number)]);
});

test.each(wires)("over %s, a batch has the changed list", async (wire) => {
  const { relay, send } = await relayed(wire, "list");
  const names = async (): Promise<string[]> => {
    const [first] = answersIn(await send([listing(1)])) as [{ result: { tools: { name: string }[] } }];
    return first.result.tools.map(({ name }) => name);
  };
  expect(await names()).toEqual(["read"]);
  await send([call(2), call(3)]);
  // The host does not listen, and has not listed again.
  expect(relay.isMet).toBe(false);
  expect(await names()).toEqual(["read", "added_by_mcpgen"]);
  expect(relay.isMet).toBe(true);
});
