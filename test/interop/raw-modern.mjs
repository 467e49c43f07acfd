// Messages of 2026-07-28, written by hand: requests, and the notifications that come meanwhile.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { modern } from "./peers.mjs";

const prefix = "io.modelcontextprotocol/";

/** The description of the client that each request contains. */
export function framing(clientCapabilities = {}) {
  return {
    [`${prefix}protocolVersion`]: modern,
    [`${prefix}clientInfo`]: { name: "raw", version: "1.0.0" },
    [`${prefix}clientCapabilities`]: clientCapabilities,
  };
}

/**
 * Sends requests to a server: `send(request, options)` resolves with the response. `options.headers` are added over HTTP;
 * `options.heard` gets each notification that comes before the response.
 *
 * @param target the URL of a server, or the file of one for stdio
 */
export function connectRaw(target, env = {}) {
  const { send, close } =
    target instanceof URL
      ? { send: (...args) => post(target, ...args), close: async () => {} }
      : onStdio(target, env);
  let last = 0;
  return { send: (request, options) => send({ jsonrpc: "2.0", id: ++last, ...request }, options), close };
}

function onStdio(file, env) {
  const child = spawn(process.execPath, [file], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const open = new Map();
  createInterface(child.stdout).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) open.get(message.id)?.resolve(message);
    else for (const { heard } of open.values()) heard?.(message);
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return {
    send: (request, { heard, signal } = {}) =>
      new Promise((resolve, reject) => {
        open.set(request.id, { resolve, heard });
        signal?.addEventListener("abort", () => reject(signal.reason));
        child.stdin.write(`${JSON.stringify(request)}\n`);
      }).finally(() => open.delete(request.id)),
    close: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function post(url, request, { headers = {}, heard, signal } = {}) {
  const { method, params } = request;
  const response = await fetch(url, {
    method: "POST",
    signal,
    body: JSON.stringify(request),
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": modern,
      "mcp-method": method,
      ...(params?.name !== undefined && { "mcp-name": params.name }),
      ...headers,
    },
  });
  if (response.headers.get("content-type")?.startsWith("application/json")) return response.json();
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const message = JSON.parse(data);
      if (message.method === undefined) return message;
      heard?.(message);
    }
  }
  throw new Error(`the response to ${method} is over without a result`);
}
