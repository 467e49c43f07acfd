import { PassThrough } from "node:stream";
import { clientRevisions } from "@mcpgen/protocol";
import { type ConnectOptions, connect } from "@mcpgen/runtime";
import { streamChannel } from "@mcpgen/runtime/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import { isThorough } from "../../support/cases.mjs";
import * as http from "../../support/scripted-http-server.js";
import {
  type Members,
  type Wired,
  connected,
  everything,
  serverInfo,
} from "../../support/scripted-stdio-server.js";
import { asked, everyWay } from "../../support/asked-client.js";
import { failureOf } from "../../support/failure-of.js";

/** Over HTTP, the revisions have the same behaviour in these tests. */
const ways = everyWay.filter(
  ([revision, transport]) => isThorough || transport === "stdio" || revision > "2025-11",
);
const legacy = ways.filter(([revision]) => revision < "2026");
const modern = ways.filter(([revision]) => revision > "2026");

const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
};
const sampling = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 },
};
const sampled = { role: "assistant", model: "m", content: { type: "text", text: "!" } } as const;

/** The same question so many times. */
function times<Question>(count: number, question: Question): Question[] {
  return Array.from({ length: count }, () => question);
}

/** A model that answers late, and how many were at work at most. */
function slowModel() {
  const work = { running: 0, most: 0, begun: 0 };
  const sample = async () => {
    work.begun++;
    work.most = Math.max(work.most, ++work.running);
    await new Promise((resolve) => setImmediate(resolve));
    work.running--;
    return sampled;
  };
  return { work, sample };
}

test.each(legacy)(
  "thousands of questions at once: four are asked, few wait, the others are refused (%s, %s)",
  async (revision, transport) => {
    const { work, sample } = slowModel();
    const count = transport === "http" ? 300 : isThorough ? 20_000 : 1000;
    const { answers, failure } = await asked(revision, transport, times(count, sampling), {
      sample,
    });
    expect(failure).toBeUndefined();
    const refused = answers.filter(({ error }) => error !== undefined);
    expect(answers).toHaveLength(count);
    expect(work.most).toBe(4);
    expect(work.begun).toBe(count - refused.length);
    expect(refused[0]!.error).toMatchObject({
      code: -32603,
      data: { limit: "maxWaitingQuestions", value: 256 },
    });
    if (isThorough && transport !== "http") expect(work.begun).toBeLessThan(count / 2);
  },
);

test.each(ways)(
  "the application sets the number of concurrent questions (%s, %s)",
  async (revision, transport) => {
    for (const maxQuestions of transport === "http" ? [2] : [1, 2, Infinity]) {
      const { work, sample } = slowModel();
      const { answers } = await asked(revision, transport, times(20, sampling), {
        sample,
        limits: { maxQuestions },
      });
      expect(answers.map(({ result }) => result)).toEqual(Array(20).fill(expect.objectContaining(sampled)));
      expect(work.begun).toBe(20);
      // Each question of a call over HTTP may come by itself.
      if (transport === "stdio") expect(work.most).toBe(Math.min(maxQuestions, 20));
      else expect(work.most).toBeLessThanOrEqual(maxQuestions);
    }
  },
);

test.each(modern)(
  "5,000 forms in one round fail the call, and none is shown (%s, %s)",
  async (revision, transport) => {
    const elicit = vi.fn(() => ({ action: "decline" as const }));
    const { failure } = await asked(revision, transport, times(5000, form), { elicit });
    expect(failure).toMatchObject({
      name: "McpError",
      code: "limit-exceeded",
      data: { limit: "maxRoundQuestions", value: 32 },
    });
    expect(elicit).not.toHaveBeenCalled();
    expect((await asked(revision, transport, times(32, form), { elicit })).failure).toBeUndefined();
    expect(elicit).toHaveBeenCalledTimes(32);
  },
);

test("the rounds of all calls share the limit of waiting questions (2026-07-28)", async () => {
  const never = () => new Promise<never>(() => {});
  const round = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`q${index}`, form]));
  const { client } = await connected(
    "2026-07-28",
    { "tools/call": () => ({ result: { resultType: "input_required", inputRequests: round } }) },
    { elicit: never },
  );
  // Four questions are asked, and 252 wait.
  const eight = Array.from({ length: 8 }, (_, index) => failureOf(client.callTool(`a${index}`)));
  expect(await failureOf(client.callTool("b"))).toMatchObject({ code: "limit-exceeded" });
  await client.close();
  for (const failure of await Promise.all(eight))
    expect(failure).toMatchObject({ code: "connection-closed" });
});

test("waiting questions of a failed call are not asked (2026-07-28)", async () => {
  const round = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`q${index}`, form]));
  const elicit = vi.fn(async () => Promise.reject(new Error("no screen")));
  const { client } = await connected(
    "2026-07-28",
    { "tools/call": () => ({ result: { resultType: "input_required", inputRequests: round } }) },
    { elicit, limits: { maxQuestions: 1 } },
  );
  expect(await failureOf(client.callTool("a"))).toMatchObject({ code: "internal-error" });
  await new Promise((resolve) => setImmediate(resolve));
  // Those whose turn came while the first failed.
  expect(elicit.mock.calls.length).toBeLessThan(6);
});

test("a question that is cancelled while it waits is not asked (2025-11-25)", async () => {
  const begun: unknown[] = [];
  let answer: () => void = () => {};
  const sample: NonNullable<ConnectOptions["sample"]> = ({ maxTokens }) => {
    begun.push(maxTokens);
    return new Promise((resolve) => (answer = () => resolve(sampled)));
  };
  const { peer, client } = await connected("2025-11-25", {}, { sample, limits: { maxQuestions: 1 } });
  const ask = (maxTokens: number) =>
    peer.ask(sampling.method, { ...sampling.params, maxTokens }, `q${maxTokens}`);
  const first = ask(1);
  void ask(2);
  const third = ask(3);
  peer.notify("notifications/cancelled", { requestId: "q2" });
  await client.callTool("x");
  answer();
  await first;
  await client.callTool("x");
  answer();
  await third;
  expect(begun).toEqual([1, 3]);
});

/** A server over bare pipes that writes as long as the client reads, and reads only when the test calls it. */
async function deafServer(revision: string) {
  const [toClient, fromClient] = [new PassThrough(), new PassThrough()];
  const lines = (async function* () {
    let rest = "";
    for await (const chunk of fromClient.iterator({ destroyOnReturn: false })) {
      const read = (rest + String(chunk)).split("\n");
      rest = read.pop()!;
      yield* read.map((line) => JSON.parse(line) as Wired);
    }
  })();
  const connecting = connect(streamChannel(toClient, fromClient, { backlog: Infinity }), {
    revisions: clientRevisions,
    revision,
  });
  const { value: initialize } = (await lines.next()) as { value: Wired };
  const result = { protocolVersion: revision, capabilities: everything, serverInfo };
  toClient.write(`${JSON.stringify({ jsonrpc: "2.0", id: initialize.id, result })}\n`);
  const client = await connecting;
  await lines.next();
  const close = (): Promise<void> => {
    fromClient.removeAllListeners("readable").resume();
    return client.close();
  };
  onTestFinished(close);
  return { client, toClient, fromClient, lines, close };
}

test.each(isThorough ? ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] : ["2025-11-25"])(
  "the client stops reading from a server that sends pings without reading; no message is lost (%s)",
  async (revision) => {
    const { client, toClient, fromClient, lines } = await deafServer(revision);
    let sent = 0;
    // Writes while the pipe accepts data, like a process.
    for (let quiet = 0; quiet < 20; quiet++) {
      if (!toClient.writableNeedDrain) {
        quiet = 0;
        let text = "";
        for (let count = 0; count < 500; count++)
          text += `{"jsonrpc":"2.0","id":${sent++},"method":"ping"}\n`;
        toClient.write(text);
        expect(sent).toBeLessThan(100_000);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(toClient.writableNeedDrain).toBe(true);
    expect(fromClient.writableLength + fromClient.readableLength).toBeLessThan(1.3 * 1_048_576);
    for (let id = 0; id < sent; id++)
      expect((await lines.next()).value).toEqual({ jsonrpc: "2.0", id, result: {} });
    const call = client.callTool("x");
    const { value } = (await lines.next()) as { value: Wired };
    toClient.write(`${JSON.stringify({ jsonrpc: "2.0", id: value.id, result: { content: [] } })}\n`);
    expect((await call).content).toEqual([]);
  },
);

test("a client's own requests never stop it from reading (2025-11-25)", async () => {
  const { client, toClient, fromClient, close } = await deafServer("2025-11-25");
  const progress = vi.fn();
  const call = failureOf(client.callTool("x", { large: "x".repeat(8_000_000) }, { onProgress: progress }));
  const waiting = (): number => fromClient.writableLength + fromClient.readableLength;
  while (waiting() < 8_000_000) await new Promise((resolve) => setImmediate(resolve));
  const params = { progressToken: 2, progress: 1 };
  toClient.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n`);
  await expect.poll(() => progress).toHaveBeenCalledOnce();
  await close();
  expect(await call).toMatchObject({ code: "connection-closed" });
});

test.each(isThorough ? ["2025-03-26", "2025-06-18", "2025-11-25"] : ["2025-11-25"])(
  "a server over HTTP that accepts no answers gets 64 at a time, and the client stops reading from it (%s)",
  async (revision) => {
    const pings = isThorough ? 20_000 : 600;
    const held: http.Incoming[] = [];
    let stream: http.Incoming | undefined;
    let takes = false;
    const { server, client } = await http.connected(revision, {
      GET: (incoming) => void (stream = incoming.events()),
      response: (incoming) => (takes ? incoming.status(202) : void held.push(incoming)),
      "tools/call": (incoming) => incoming.reply({ content: [] } as Members),
    });
    await server.until("GET");
    const { response } = stream!;
    for (let sent = 0; sent < pings;) {
      let text = "";
      for (let count = 0; count < 200; count++)
        text += `data: {"jsonrpc":"2.0","id":${sent++},"method":"ping"}\n\n`;
      response.write(text);
    }
    while (held.length < 64) await new Promise((resolve) => setImmediate(resolve));
    await client.callTool("x");
    expect(held).toHaveLength(64);
    takes = true;
    for (const incoming of held) incoming.status(202);
    await server.until("response", pings / 2);
    await client.callTool("x");
  },
);
