import type { ClientEvent, ServerEvent } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { Pending } from "../../runtime/base/jsonrpc/pending.js";
import { adapters, serve } from "../support/http-adapters.js";
import { send } from "../support/http-wire.js";
import { clientOf as rawClientOf, served } from "../support/raw-stdio-client.js";
import { type Incoming, type Script, connected as overHttp } from "../support/scripted-http-server.js";
import { connected as overPipe } from "../support/scripted-stdio-server.js";

const content = [{ type: "text", text: "ok" }];

/** The ids of a response to the request `id`; the exchange of HTTP says what each answers. */
const ids: Record<string, (id: unknown) => object> = {
  "a text for a number": (id) => ({ id: String(id) }),
  null: () => ({ id: null }),
  "no id": () => ({}),
  "an id that no request has": () => ({ id: 999 }),
  "a text": () => ({ id: "call" }),
};

/** Forms in which a response of HTTP carries a message. */
const forms: Record<string, (incoming: Incoming, message: object) => void> = {
  JSON: (incoming, message) => incoming.json(message),
  "a list": (incoming, message) => incoming.json([message]),
  "a stream": (incoming, message) => incoming.event(message).end(),
};

const each = Object.keys(ids).flatMap((id) => Object.keys(forms).map((form) => [id, form] as const));

/** Collects the warnings. */
function watching(): { readonly warnings: ClientEvent[]; readonly onEvent: (event: ClientEvent) => void } {
  const warnings: ClientEvent[] = [];
  return { warnings, onEvent: (event) => void (event.type === "protocol-warning" && warnings.push(event)) };
}

describe("a response over HTTP answers the request of its exchange", () => {
  test.each(each)("with %s, in %s", async (id, form) => {
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      const { warnings, onEvent } = watching();
      const call: Script[string] = (incoming, server) =>
        forms[form]!(incoming, {
          jsonrpc: "2.0",
          ...ids[id]!(incoming.message!.id),
          result: server.result({ content }),
        });
      const { client } = await overHttp(revision, { "tools/call": call }, { onEvent });
      expect((await client.callTool("x")).content).toEqual(content);
      expect(warnings).toMatchObject([{ reason: "response-id", method: "tools/call" }]);
    }
  });

  test("even if other requests wait, each on its own exchange", async () => {
    const waiting: Incoming[] = [];
    const { client } = await overHttp("2025-11-25", {
      "tools/call": (incoming) => {
        waiting.push(incoming);
        if (waiting.length < 2) return;
        for (const each of waiting) {
          const { name } = each.message!.params!;
          const other = waiting.find((one) => one !== each)!.message!.id;
          each.json({
            jsonrpc: "2.0",
            id: String(other),
            result: { content: [{ type: "text", text: name }] },
          });
        }
      },
    });
    const results = await Promise.all(["a", "b"].map((name) => client.callTool(name)));
    expect(results).toMatchObject([{ content: [{ text: "a" }] }, { content: [{ text: "b" }] }]);
  });

  test("even if it is an error without an id, without a warning", async () => {
    const { warnings, onEvent } = watching();
    const error = { code: -32600, message: "no" };
    const call: Script[string] = (incoming) => incoming.json({ jsonrpc: "2.0", id: null, error }, 400);
    const { client } = await overHttp("2025-11-25", { "tools/call": call }, { onEvent });
    await expect(client.callTool("x")).rejects.toMatchObject({ code: "remote-error" });
    expect(warnings).toEqual([]);
  });

  test("but not with another content type, which the error names", async () => {
    for (const type of ["text/plain", "text/html; charset=utf-8", "application/octet-stream", ""]) {
      const call: Script[string] = (incoming) =>
        incoming.json(incoming.answer({ content }), 200, { "content-type": type });
      const { client } = await overHttp("2025-11-25", { "tools/call": call });
      const named = `content type "${type.split(";")[0]}" in place of application/json`;
      await expect(client.callTool("x")).rejects.toMatchObject({
        code: "connection-closed",
        message: expect.stringContaining(named) as string,
      });
    }
  });
});

describe("over pipes", () => {
  test("a response whose id differs only in its type is accepted, with a warning", async () => {
    const { warnings, onEvent } = watching();
    const { client, peer } = await overPipe("2025-11-25", { "tools/call": () => undefined }, { onEvent });
    const call = client.callTool("x");
    const { id } = await peer.until("tools/call");
    peer.send({ jsonrpc: "2.0", id: String(id), result: { content } });
    expect((await call).content).toEqual(content);
    expect(warnings).toMatchObject([{ reason: "response-id", method: "tools/call" }]);
  });

  test("a request with exactly that id takes precedence", async () => {
    const pending = new Pending<string>();
    const [number, text] = [2, "2"].map((id) => pending.wait(id, "m", {}, () => {}));
    pending.answered("2")?.resolve("of the text");
    pending.answered("2")?.resolve("of the number");
    expect([await number, await text]).toEqual(["of the number", "of the text"]);
    expect(pending.answered("2")).toBeUndefined();
    for (const id of ["02", " 2", "2.0", "0x2", null, {}, [2], true])
      expect(pending.answered(id)).toBeUndefined();
  });

  /** Wrong responses of a server, and the errors of the client. */
  const strays: Record<string, readonly [written: string, quoted: string, reason: string]> = {
    "an answer to another id": [
      '{"jsonrpc":"2.0","id":"abc","result":{}}',
      '"abc", which no request has',
      "response-id",
    ],
    "an error without an id": [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
      "null, which no request has: Parse error",
      "response-id",
    ],
    "an answer whose id is a boolean": [
      '{"jsonrpc":"2.0","id":true,"result":{}}',
      "true, which no request has",
      "response-id",
    ],
    "an answer whose id is nearly a number": [
      '{"jsonrpc":"2.0","id":"01","result":{}}',
      '"01", which no request has',
      "response-id",
    ],
    "a line of a log": [
      "Server listening on port 3000",
      "not a message: Server listening on port 3000",
      "stray-output",
    ],
    "another value of JSON": ['"ready"', 'not a message: "ready"', "stray-output"],
    "an object that is no message": ['{"level":"info"}', 'not a message: {"level":"info"}', "stray-output"],
  };

  test.each(Object.keys(strays))(
    "the timeout and an event describe the message that came instead: %s",
    async (kind) => {
      const [written, quoted, reason] = strays[kind]!;
      for (const revision of ["2025-11-25", "2026-07-28"]) {
        const { warnings, onEvent } = watching();
        const { client, peer, clock } = await overPipe(
          revision,
          { "tools/call": () => undefined },
          { onEvent },
        );
        const call = client.callTool("x", {}, { timeout: 500 }).catch((error: unknown) => error);
        await peer.until("tools/call");
        peer.write(`${written}\n`);
        await client.listTools();
        expect(warnings).toMatchObject([{ reason }]);
        clock.advance(500);
        expect(await call).toMatchObject({
          code: "timeout",
          message: expect.stringContaining(quoted) as string,
        });
      }
    },
  );

  test("a response that came before a request does not explain its timeout, and the quotation is bounded", async () => {
    const { client, peer, clock } = await overPipe("2025-11-25", { "tools/call": () => undefined });
    const fails = async (write: () => void): Promise<string> => {
      const count = peer.of("tools/call").length + 1;
      const call = client.callTool("x", {}, { timeout: 500 }).catch((error: unknown) => String(error));
      await peer.until("tools/call", count);
      write();
      await client.listTools();
      clock.advance(500);
      return (await call) as string;
    };
    expect(await fails(() => peer.write("before\n"))).toContain("before");
    expect(await fails(() => {})).not.toContain("before");
    const long = await fails(() => peer.write(`${`${"y".repeat(10_000)}\n`.repeat(100)}`));
    expect(long.length).toBeLessThan(1000);
  });

  test("a late answer to a cancelled request does not cause a warning", async () => {
    const { warnings, onEvent } = watching();
    const { client, peer } = await overPipe("2025-11-25", { "tools/call": () => undefined }, { onEvent });
    const cancel = new AbortController();
    const call = client.callTool("x", {}, { signal: cancel.signal }).catch(() => undefined);
    const { id } = await peer.until("tools/call");
    cancel.abort();
    await call;
    for (const late of [id, String(id)]) peer.send({ jsonrpc: "2.0", id: late, result: { content } });
    await client.listTools();
    expect(warnings).toEqual([]);
  });

  test("a server accepts an answer whose id differs only in its type", async () => {
    const events: ServerEvent[] = [];
    const made = served((server) => {
      server.tool("ask", {}, async (_, { ask }) => String((await ask.roots("r")).length));
      server.onEvent((event) => event.type === "protocol-warning" && events.push(event));
    });
    const client = await rawClientOf(made, "2025-11-25", { roots: {} });
    const call = client.call("ask");
    const { id } = await client.next("roots/list");
    client.send({ jsonrpc: "2.0", id: String(id), result: { roots: [] } });
    expect((await call).result).toMatchObject({ content: [{ text: "0" }] });
    expect(events).toMatchObject([{ reason: "response-id", method: "roots/list" }]);
  });
});

describe("an integer that loses digits, as an id or as a progressToken, is refused, with the reason", () => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const why = expect.stringContaining("2^53 - 1") as string;
  const large = ["1757654321987654321", "9007199254740992", "9007199254740993", "-9007199254740993", "1e300"];
  const opening = (id: string): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":${JSON.stringify(params)}}`;
  /** The text of a request for progress with a token. Numbers are written as given. */
  const asking = (token: string, method: string, rest: object): string =>
    JSON.stringify({
      ...{ jsonrpc: "2.0", id: 7, method },
      params: { ...rest, _meta: { ...(rest as { _meta?: object })._meta, progressToken: 0 } },
    }).replace('"progressToken":0', `"progressToken":${token}`);

  test.each(large)("over pipes: %s", async (number) => {
    for (const revision of ["2024-11-05", "2025-11-25", "2026-07-28"]) {
      let calls = 0;
      const made = served((server) =>
        server.tool("work", {}, (_, { progress }) => {
          calls++;
          progress(1);
          return "done";
        }),
      );
      const client = await rawClientOf(made, revision);
      const { params: call = {} } = client.requestOf("tools/call", { name: "work" });
      client.write(`${asking(number, "tools/call", call)}\n`);
      expect((await client.answer(7)).error).toMatchObject({ code: -32600, message: why });
      expect(calls).toBe(0);
      expect(client.of("notifications/progress")).toEqual([]);
      client.write(`${opening(number)}\n`);
      expect((await client.answer(undefined)).error).toMatchObject({ code: -32600, message: why });
    }
  });

  test.each(["9007199254740991", "-9007199254740991", "0", '"9007199254740993"'])(
    "%s is not refused, because it keeps its digits",
    async (token) => {
      for (const revision of ["2025-11-25", "2026-07-28"]) {
        const made = served((server) =>
          server.tool("work", {}, (_, { progress }) => {
            progress(1);
            return "done";
          }),
        );
        const client = await rawClientOf(made, revision);
        const progressToken: unknown = JSON.parse(token);
        expect((await client.call("work", {}, { progressToken })).result).toBeDefined();
        const { params: report } = await client.next("notifications/progress");
        expect(report).toMatchObject({ progressToken, progress: 1 });
      }
    },
  );

  test.each(adapters)("over HTTP (%s)", async (adapter) => {
    const { url } = await serve(adapter, served(() => {}).server);
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
    for (const text of [opening(large[0]!), asking(large[0]!, "initialize", params)]) {
      const answer = await send(url, "POST", headers, text);
      expect(JSON.parse(await answer.whole())).toMatchObject({ error: { code: -32600, message: why } });
    }
  });

  test("also by a client", async () => {
    let asked = 0;
    const sample = () => {
      asked++;
      return { role: "assistant", model: "m", content: { type: "text", text: "" } } as const;
    };
    const { warnings, onEvent } = watching();
    const { client, peer } = await overPipe("2025-11-25", {}, { sample, onEvent });
    const prompt = { maxTokens: 5, messages: [{ role: "user", content: { type: "text", text: "?" } }] };
    peer.write(`${asking(large[0]!, "sampling/createMessage", prompt)}\n`);
    peer.write(`{"jsonrpc":"2.0","id":${large[0]},"method":"ping"}\n`);
    await client.listTools();
    const answers = peer.received.filter(({ method }) => method === undefined);
    // A request whose id is lost gets no answer.
    expect(answers).toMatchObject([{ id: 7, error: { code: -32600, message: why } }]);
    expect(warnings).toMatchObject([{ reason: "stray-output" }]);
    expect(asked).toBe(0);
  });
});
