import { clientRevisions } from "@mcpgen/protocol";
import { type ClientState, McpError, connect, memoryChannels, userRejected } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { heard } from "../../support/heard.mjs";
import * as http from "../../support/scripted-http-server.js";
import { ScriptedPeer, base, connected, supervise } from "../../support/scripted-stdio-server.js";

const eras = ["2025-11-25", "2026-07-28"] as const;

describe.each(eras)("the state of a client (%s)", (revision) => {
  test("ends with close()", async () => {
    let before: ClientState | undefined;
    const reasons: unknown[] = [];
    const { client } = await connected(
      revision,
      {},
      { prepare: ({ state }) => void (before = state), onClose: (why) => void reasons.push(why) },
    );
    expect([before, client.state]).toEqual(["connecting", "open"]);
    const closed = client.closed.then((why) => [why, client.state]);
    await client.close();
    expect(await closed).toEqual([undefined, "closed"]);
    expect(client.state).toBe("closed");
    await client.close();
    expect(reasons).toEqual([undefined]);
  });

  test("ends with a connection that cannot be opened again", async () => {
    const reasons: (McpError | undefined)[] = [];
    const { client, peer } = await connected(revision, {}, { onClose: (why) => void reasons.push(why) });
    peer.hangUp();
    expect(await client.closed).toMatchObject({ code: "connection-closed" });
    expect(client.state).toBe("closed");
    await expect.poll(() => reasons).toHaveLength(1);
    expect(reasons[0]).toBe(await client.closed);
  });

  test("outlasts a connection that can be opened again", async () => {
    const peers: ScriptedPeer[] = [];
    const open = () => {
      const peer = new ScriptedPeer(revision);
      peers.push(peer);
      return peer.channel;
    };
    let over = false;
    const client = await connect(open, {
      revisions: clientRevisions,
      revision,
      onClose: () => void (over = true),
    });
    onTestFinished(() => client.close());
    peers[0]!.hangUp();
    await expect.poll(() => client.state).toBe("reconnecting");
    await client.callTool("a");
    expect([client.state, peers.length, over]).toEqual(["open", 2, false]);
  });

  test("ends with a connect that fails", async () => {
    let closed: Promise<unknown> | undefined;
    let over = false;
    const failure = await failureOf(
      connect(() => Promise.reject(new McpError("spawn-failed", "no")), {
        revisions: clientRevisions,
        revision,
        prepare: (client) => void (closed = client.closed.then(() => client.state)),
        onClose: () => void (over = true),
      }),
    );
    expect(failure).toMatchObject({ code: "spawn-failed" });
    expect(await closed).toBe("closed");
    expect(over).toBe(false);
  });
});

test.each(["throws", "rejects"])("a prepare that %s opens no connection", async (how) => {
  let opened = false;
  const open = () => {
    opened = true;
    return memoryChannels()[0];
  };
  const prepare = (): unknown => {
    if (how === "throws") throw new Error("mine");
    return Promise.reject(new Error("mine"));
  };
  expect(await failureOf(connect(open, { revisions: clientRevisions, prepare }))).toMatchObject({
    message: "mine",
  });
  expect(opened).toBe(false);
});

describe("events of errors", () => {
  test("report errors of handlers and wrong results, and not errors that are meant for the server", async () => {
    const errors: [unknown, string][] = [];
    let rejecting: () => unknown = () => ({});
    const { peer } = await connected(
      "2025-11-25",
      {},
      {
        sample: () => rejecting() as never,
        onEvent: heard({ handlerError: (error, { method }) => void errors.push([error, method]) }),
        prepare: (client) => void client.handle("acme/a", () => rejecting() as object),
      },
    );
    const message = { role: "user", content: { type: "text", text: "?" } };
    const params = { messages: [message], maxTokens: 5 };
    rejecting = () => {
      throw userRejected();
    };
    expect((await peer.ask("sampling/createMessage", params)).error).toMatchObject({ code: -1 });
    expect((await peer.ask("sampling/createMessage", {})).error).toMatchObject({ code: -32602 });
    expect((await peer.ask("acme/none")).error).toMatchObject({ code: -32601 });
    expect(errors).toEqual([]);
    const mine = new Error("mine");
    rejecting = () => {
      throw mine;
    };
    await peer.ask("acme/a");
    await peer.ask("sampling/createMessage", params);
    rejecting = () => "no object";
    await peer.ask("acme/a");
    expect(errors).toEqual([
      [mine, "acme/a"],
      [mine, "sampling/createMessage"],
      [expect.objectContaining({ code: "internal-error" }), "acme/a"],
    ]);
  });

  test("are printed to standard error by default: an exception with its stack, a wrong result with its message", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => print.mockRestore());
    let roots: () => unknown = () => {
      throw new Error("mine");
    };
    const peer = new ScriptedPeer("2025-11-25");
    const clock = new VirtualClock();
    const { onEvent: _, ...others } = base(clock);
    const client = await connect(peer.channel, {
      ...others,
      revision: "2025-11-25",
      roots: () => roots() as [],
    });
    supervise(peer, clock, client);
    await peer.ask("roots/list");
    roots = () => [{ uri: "https://a" }];
    await peer.ask("roots/list");
    const printed = print.mock.calls.map(([text]) => String(text));
    expect(printed).toEqual([
      expect.stringMatching(/^roots\/list: Error: mine\n +at /),
      expect.stringMatching(/^roots\/list: roots are file:[^\n]+$/),
    ]);
  });
});

describe("progress for a request of the server", () => {
  const reports = (progress: (value: number, total?: number, message?: string) => void): object => {
    for (const value of [1, 1, 0.5, NaN, 2]) progress(value, 4, "working");
    progress(3, Infinity);
    return {};
  };
  const wanted = [
    { progressToken: "t", progress: 1, total: 4, message: "working" },
    { progressToken: "t", progress: 2, total: 4, message: "working" },
    { progressToken: "t", progress: 3 },
  ];

  test.each(["2024-11-05", "2025-11-25"])("is sent in the form of the revision (%s)", async (revision) => {
    let later: (() => void) | undefined;
    const { client, peer } = await connected(
      revision,
      {},
      {
        prepare: (unconnected) =>
          void unconnected.handle("acme/work", (_, { progress }) => {
            later = () => progress(10);
            return reports(progress);
          }),
      },
    );
    await peer.ask("acme/work", { _meta: { progressToken: "t" } });
    later!();
    await peer.ask("acme/work", {});
    await client.callTool("a");
    const sent = peer.of("notifications/progress").map(({ params }) => params);
    expect(sent).toEqual(wanted);
    // The answer comes after the progress.
    const order = peer.received.slice(-6).map(({ method }) => method ?? "answer");
    expect(order.slice(0, 4)).toEqual([
      "notifications/progress",
      "notifications/progress",
      "notifications/progress",
      "answer",
    ]);
  });

  test("is sent before the answer over HTTP", async () => {
    let call: http.Incoming | undefined;
    const order: unknown[] = [];
    const { client } = await http.connected(
      "2025-11-25",
      {
        "tools/call": (incoming) => {
          call = incoming;
          incoming.event({
            jsonrpc: "2.0",
            id: "q",
            method: "acme/work",
            params: { _meta: { progressToken: "t" } },
          });
        },
        "notifications/progress": (incoming) => {
          order.push(incoming.message!.params, incoming.headers["mcp-protocol-version"]);
          incoming.status(202);
        },
        response: (incoming) => {
          order.push("answer");
          incoming.status(202);
          call!.event(call!.answer({ content: [] })).end();
        },
      },
      {
        prepare: (unconnected) =>
          void unconnected.handle("acme/work", (_, { progress }) => (progress(1), {})),
      },
    );
    await client.callTool("a");
    expect(order).toEqual([{ progressToken: "t", progress: 1 }, "2025-11-25", "answer"]);
  });

  test("does nothing in a round of a request", async () => {
    const params = {
      message: "?",
      requestedSchema: { type: "object", properties: {} },
      _meta: { progressToken: "t" },
    };
    const { client, peer } = await connected(
      "2026-07-28",
      {
        "tools/call": ({ params: given }) => ({
          result: given!["inputResponses"]
            ? { resultType: "complete", content: [] }
            : {
                resultType: "input_required",
                inputRequests: { q: { method: "elicitation/create", params } },
              },
        }),
      },
      { elicit: (_, { progress, method }) => (progress(1), { action: "accept", content: { method } }) },
    );
    await client.callTool("a");
    expect(peer.of("tools/call")[1]!.params!["inputResponses"]).toEqual({
      q: { action: "accept", content: { method: "elicitation/create" } },
    });
    expect(peer.of("notifications/progress")).toEqual([]);
  });
});
