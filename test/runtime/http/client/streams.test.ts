import { once } from "node:events";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { attempts } from "@mcpgen/base";
import { Backoff, EventStreams } from "../../../../runtime/core/legacy/client/event-streams.js";
import { heard } from "../../../support/heard.mjs";
import { type Incoming, type Script, connected } from "../../../support/scripted-http-server.js";

const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

/** Collects the warnings with a text. Resolves with the first of them. */
function warned(part = ""): {
  readonly warnings: string[];
  warning: (text: string) => void;
  first: Promise<string>;
} {
  const warnings: string[] = [];
  let tell: ((text: string) => void) | undefined;
  const first = new Promise<string>((resolve) => (tell = resolve));
  const warning = (text: string): void => {
    if (!text.includes(part)) return;
    warnings.push(text);
    tell?.(text);
  };
  return { warnings, first, warning };
}

/** Calls of the tool `held` wait to be answered by the test. */
function holding(calls: Incoming[]): Script[string] {
  return (incoming) =>
    incoming.message!.params!["name"] === "held"
      ? void calls.push(incoming)
      : incoming.reply({ content: [] });
}

/** What becomes of the stream to listen on, the second time or while it is read. */
const trouble: Record<string, Script[string]> = Object.fromEntries(
  [405, 401, 400, 403, 502].map((status) => [`${status}`, (incoming) => incoming.status(status)]),
);
trouble["a message that is too long"] = (incoming) =>
  void incoming.event({ ...notice, params: { _meta: { long: "x".repeat(5000) } } });
trouble["no event stream"] = (incoming) => incoming.status(200, "<p>", { "content-type": "text/html" });

test.each(Object.keys(trouble))(
  "trouble with the stream to listen on takes no call with it: %s",
  async (kind) => {
    const held: Incoming[] = [];
    const { warning, first, warnings } = warned("is lost");
    const { server, client } = await connected(
      "2025-11-25",
      {
        "tools/call": holding(held),
        GET: (incoming, each) =>
          each.of("GET").length > 1 ? trouble[kind]!(incoming, each) : incoming.event(notice, "e1").end(),
      },
      { onEvent: heard({ warning }), http: { reconnects: { attempts: 2, delayMs: 10 }, limit: 2000 } },
    );
    const call = client.callTool("held");
    expect(await first).toContain("the stream of the server's messages is lost");
    held[0]!.reply({ content: [{ type: "text", text: "held" }] });
    expect((await call).content).toEqual([{ type: "text", text: "held" }]);
    await client.callTool("x");
    expect(server.of("initialize")).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  },
);

test("a lost stream is requested again with the next request, and resumes", async () => {
  const { warning, first, warnings } = warned();
  let down = false;
  const { server, client } = await connected(
    "2025-11-25",
    {
      GET: (incoming) => {
        if (down) return incoming.status(502);
        if (incoming.headers["last-event-id"] === "e1") return void incoming.event(notice, "e2");
        down = true;
        incoming.event(notice, "e1").end();
      },
    },
    { onEvent: heard({ warning }), http: { reconnects: { attempts: 2, delayMs: 10 } } },
  );
  await first;
  const asked = server.of("GET").length;
  down = false;
  const notified = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
  await client.callTool("x");
  await notified;
  expect(server.of("GET")).toHaveLength(asked + 1);
  expect(server.of("initialize")).toHaveLength(1);
  expect(warnings).toHaveLength(1);
});

const eventsNamed = (incoming: Incoming[]): unknown[] =>
  incoming.map(({ headers }) => headers["last-event-id"]);

describe.each([400, 404])("an event that the server does not know (%i)", (status) => {
  test("gives way to a fresh GET stream", async () => {
    const { warning, warnings } = warned();
    const { server, client } = await connected(
      "2025-11-25",
      {
        GET: (incoming, each) => {
          if (incoming.headers["last-event-id"] !== undefined) incoming.status(status);
          else if (each.of("GET").length === 1) incoming.event(notice, "e1").end();
        },
      },
      { onEvent: heard({ warning }), http: { reconnects: { attempts: 1, delayMs: 10 } } },
    );
    const fresh = await server.until("GET", 3);
    const notified = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
    fresh.event(notice, "e2");
    await notified;
    expect(eventsNamed(server.of("GET"))).toEqual([undefined, "e1", undefined]);
    expect(warnings).toEqual([expect.stringMatching(/does not resume .* messages in between are lost/)]);
    await client.callTool("x");
    expect(server.of("initialize")).toHaveLength(1);
  });

  test("gives way to a fresh GET stream after the server was away", async () => {
    const { warning, first, warnings } = warned();
    let isAway = false;
    const { server, client } = await connected(
      "2025-11-25",
      {
        GET: (incoming) => {
          if (isAway) return incoming.status(502);
          if (incoming.headers["last-event-id"] !== undefined) return incoming.status(status);
          const isFirst = server.of("GET").length === 1;
          const sent = incoming.event(notice, isFirst ? "e1" : "e2");
          isAway = isFirst;
          if (isFirst) sent.end();
        },
      },
      { onEvent: heard({ warning }), http: { reconnects: { attempts: 2, delayMs: 10 } } },
    );
    expect(await first).toContain("the next request opens the stream again");
    isAway = false;
    const notified = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
    await client.callTool("x");
    await notified;
    expect(eventsNamed(server.of("GET")).slice(-2)).toEqual(["e1", undefined]);
    expect(warnings).toHaveLength(2);
    expect(server.of("initialize")).toHaveLength(1);
  });

  test("is not named again where the fresh stream has to wait", async () => {
    const answers = [undefined, status, 503, undefined];
    const { server, client } = await connected(
      "2025-11-25",
      {
        GET: (incoming) => {
          const answer = answers.shift();
          if (answer !== undefined) return incoming.status(answer);
          const sent = incoming.event(notice, "e1");
          if (answers.length > 0) sent.end();
        },
      },
      { onEvent: () => true, http: { reconnects: { attempts: 2, delayMs: 10 } } },
    );
    await server.until("GET", 4);
    expect(eventsNamed(server.of("GET"))).toEqual([undefined, "e1", undefined, undefined]);
    await client.close();
  });
});

test("a server that refuses the fresh stream, too, is asked for it once", async () => {
  const { warning, first, warnings } = warned("is lost");
  const { server, client } = await connected(
    "2025-11-25",
    {
      GET: (incoming, each) =>
        each.of("GET").length > 1 ? incoming.status(400) : incoming.event(notice, "e1").end(),
    },
    { onEvent: heard({ warning }), http: { reconnects: { delayMs: 10 } } },
  );
  await first;
  for (let call = 0; call < 3; call++) await client.callTool("x");
  expect(eventsNamed(server.of("GET"))).toEqual([undefined, "e1", undefined]);
  expect(warnings).toHaveLength(1);
});

test("a session that the server has forgotten is lost by the fresh stream, and the next call opens another", async () => {
  const { server, client } = await connected(
    "2025-11-25",
    {
      GET: (incoming, each) => {
        if (incoming.headers["mcp-session-id"] === "s2") return void incoming.events();
        if (each.of("GET").length === 1) return incoming.event(notice, "e1").end();
        each.session = "s2";
        incoming.status(404);
      },
    },
    { onEvent: () => true, http: { reconnects: { delayMs: 10 } } },
  );
  await server.until("GET", 3);
  while (server.of("initialize").length < 2) await client.callTool("x");
  expect(eventsNamed(server.of("GET")).slice(0, 3)).toEqual([undefined, "e1", undefined]);
});

test("streams that open and end at once are given up", async () => {
  const { warning, first } = warned();
  const { server } = await connected(
    "2025-11-25",
    { GET: (incoming) => incoming.events("retry: 0\n\n: nothing\n\n").end() },
    { onEvent: heard({ warning }), http: { reconnects: { attempts: 3, delayMs: 10 } } },
  );
  await first;
  expect(server.of("GET")).toHaveLength(3);
});

test("a response stream that keeps ending is given up, and the call fails", async () => {
  const { server, client } = await connected(
    "2025-11-25",
    {
      "tools/call": (incoming) => incoming.events("id: 1\nretry: 0\ndata: \n\n").end(),
      GET: (incoming) =>
        incoming.headers["last-event-id"] === undefined ? incoming.status(405) : incoming.events().end(),
    },
    { http: { reconnects: 3 } },
  );
  await expect(client.callTool("x")).rejects.toMatchObject({ code: "connection-closed" });
  expect(server.of("GET").filter(({ headers }) => headers["last-event-id"] === "1")).toHaveLength(3);
});

test("a response stream that the server lets the client poll is requested without a limit", async () => {
  let asked = 0;
  const { server, client } = await connected(
    "2025-11-25",
    {
      "tools/call": (incoming) => incoming.events("id: 0\nretry: 0\ndata: \n\n").end(),
      GET: (incoming) => {
        if (incoming.headers["last-event-id"] === undefined) return incoming.status(405);
        if (++asked < 8) return incoming.events(`id: ${asked}\ndata: \n\n`).end();
        incoming.event(server.of("tools/call")[0]!.answer({ content: [] })).end();
      },
    },
    { http: { reconnects: { attempts: 2, delayMs: 1 } } },
  );
  expect((await client.callTool("x")).content).toEqual([]);
});

test("a stream that lasted some seconds counts as opened, and is requested again each time", async () => {
  const end = new AbortController();
  const { warning, first } = warned("is lost");
  let asked = 0;
  let now = 0;
  const spy = vi.spyOn(performance, "now").mockImplementation(() => (now += 3000));
  onTestFinished(() => spy.mockRestore());
  const streams = new EventStreams(
    { reconnects: { attempts: 2, delayMs: 1 } },
    {
      get: () => {
        if (++asked === 8) end.abort();
        return Promise.resolve(new Response(": \n\n", { headers: { "content-type": "text/event-stream" } }));
      },
      message: () => undefined,
      stray: () => undefined,
      turn: () => undefined,
      room: () => undefined,
      forgotten: () => undefined,
      ended: () => undefined,
    },
    end.signal,
    warning,
  );
  void streams.begin();
  expect(await first).toContain("the next request opens the stream again");
  expect(asked).toBe(2);
  spy.mockImplementation(() => (now += 6000));
  const over = once(end.signal, "abort");
  streams.again();
  await over;
  expect(asked).toBe(8);
});

test("a response to GET that is not an event stream is ignored without a warning", async () => {
  const { warning, warnings } = warned();
  const { server, client } = await connected(
    "2025-11-25",
    { GET: (incoming) => incoming.status(200, "<p>", { "content-type": "text/html" }) },
    { onEvent: heard({ warning }), http: { reconnects: { delayMs: 1 } } },
  );
  for (let call = 0; call < 10; call++) await client.callTool("x");
  expect([server.of("GET").length, warnings]).toEqual([1, []]);
});

test("a pause is at most five minutes, for any `retry` of a server", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  for (const ms of [99_999_999_999, 2 ** 31, 300_001]) {
    const backoff = new Backoff();
    backoff.ended({ events: 1, last: "", lastId: "", retryMs: ms, lastedMs: 0, broken: undefined }, false);
    const pace = { ...backoff.pace(new AbortController().signal), waitsFirst: true };
    let due = false;
    const waits = attempts(pace)[Symbol.asyncIterator]();
    const next = waits.next().then(() => (due = true));
    await vi.advanceTimersByTimeAsync(299_999);
    expect(due).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await next;
  }
});

test.each(["2025-11-25", "2026-07-28"])(
  "a stream that its server leaves open ends with its answer (%s)",
  async (revision) => {
    const { server, client } = await connected(revision, {
      "tools/call": (incoming, each) => void incoming.event(incoming.answer(each.result({ content: [] }))),
    });
    await Promise.all([1, 2, 3].map((call) => client.callTool(`t${call}`)));
    await Promise.all(server.of("tools/call").map(({ closed }) => closed));
  },
);

test("closing the client leaves no exchange of a forgotten session open", async () => {
  const { server, client } = await connected("2025-11-25", {
    "tools/call": (incoming, each) => {
      if (incoming.message!.params!["name"] === "lost" && incoming.headers["mcp-session-id"] === "s1") {
        each.session = "s2";
        return incoming.status(404);
      }
      incoming.event(incoming.answer({ content: [] }));
    },
    GET: (incoming) => void incoming.events(": \n\n"),
  });
  await client.callTool("x");
  await client.callTool("lost");
  await client.close();
  await Promise.all(server.received.map(({ closed }) => closed));
  expect(server.of("initialize")).toHaveLength(2);
});

test("a GET stream is requested again from a busy server", async () => {
  let asked = 0;
  const { client } = await connected(
    "2025-11-25",
    { GET: (incoming) => (++asked === 1 ? incoming.status(503) : void incoming.event(notice, "e1")) },
    { http: { reconnects: { delayMs: 10 } } },
  );
  await new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
  expect(asked).toBe(2);
});

test("a lost GET stream is requested again after one refusal", async () => {
  const { warning, first } = warned();
  const answers = ["e1", 502, 503, "e2"];
  const { client } = await connected(
    "2025-11-25",
    {
      GET: (incoming) => {
        const answer = answers.shift()!;
        if (typeof answer === "number") return incoming.status(answer);
        const sent = incoming.event(notice, answer);
        if (answer === "e1") sent.end();
      },
    },
    { onEvent: heard({ warning }), http: { reconnects: { attempts: 1, delayMs: 10 } } },
  );
  await first;
  const notified = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
  await client.callTool("x");
  await client.callTool("x");
  await notified;
});

test("a listener of events that throws affects nothing else", async () => {
  let warn: (() => void) | undefined;
  const warned = new Promise<void>((resolve) => (warn = resolve));
  const warning = (): never => {
    warn?.();
    throw new Error("mine");
  };
  const { client, server } = await connected(
    "2025-11-25",
    { GET: (incoming) => incoming.events("retry: 0\n\n").end() },
    { onEvent: heard({ warning }), http: { reconnects: { attempts: 1, delayMs: 10 } } },
  );
  await client.callTool("x");
  await warned;
  expect((await client.callTool("x")).content).toEqual([]);
  expect(server.of("initialize")).toHaveLength(1);
});

describe("a server that sends retry: 0", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));

  const stream = (text: string): Promise<Response> =>
    Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }));
  const user = {
    message: () => undefined,
    stray: () => undefined,
    turn: () => undefined,
    room: () => undefined,
    forgotten: () => undefined,
    ended: () => undefined,
  };

  /** How often a stream is asked for in each of three minutes, where each brings one event and ends. */
  async function asked(
    retry: string,
    read: (streams: EventStreams, signal: AbortSignal) => unknown,
  ): Promise<number[]> {
    let count = 0;
    const text = `id: 1\n${retry}data: ${JSON.stringify(notice)}\n\n`;
    const end = new AbortController();
    const given = { ...user, get: () => (count++, stream(text)) };
    const streams = new EventStreams({}, given, end.signal, () => undefined);
    const over = Promise.resolve(read(streams, end.signal)).catch(() => undefined);
    const counts: number[] = [];
    for (let minute = 0; minute < 3; minute++) {
      const before = count;
      await vi.advanceTimersByTimeAsync(60_000);
      counts.push(count - before);
    }
    end.abort();
    await over;
    return counts;
  }

  const listening = (streams: EventStreams) => streams.begin();
  const answering = async (streams: EventStreams, signal: AbortSignal) =>
    streams.answer(await stream("id: 0\nretry: 1\ndata: \n\n"), {
      id: 1,
      isBatch: false,
      signal,
      headers: {},
      resumable: true,
      disconnected: () => undefined,
      isBatch: false,
      isDone: () => false,
      end: () => undefined,
    });

  test.each(["retry: 0\n", "retry: 1\n", "retry: 100\n"])(
    "is asked once a second in the end (%j)",
    async (retry) => {
      for (const read of [listening, answering]) {
        const [first, second, third] = await asked(retry, read);
        expect(first).toBeLessThanOrEqual(65);
        expect([second, third]).toEqual([60, 60]);
      }
    },
  );

  test("a longer retry is followed", async () => {
    expect(await asked("retry: 2000\n", listening)).toEqual([30, 30, 30]);
    expect(await asked("", listening)).toEqual([60, 60, 60]);
  });

  test("pauses double from 100 ms on", async () => {
    const times: number[] = [];
    const end = new AbortController();
    const get = (): Promise<Response> => {
      times.push(performance.now());
      return stream("retry: 1\ndata: x\n\n");
    };
    const streams = new EventStreams({}, { ...user, get }, end.signal, () => undefined);
    void streams.begin();
    await vi.advanceTimersByTimeAsync(5000);
    end.abort();
    const pauses = times.slice(1).map((time, index) => Math.round(time - times[index]!));
    expect(pauses).toEqual([100, 200, 400, 800, 1000, 1000, 1000]);
  });
});

describe("a stream that answers a request, and whose next servers are lost, too", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));

  const headers = { "content-type": "text/event-stream" };
  /** Opens, and breaks at once. */
  const breaking = (first = ""): Response =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          if (first === "") return controller.error(new TypeError("terminated"));
          controller.enqueue(new TextEncoder().encode(first));
          first = "";
        },
      }),
      { headers },
    );
  const ending = (): Response => new Response(": \n\n", { headers });

  /** The pauses before each attempt, and how the call ends. */
  async function pausesOf(
    answers: readonly (() => Response)[],
  ): Promise<{ pauses: number[]; error: unknown }> {
    const times: number[] = [performance.now()];
    const streams = new EventStreams(
      {},
      {
        get: () => {
          times.push(performance.now());
          return Promise.resolve(answers[times.length - 2]!());
        },
        message: () => undefined,
        stray: () => undefined,
        turn: () => undefined,
        room: () => undefined,
        forgotten: () => undefined,
        ended: () => undefined,
      },
      new AbortController().signal,
      () => undefined,
    );
    const rest = { headers: {}, disconnected: () => undefined, end: () => undefined };
    const asked = { id: 1, isBatch: false, resumable: true, isDone: () => false, ...rest };
    const { signal } = new AbortController();
    const over = streams
      .answer(breaking("id: 0\nretry: 1000\ndata: \n\n"), { ...asked, signal })
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    return {
      pauses: times.slice(1).map((time, index) => Math.round(time - times[index]!)),
      error: await over,
    };
  }

  test("is requested after the pause of the server each time, and given up in the end", async () => {
    const { pauses, error } = await pausesOf(Array(5).fill(breaking));
    expect(pauses).toEqual([1000, 1000, 1000, 1000, 1000]);
    expect(error).toMatchObject({ code: "connection-closed" });
  });

  test("is requested less and less often where the servers end it at once", async () => {
    const { pauses } = await pausesOf([ending, ending, breaking, ending, ending]);
    expect(pauses).toEqual([1000, 2000, 4000, 1000, 2000]);
  });
});
