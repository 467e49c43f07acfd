import { connect as openSocket } from "node:net";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { describe, expect, test } from "vitest";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { type Inside, http, inside } from "../../../support/http-fixture.js";
import { Party, messagesOf } from "../../../support/raw-http-client.js";

const modern = "2026-07-28";

async function served(
  adapter: Adapter,
  options: ServeHttpOptions = {},
): Promise<Inside & { url: string; port: number }> {
  const found = inside();
  const { url, port } = await serve(adapter, found.server, { keepAliveMs: 0, ...options });
  return { ...found, url, port };
}

/** Writes bytes to the server, and resolves with the first line of the response, if there is one. */
function statusLine(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = openSocket(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += String(chunk);
      socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text.split("\r\n")[0]!));
  });
}

describe.each(adapters)("%s", (adapter) => {
  describe("callers (R32)", () => {
    const port = ":port";
    const table: [host: string, origin: string | undefined, status: number, options?: ServeHttpOptions][] = [
      ["127.0.0.1:port", undefined, 200],
      ["localhost:port", undefined, 200],
      ["LOCALHOST", undefined, 200],
      ["[::1]:port", undefined, 200],
      ["localhost:port", "http://localhost:5173", 200],
      ["localhost:port", "https://127.0.0.1", 200],
      ["localhost:port", "http://[::1]:9", 200],
      // The name of an attacker that resolves to this machine.
      ["evil.example:port", undefined, 403],
      ["evil.example:port", "http://evil.example:port", 403],
      ["localhost.evil.example", undefined, 403],
      ["127.0.0.1.evil.example", undefined, 403],
      ["127.0.0.1@evil.example", undefined, 403],
      ["evil.example@127.0.0.1", undefined, 403],
      ["127.1", undefined, 403],
      ["2130706433", undefined, 403],
      ["0.0.0.0:port", undefined, 403],
      ["192.168.0.7:port", undefined, 403],
      // A page of another origin that asks with a good Host.
      ["localhost:port", "https://evil.example", 403],
      ["localhost:port", "http://localhost.evil.example", 403],
      ["localhost:port", "http://localhost@evil.example", 403],
      ["localhost:port", "http://evil.example/localhost", 403],
      ["localhost:port", "ftp://localhost", 403],
      ["localhost:port", "null", 403],
      ["localhost:port", "file://", 403],
      ["localhost:port", "localhost", 403],
      // Named ones.
      ["api.example.com", undefined, 200, { allowedHosts: ["API.example.com"] }],
      ["api.example.com:8080", undefined, 200, { allowedHosts: ["api.example.com"] }],
      ["api.example.com:8080", undefined, 200, { allowedHosts: ["api.example.com:8080"] }],
      ["api.example.com:81", undefined, 403, { allowedHosts: ["api.example.com:8080"] }],
      ["xapi.example.com", undefined, 403, { allowedHosts: ["api.example.com"] }],
      ["localhost", "https://app.example.com", 200, { allowedOrigins: ["https://app.example.com"] }],
      ["localhost", "http://app.example.com", 403, { allowedOrigins: ["https://app.example.com"] }],
      ["localhost", "https://app.example.com:8", 403, { allowedOrigins: ["https://app.example.com"] }],
      ["localhost", "https://app.example.com", 200, { allowedOrigins: ["HTTPS://App.Example.com/"] }],
      ["localhost", "https://app.example.com:8", 200, { allowedOrigins: ["https://app.example.com:8/"] }],
      [
        "localhost",
        "https://app.example.com.evil.example",
        403,
        { allowedOrigins: ["https://app.example.com/"] },
      ],
      ["localhost", "vscode-webview://abc", 200, { allowedOrigins: ["vscode-webview://ABC"] }],
      // Turning one half off leaves the other on.
      ["evil.example", "https://evil.example", 403, { allowedHosts: "dangerously-any" }],
      ["evil.example", undefined, 200, { allowedHosts: "dangerously-any" }],
      ["evil.example", undefined, 403, { allowedOrigins: "dangerously-any" }],
      ["localhost", "https://evil.example", 200, { allowedOrigins: "dangerously-any" }],
    ];

    test.each(table)("Host %s, Origin %s: %s", async (host, origin, status, options) => {
      const target = await served(adapter, options);
      const named = host.replace(port, `:${target.port}`);
      const party = new Party(target.url, modern);
      const answer = await party.post(party.message("tools/list"), {
        host: named,
        ...(origin === undefined ? {} : { origin: origin.replace(port, `:${target.port}`) }),
      });
      // Platforms refuse a Host with which no URL can be made.
      expect(answer.status).toBe(adapter === "fetch" && host.includes("@") ? 400 : status);
    });
  });

  test("a refusal does not wait for the body", async () => {
    const { port } = await served(adapter);
    const head = (more: string): string =>
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: 1000000\r\n\r\n`;
    expect(await statusLine(port, head("Origin: https://evil.example\r\n"))).toBe("HTTP/1.1 403 Forbidden");
    expect(await statusLine(port, head("Content-Type: text/plain\r\n"))).toContain(" 415 ");
    const json = "Content-Type: application/json\r\n";
    expect(await statusLine(port, head(`${json}Accept: text/html\r\n`))).toContain(" 406 ");
    const long = head(json).replace("1000000", "99000000");
    expect(await statusLine(port, long)).toContain(" 413 ");
  });

  test("the caller is authenticated before the body arrives", async () => {
    const { port } = await served(adapter, {
      authenticate: () => ({ status: 401, headers: { "www-authenticate": "Bearer" } }),
    });
    const head =
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    expect(await statusLine(port, head)).toBe("HTTP/1.1 401 Unauthorized");
  });

  describe("bodies (R25)", () => {
    test.each([
      ["application/json", 200],
      ["Application/JSON; charset=utf-8", 200],
      ["application/json;charset=utf-8", 200],
      ["text/plain", 415],
      ["text/plain; application/json", 415],
      ["application/jsonp", 415],
      ["application/x-www-form-urlencoded", 415],
      ["", 415],
    ])("content type %s: %s", async (type, status) => {
      const { url } = await served(adapter);
      const party = new Party(url, modern);
      expect((await party.post(party.message("tools/list"), { "content-type": type })).status).toBe(status);
    });

    /** The responses to a plain request, to one with progress, and to a subscription. */
    test.each([
      ["application/json, text/event-stream", "json", "events", "events"],
      ["text/event-stream, application/json", "json", "events", "events"],
      ["application/json;q=0.5, text/event-stream; q=0.1", "json", "events", "events"],
      ["*/*", "json", "events", "events"],
      ["", "json", "events", "events"],
      ["application/*, text/*", "json", "events", "events"],
      ["APPLICATION/JSON", "json", "json", "406"],
      ["application/json", "json", "json", "406"],
      ["application/json, text/event-stream;q=0", "json", "json", "406"],
      ["text/event-stream", "events", "events", "events"],
      ["text/html, text/event-stream", "events", "events", "events"],
      ["text/html", "406", "406", "406"],
      ["application/jsonl", "406", "406", "406"],
      ["application/json;q=0", "406", "406", "406"],
    ])("Accept %s: %s, %s, %s", async (accept, ...forms) => {
      const { url } = await served(adapter);
      const party = new Party(url, modern);
      const messages = [
        party.message("tools/list"),
        party.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }),
        party.message("subscriptions/listen", { notifications: {} }),
      ];
      for (const [index, message] of messages.entries()) {
        const { status, type } = await party.post(message, { accept });
        const form = status !== 200 ? String(status) : type === "application/json" ? "json" : "events";
        expect(form).toBe(forms[index]);
      }
    });

    test("5 MB in chunks are cut at the limit", async () => {
      const { port } = await served(adapter);
      const answer = await new Promise<string>((resolve) => {
        let text = "";
        const socket = openSocket(port, "127.0.0.1");
        socket.write(
          "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        );
        const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
        for (let sent = 0; sent < 5_000_000; sent += 65_536) socket.write(chunk);
        // The body never ends: the answer has to come before.
        socket.on("data", (data) => {
          text += String(data);
          if (text.includes("\r\n\r\n")) socket.destroy();
        });
        socket.on("error", () => undefined);
        socket.on("close", () => resolve(text));
      });
      expect(answer).toContain("HTTP/1.1 413 ");
    });

    test("a body of the limit passes, one byte more does not", async () => {
      const { url } = await served(adapter, { bodyLimit: 2000 });
      const party = new Party(url, modern);
      const message = party.call("echo", { text: "" });
      const room = 2000 - Buffer.byteLength(JSON.stringify(message));
      for (const [text, status] of [
        ["x".repeat(room), 200],
        ["x".repeat(room + 1), 413],
        ["ü".repeat(room / 2 + 1), 413],
      ] as const)
        expect(
          (await party.post({ ...message, params: { ...message.params, arguments: { text } } })).status,
        ).toBe(status);
    });

    test("nesting ends at 512 levels", async () => {
      const { url } = await served(adapter);
      const party = new Party(url, modern);
      const deep = (levels: number, open: string, close: string): string =>
        JSON.stringify(party.call("route", { a: 0 })).replace(
          '"a":0',
          `"q":${open.repeat(levels)}0${close.repeat(levels)}`,
        );
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"],
      ] as const) {
        // Three levels are those of the request itself.
        for (const [levels, status] of [
          [500, 200],
          [509, 200],
          [510, 400],
          [50_000, 400],
        ] as const) {
          const text = deep(levels, open, close);
          const answer = await party.postText(text, party.headersOf(party.call("route")));
          expect([open, levels, answer.status]).toEqual([open, levels, status]);
        }
      }
      const brackets = await party.post(party.call("echo", { text: '[{"\\'.repeat(2000) }));
      await brackets.whole();
      expect(messagesOf(brackets)[0]!.result).toBeDefined();
    });
  });

  test("requests above the limit of work are refused; answers and listening streams are accepted", async () => {
    const found = await http(adapter, "2025-11-25", { limits: { work: 2 } }, { elicitation: {} });
    const { party, target, gate } = found;
    const listener = new Party(target.url, modern);
    const listening = await listener.post(listener.message("subscriptions/listen", { notifications: {} }));
    expect(listening.status).toBe(200);
    const asked = await party.post(party.call("greet"));
    const { id } = await asked.until((each) => messagesOf(each)[0]);
    const held = await party.post(party.call("gated", { steps: 1 }, { _meta: { progressToken: 1 } }));
    for (const each of [party, listener]) {
      const refused = await each.post(each.message("tools/list"));
      expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    }
    await party.post({ jsonrpc: "2.0", id, result: { action: "decline" } });
    await asked.whole();
    expect((await listener.request("tools/list")).result).toBeDefined();
    held.cut();
    gate.open();
    await held.whole();
    expect((await party.request("tools/list")).result).toBeDefined();
  });
});
