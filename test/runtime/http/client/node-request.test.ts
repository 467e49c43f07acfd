import * as http from "node:http";
import * as https from "node:https";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import type { ConnectOptions } from "@mcpgen/runtime";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Incoming, type Script, clientOf, connected } from "../../../support/scripted-http-server.js";
import { listen } from "../../../support/listen.js";
import { cert, key } from "../../../support/certificate.js";

const revisions = ["2025-11-25", "2026-07-28"] as const;

/** The client's two implementations on Node: its own, and the `fetch` of the application. They must behave the same. */
const ways: Record<string, ConnectOptions["http"]> = { "node:http": {}, fetch: { fetch } };

const text = (body: string): { content: object[] } => ({ content: [{ type: "text", text: body }] });

/** A port that nothing listens on. */
async function closedPort(): Promise<number> {
  const node = http.createServer();
  const port = await listen(node);
  await new Promise((resolve) => node.close(resolve));
  return port;
}

/** Connections that the requests of a server came on. */
function connectionsOf(received: readonly Incoming[]): number {
  return new Set(received.map(({ response }) => response.req.socket)).size;
}

test("the platform's fetch is not called", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  onTestFinished(() => fetched.mockRestore());
  const { client } = await connected("2025-11-25");
  await client.callTool("x");
  expect(fetched).not.toHaveBeenCalled();
});

describe.each(Object.entries(ways))("over %s", (_way, given) => {
  const options = { http: given! };

  /** Bodies by what was done to them; each holds the answer. */
  const codings: Record<string, [coding: string, encoded: (body: string) => Uint8Array]> = {
    gzip: ["gzip", gzipSync],
    "gzip by its old name": ["X-GZIP", gzipSync],
    deflate: ["deflate", deflateSync],
    brotli: ["br", brotliCompressSync],
    "two of them": ["gzip, br", (body) => brotliCompressSync(gzipSync(body))],
  };

  test.each(Object.entries(codings))("a body is decoded: %s", async (_name, [coding, encoded]) => {
    const { client } = await connected(
      "2025-11-25",
      {
        "tools/call": ({ response, ...incoming }) => {
          const body = JSON.stringify({ jsonrpc: "2.0", id: incoming.message!.id, result: text("ok") });
          response.writeHead(200, { "content-type": "application/json", "content-encoding": coding });
          response.end(encoded(body));
        },
      },
      options,
    );
    expect(await client.callTool("x")).toMatchObject(text("ok"));
  });

  test("events of a compressed stream are read as they arrive", async () => {
    const { client } = await connected(
      "2025-11-25",
      {
        "tools/call": (incoming) => {
          const { id, params } = incoming.message!;
          const gzip = createGzip();
          gzip.pipe(
            incoming.response.writeHead(200, {
              "content-type": "text/event-stream",
              "content-encoding": "gzip",
            }),
          );
          const event = (message: object): void => {
            gzip.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
            gzip.flush();
          };
          const { progressToken } = params!["_meta"] as { progressToken: number };
          event({ method: "notifications/progress", params: { progressToken, progress: 1 } });
          going = () => event({ id, result: text("ok") });
        },
      },
      options,
    );
    let going = (): void => {};
    // Only the progress, read in time, lets the server answer.
    expect(await client.callTool("x", {}, { onProgress: () => going() })).toMatchObject(text("ok"));
  });

  test("the decoded size of a body counts for the limit, and the connection is closed", async () => {
    const { client, server } = await connected(
      "2025-11-25",
      {
        "tools/call": ({ response }) => {
          response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
          response.write(gzipSync(" ".repeat(50_000_000)));
        },
      },
      { http: { ...given, limit: 100_000 } },
    );
    await expect(client.callTool("x")).rejects.toMatchObject({ code: "message-too-long" });
    await server.of("tools/call")[0]!.closed;
  });

  test("a body that breaks off makes the request fail as interrupted", async () => {
    const cuts: Script[string][] = [
      (incoming) => incoming.events('{"jsonrpc"', { "content-type": "application/json" }).reset(),
      (incoming) => incoming.reset(),
      ({ response }) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        response.end("no gzip");
      },
    ];
    for (const cut of cuts) {
      const { client } = await connected("2025-11-25", { "tools/call": cut }, options);
      await expect(client.callTool("x")).rejects.toMatchObject({
        code: "connection-closed",
        data: { interrupted: true },
      });
    }
  });

  test("requests and notifications that follow one another use one connection", async () => {
    const { client, server } = await connected("2025-11-25", {}, { ...options, roots: [] });
    for (let index = 0; index < 5; index++) await client.callTool("x");
    await client.notify("notifications/roots/list_changed");
    await server.until("notifications/roots/list_changed");
    await client.callTool("x");
    // The client requests the listening stream together with the first call.
    expect(connectionsOf(server.received)).toBeLessThanOrEqual(2);
  });

  test.each(revisions)("a call that is cancelled ends its exchange, at %s", async (revision) => {
    const cancel = new AbortController();
    const { client, server } = await connected(revision, { "tools/call": () => cancel.abort() }, options);
    await expect(client.callTool("x", {}, { signal: cancel.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await server.of("tools/call")[0]!.closed;
  });

  test("a certificate that no authority signed is refused, and nothing is sent", async () => {
    const received: unknown[] = [];
    const node = https.createServer({ key, cert }, (request) => void received.push(request));
    const port = await listen(node);
    onTestFinished(() => void node.close());
    const failure = await clientOf(`https://127.0.0.1:${port}/mcp`, options).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "connection-closed" });
    expect(String(failure)).toContain("self-signed certificate");
    expect(received).toEqual([]);
  });

  test("a request for which no connection was opened fails as unreachable", async () => {
    for (const url of ["http://nowhere.invalid/mcp", `http://localhost:${await closedPort()}/mcp`])
      await expect(clientOf(url, options)).rejects.toMatchObject({
        code: "connection-closed",
        message: expect.stringMatching(/cannot be reached: .*(ENOTFOUND|EAI_AGAIN|ECONNREFUSED)/) as string,
        data: { unreachable: true },
      });
  });
});

describe("agents", () => {
  /** Puts an agent in the place of the program's. */
  function programAgent(module: { globalAgent: http.Agent }, agent: http.Agent): void {
    const before = module.globalAgent;
    module.globalAgent = agent;
    onTestFinished(() => {
      module.globalAgent = before;
      agent.destroy();
    });
  }

  test("certificates that the program's agent trusts are accepted", async () => {
    const node = https.createServer({ key, cert }, (request, response) => {
      request.resume();
      response.writeHead(400).end("here");
    });
    const port = await listen(node);
    onTestFinished(() => void node.close());
    const module = process.getBuiltinModule("node:https");
    programAgent(module, new module.Agent({ ca: cert }));
    const failure = await clientOf(`https://127.0.0.1:${port}/mcp`).catch((error: unknown) => error);
    expect(String(failure)).toContain("here");
  });

  test("an agent of another class is used unchanged", async () => {
    let opened = 0;
    class Counting extends http.Agent {
      override createConnection(...given: Parameters<http.Agent["createConnection"]>): never {
        opened++;
        return super.createConnection(...given) as never;
      }
    }
    programAgent(process.getBuiltinModule("node:http"), new Counting({ keepAlive: true }));
    const { client } = await connected("2025-11-25");
    await client.callTool("x");
    expect(opened).toBeGreaterThan(0);
  });

  test("the program's own agent does not keep connections of the client", async () => {
    const { client } = await connected("2025-11-25");
    await client.callTool("x");
    expect(Object.keys(http.globalAgent.freeSockets)).toEqual([]);
  });
});
