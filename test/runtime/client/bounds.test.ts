import { type AnswerContext, type Channel, type Client, type Receiver, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { interrupted } from "../../../runtime/base/jsonrpc/errors.js";
import { systemClock } from "../../../runtime/base/time/clock.js";
import { type Connected, ScriptedPeer, base, connected, reply } from "../../support/scripted-stdio-server.js";
import { failureOf } from "../../support/failure-of.js";

const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
const inputRequests = {
  who: { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } },
};

interface Asked extends Connected {
  /** The signal that `elicit` got, once it is called. */
  readonly asked: Promise<AbortSignal>;
}

/** A client whose server asks in the course of a call, and whose user never answers. */
async function unanswered(): Promise<Asked> {
  let tell: (signal: AbortSignal) => void = () => {};
  const asked = new Promise<AbortSignal>((resolve) => (tell = resolve));
  const elicit = (_: unknown, { signal }: AnswerContext): Promise<never> => {
    tell(signal);
    return new Promise(() => {});
  };
  const script = { "tools/call": () => ({ result: { resultType: "input_required", inputRequests } }) };
  return { ...(await connected("2026-07-28", script, { elicit })), asked };
}

test("an abort ends a call that waits for the user, and the question", async () => {
  const { client, asked } = await unanswered();
  const controller = new AbortController();
  const outcome = failureOf(client.callTool("ask", {}, { signal: controller.signal }));
  const signal = await asked;
  controller.abort("enough");
  expect(await outcome).toMatchObject({ name: "McpError", code: "cancelled", cause: "enough" });
  expect(signal.aborted).toBe(true);
});

test("while a user is asked, the total timeout applies and the progress timeout does not", async () => {
  const { client, clock, asked } = await unanswered();
  const call = client.callTool("ask", {}, { timeout: 200, totalTimeout: 300 });
  let over = false;
  const outcome = failureOf(call.finally(() => (over = true)));
  const signal = await asked;
  await clock.advance(299);
  expect(over).toBe(false);
  await clock.advance(1);
  expect(await outcome).toMatchObject({ code: "timeout", data: { timer: "totalTimeout", limit: 300 } });
  expect(signal.aborted).toBe(true);
});

test("the total timeout covers all rounds", async () => {
  const { client, clock, peer } = await connected(
    "2026-07-28",
    {
      "tools/call": ({ params }) =>
        params!["inputResponses"]
          ? undefined
          : { result: { resultType: "input_required", inputRequests, requestState: "s" } },
    },
    {
      elicit: async () => {
        await clock.advance(250);
        return { action: "decline" };
      },
    },
  );
  const outcome = failureOf(client.callTool("ask", {}, { totalTimeout: 300 }));
  const { id } = await peer.until("tools/call", 2);
  await clock.advance(50);
  expect(await outcome).toMatchObject({
    code: "timeout",
    data: { timer: "totalTimeout", limit: 300, elapsed: 300 },
  });
  expect((await peer.until("notifications/cancelled")).params!["requestId"]).toBe(id);
});

test("closing ends a call that waits for the user", async () => {
  const { client, asked } = await unanswered();
  const outcome = failureOf(client.callTool("ask"));
  const signal = await asked;
  await client.close();
  expect(await outcome).toMatchObject({ code: "connection-closed" });
  expect(signal.aborted).toBe(true);
});

interface Restarting {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly peers: readonly ScriptedPeer[];
}

/** A client whose server is gone; the next one sends nothing until the test lets it. */
async function restarting(): Promise<Restarting> {
  const clock = new VirtualClock();
  const peers: ScriptedPeer[] = [];
  const start = () => {
    const silent = { initialize: () => undefined, "server/discover": () => undefined };
    peers.push(
      new ScriptedPeer("2026-07-28", peers.length === 0 ? { "tools/call": () => undefined } : silent),
    );
    return peers.at(-1)!.channel;
  };
  const client = await connect(start, { ...base(clock), timeouts: { connect: 4000 } });
  onTestFinished(() => client.close());
  const last = failureOf(client.callTool("last"));
  peers[0]!.hangUp();
  await last;
  return { client, clock, peers };
}

test("an abort ends a call that waits for another connection, and no other call", async () => {
  const { client, peers } = await restarting();
  const controller = new AbortController();
  const aborted = failureOf(client.callTool("a", {}, { signal: controller.signal }));
  const other = failureOf(client.callTool("b"));
  await expect.poll(() => peers[1]?.of("server/discover")).toHaveLength(1);
  controller.abort("enough");
  expect(await aborted).toMatchObject({ code: "cancelled", cause: "enough" });
  await client.close();
  expect(await other).toMatchObject({ code: "connection-closed" });
});

test.each([
  [{ timeout: 500 }, { timer: "timeout", limit: 500, elapsed: 500 }],
  [{ totalTimeout: 300 }, { timer: "totalTimeout", limit: 300, elapsed: 300 }],
])("a call waits for another connection within %j", async (options, data) => {
  const { client, clock, peers } = await restarting();
  const calls = [failureOf(client.callTool("a", {}, options)), failureOf(client.ping(options))];
  await expect.poll(() => peers[1]?.of("server/discover")).toHaveLength(1);
  await clock.advance(data.elapsed);
  expect(await Promise.all(calls)).toEqual(
    ["tools/call", "ping"].map((method) =>
      expect.objectContaining({
        code: "timeout",
        message: expect.stringContaining(`${method}: `) as string,
        data: expect.objectContaining(data) as object,
      }),
    ),
  );
});

test("the total timeout of a call that is sent again counts from the first time", async () => {
  const clock = new VirtualClock();
  const peers: ScriptedPeer[] = [];
  const start = () => {
    peers.push(new ScriptedPeer("2026-07-28", { "resources/read": () => undefined }));
    return dying(peers.at(-1)!);
  };
  const client = await connect(start, base(clock));
  onTestFinished(() => client.close());
  const outcome = failureOf(client.readResource("a://b", { totalTimeout: 1000 }));
  await peers[0]!.until("resources/read");
  await clock.advance(900);
  peers[0]!.hangUp();
  await expect.poll(() => peers[1]?.of("resources/read")).toHaveLength(1);
  await clock.advance(100);
  expect(await outcome).toMatchObject({
    code: "timeout",
    data: { timer: "totalTimeout", limit: 1000, elapsed: 1000, sinceLastSign: 100 },
  });
});

test("the total timeout covers all pages of a list, or each page when they are read one by one", async () => {
  const { client, clock, peer } = await connected("2026-07-28", {
    "tools/list": async (_, peer) => {
      const { length } = peer.of("tools/list");
      await clock.advance(60);
      const tools = [{ name: String(length), inputSchema: { type: "object" } }];
      return reply(peer, { tools, ...(length % 6 === 0 ? {} : { nextCursor: String(length) }) });
    },
  });
  expect(await failureOf(client.listTools({ totalTimeout: 100 }))).toMatchObject({
    code: "timeout",
    data: { timer: "totalTimeout", limit: 100, elapsed: 100 },
  });
  expect(peer.of("tools/list")).toHaveLength(2);
  const read: string[] = [];
  for await (const { name } of client.items<{ name: string }>("tools/list", { totalTimeout: 100 }))
    read.push(name);
  expect(read).toEqual(["3", "4", "5", "6"]);
  expect(peer.of("tools/list")).toHaveLength(6);
});

test("a timeout beyond the longest timer never fires", async () => {
  const { client } = await connected(
    "2026-07-28",
    {},
    { timeouts: { timeout: Infinity, totalTimeout: 2 ** 40 } },
  );
  await expect(client.callTool("x")).resolves.toMatchObject({ content: [] });
  const fired = vi.fn();
  const timer = systemClock.schedule(fired, 2 ** 31);
  await new Promise((resolve) => setTimeout(resolve, 5));
  systemClock.clear(timer);
  expect(fired).not.toHaveBeenCalled();
});

/** The channel of a peer. After its end, it is unknown which requests were executed, as with HTTP. */
function dying({ channel }: ScriptedPeer): Channel {
  const open = (receiver: Receiver): void =>
    channel.open({
      message: (text) => receiver.message(text),
      turn: () => receiver.turn(),
      tooLong: (limit) => receiver.tooLong(limit),
      closed: () => receiver.closed(interrupted("the connection broke")),
    });
  const send = (text: string): void => channel.send(text);
  return { open, send, flush: () => channel.flush(), close: () => channel.close() };
}
