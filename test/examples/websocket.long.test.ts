import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Channel } from "@mcpgen/runtime";
import { connect } from "@mcpgen/runtime/all";
import { openWebSocket } from "../../examples/websocket/client.js";
import { serveWebSocket } from "../../examples/websocket/server.js";
import { fixture } from "../portability/suite/fixture.mjs";
import { streamCases } from "../portability/suite/stream.mjs";
import { builtProgram } from "../support/built-program.js";
import { clientOf, failureOf, served } from "./websocket.js";

const eras = ["2025-11-25", "2026-07-28"];

describe("every transport", () => {
  test.each(streamCases("WebSocket").map((each) => [each.name, each] as const))("%s", async (_, { run }) => {
    const url = await served();
    await run((options) => connect(() => openWebSocket(url), options));
  });
});

describe("the program", () => {
  const program = builtProgram("examples/websocket/main.ts");

  test("calls tools, gets progress and answers questions", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect([status, stdout.trimEnd().split("\n")], stderr).toEqual([
      0,
      [
        "asked: Where shall 2 × lamp go?",
        "1 of 2: 1 packed",
        "2 of 2: 2 packed",
        "On its way to Main Street 1.",
      ],
    ]);
  });

  test.each(eras)(
    "waiting requests fail when a server is killed, and the client connects to another one: %s",
    async (revision) => {
      const start = async (port: string): Promise<{ readonly url: string; kill(): void }> => {
        const child = spawn(process.execPath, [program, "serve", port], {
          stdio: ["ignore", "ignore", "pipe"],
        });
        onTestFinished(() => void child.kill("SIGKILL"));
        for await (const line of createInterface(child.stderr)) {
          const url = /ws:\S+/.exec(line)?.[0];
          if (url) return { url, kill: () => child.kill("SIGKILL") };
        }
        throw new Error("the server ended before it listened");
      };
      const first = await start("0");
      const client = await connect(() => openWebSocket(first.url), {
        revision,
        // Killed while it waits for the answer.
        elicit: () => (first.kill(), new Promise<never>(() => {})),
      });
      onTestFinished(() => client.close());
      const order = client.callTool("order", { article: "lamp", count: 1 }, { timeout: 5000 });
      expect(await failureOf(order)).toMatchObject({
        code: "connection-closed",
        message: "the socket was cut",
        data: { interrupted: true, closeCode: 1006 },
      });
      expect(await failureOf(client.listTools())).toMatchObject({ data: { unreachable: true } });
      await start(new URL(first.url).port);
      expect((await client.listTools()).items).toMatchObject([{ name: "order" }]);
    },
  );
});

describe("a request for an upgrade", () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "mcp",
  };

  /** The status that a request for an upgrade gets, and its text or subprotocol. */
  async function answerTo(url: string, headers: Readonly<Record<string, string>>): Promise<unknown[]> {
    const { port, pathname } = new URL(url);
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      path: pathname,
      headers: { ...upgrade, ...headers },
    });
    request.end();
    const [response] = await Promise.race([once(request, "response"), once(request, "upgrade")]);
    const { statusCode, headers: given } = response;
    if (statusCode === 101) {
      response.socket.destroy();
      return [statusCode, given["sec-websocket-protocol"]];
    }
    return [statusCode, await text(response)];
  }

  const own = { allowedHosts: ["api.example.com"], allowedOrigins: ["https://app.example.com/"] };

  test.each([
    [{}, 101],
    [{ host: "localhost:1" }, 101],
    [{ host: "evil.example" }, 403],
    [{ host: "api.example.com" }, 403],
    [{ host: "localhost.evil.example" }, 403],
    [{ origin: "http://localhost:5173" }, 101],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "https://localhost.evil.example" }, 403],
    [{ origin: "http://localhost@evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ host: "localhost", origin: "https://app.example.com" }, 403],
    [{ "sec-websocket-protocol": "chat" }, 400],
    [{ "sec-websocket-protocol": "chat, mcp" }, 101],
    [{ "sec-websocket-version": "7" }, 400],
  ])("by default: %j → %i", async (headers, status) => {
    const [given, text] = await answerTo(await served(), headers as Record<string, string>);
    expect(given, String(text)).toBe(status);
    if (given === 101) expect(text).toBe("mcp");
  });

  test.each([
    [{ host: "api.example.com" }, 101],
    [{ host: "API.example.com:8443", origin: "https://app.example.com" }, 101],
    [{ host: "api.example.com", origin: "https://other.example.com" }, 403],
  ])("with configured names: %j → %i", async (headers, status) => {
    const [given, text] = await answerTo(await served(own), headers as Record<string, string>);
    expect(given, String(text)).toBe(status);
  });

  test("is refused with two hosts, another path, too many connections, or without an upgrade", async () => {
    const url = await served({ maxConnections: 1 });
    const socket = createConnection(Number(new URL(url).port), "127.0.0.1");
    socket.end(
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*there is more than one Host$/s);
    expect(await answerTo(url.replace("/mcp", "/other"), {})).toEqual([404, "the endpoint is /mcp"]);
    expect((await fetch(url.replace("ws:", "http:"))).status).toBe(426);
    const client = await clientOf(url);
    expect(await failureOf(openWebSocket(url))).toMatchObject({
      code: "connection-closed",
      message: "the server refused the WebSocket with 503: the server is busy",
      data: { status: 503, body: "the server is busy" },
    });
    await client.close();
    const again = (): Promise<Channel> => openWebSocket(url).catch(again);
    await (await again()).close();
  });

  test("fails with a reason if the server is unreachable or the URL invalid", async () => {
    const service = await serveWebSocket(fixture());
    await service.close();
    expect(await failureOf(openWebSocket(service.url))).toMatchObject({
      code: "connection-closed",
      data: { unreachable: true },
    });
    expect(await failureOf(openWebSocket("no url"))).toMatchObject({ code: "invalid-definition" });
  });
});
