import { createServer as createNodeServer, type IncomingMessage, type RequestListener } from "node:http";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import {
  type HttpOptions,
  type NodeHandler,
  createHttpHandler,
  createNodeHandler,
} from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { heard } from "../../../support/heard.mjs";
import { listen } from "../../../support/listen.js";

type Front = (request: IncomingMessage, text: string) => unknown;

function echoing(warnings: string[] = []) {
  const server = createServer(
    { name: "parsed", version: "1.0.0" },
    { revisions: serverRevisions, onEvent: heard({ warning: (warning) => warnings.push(warning) }) },
  );
  server.tool<{ message: string }>("echo", {}, ({ message }) => message);
  return server;
}

/** A server with a parser in front of the handler that reads every body, and passes its result on. */
function behind(front: Front, options: HttpOptions = {}, warnings: string[] = []): Promise<string> {
  const handle = createNodeHandler(echoing(warnings), options);
  return listening(handle, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handle(request, response, front(request, Buffer.concat(chunks).toString())));
  });
}

async function listening(handle: NodeHandler, listener: RequestListener): Promise<string> {
  const node = createNodeServer(listener);
  const port = await listen(node);
  onTestFinished(async () => {
    await handle.close();
    node.closeAllConnections();
    node.close();
  });
  return `http://127.0.0.1:${port}/mcp`;
}

const parsed = (text: string): unknown => (text === "" ? undefined : JSON.parse(text));
const setting = (request: IncomingMessage, body: unknown): void => void Object.assign(request, { body });
const next = (): void => undefined;

const fronts: Record<string, Front> = {
  "a parser that sets request.body": (request, text) => setting(request, parsed(text)),
  "a parser that sets request.body, and hands over `next`": (request, text) => {
    setting(request, parsed(text));
    return next;
  },
  "a reader that sets request.body to the text": (request, text) => setting(request, text),
  "a reader that sets request.body to the bytes": (request, text) =>
    setting(request, new TextEncoder().encode(text)),
  "a middleware that passes the value": (_, text) => parsed(text),
  "a middleware that passes the text": (_, text) => text,
};

const ping = { jsonrpc: "2.0", id: 7, method: "ping" };

async function post(
  url: string,
  message: unknown = ping,
): Promise<[number, { error?: { message: string } }]> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(message) });
  return [response.status, (await response.json()) as { error?: { message: string } }];
}

describe("node:http behind", () => {
  describe.each(Object.entries(fronts))("%s", (_, front) => {
    test.each(["2025-11-25", "2026-07-28"])("is served at %s", async (revision) => {
      const revisions = clientRevisions.filter(({ id }) => id === revision);
      const client = await connect(await behind(front), { revisions });
      onTestFinished(() => client.close());
      const message = "ünïcödé \u2028 𝄞";
      expect(await client.callTool("echo", { message })).toMatchObject({ content: [{ text: message }] });
    });

    test("keeps to the limit of bodies", async () => {
      const url = await behind(front, { bodyLimit: 100 });
      const [status, { error }] = await post(url, { ...ping, params: { pad: "ä".repeat(40) } });
      expect([status, error!.message]).toEqual([413, "the body is longer than 100 bytes"]);
    });
  });

  test("the body is read after a parser that skips it and sets an empty object", async () => {
    const handle = createNodeHandler(echoing(), { sessions: false });
    const url = await listening(handle, (request, response) => {
      setting(request, {});
      handle(request, response);
    });
    expect(await post(url)).toMatchObject([200, { id: 7 }]);
  });

  test("a request whose body a middleware keeps is refused, with the next step", async () => {
    for (const front of [() => undefined, () => next]) {
      const warnings: string[] = [];
      const [status, { error }] = await post(await behind(front, {}, warnings));
      expect(status).toBe(500);
      expect(error!.message).toMatch(/the body was read before.*handler\(request, response, body\)/);
      expect(warnings).toEqual([expect.stringContaining("the body was read before")]);
    }
  });
});

describe("a web request", () => {
  const request = (): Request =>
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(ping),
    });

  test("is refused with the next step if its body was read or is being read", async () => {
    const warnings: string[] = [];
    const handler = createHttpHandler(echoing(warnings));
    const read = request();
    await read.text();
    const reading = request();
    reading.body!.getReader();
    for (const each of [read, reading]) {
      const response = await handler.fetch(each);
      expect(response.status).toBe(500);
      expect(await response.text()).toMatch(/the body was read before.*clone\(\)/);
    }
    // The same words are passed on at 1, 10, 100 times.
    expect(warnings).toHaveLength(1);
  });

  test("is served if only its clone was read", async () => {
    const whole = request();
    await whole.clone().text();
    const response = await createHttpHandler(echoing(), { sessions: false }).fetch(whole);
    expect([response.status, await response.json()]).toMatchObject([200, { id: 7 }]);
  });
});
