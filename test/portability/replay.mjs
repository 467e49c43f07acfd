// Repeats the calls that the public conformance suite makes over HTTP over stdio: the results are equal, except ids,
// times and results that depend on headers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { hang } from "../support/until.mjs";

/** The error for headers that do not fit the message: stdio has none. */
const headerMismatch = -32020;

/** Forwards requests to `url`, and records their messages with the answers. Resolves with its own URL, the record and `close`. */
export async function recorder(url) {
  const exchanges = [];
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const { method } = request;
    const answer = await fetch(url, { method, headers, ...(method === "POST" && { body }) });
    const text = await answer.text();
    const {
      "content-encoding": ____,
      "content-length": _____,
      ...passed
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, passed).end(text);
    const sent = parsed(body.toString());
    const message = messageIn(text, sent?.id);
    if (sent?.method !== undefined && message) exchanges.push({ sent, message });
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://localhost:${server.address().port}/mcp`, exchanges, close };
}

async function bytesOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The answer in a body of JSON, or in one of events. */
function messageIn(text, id) {
  const all = text.startsWith("{")
    ? [parsed(text)]
    : text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [parsed(line.slice(6))] : []));
  return all.find((message) => message?.id === id && message?.method === undefined);
}

/** Makes recorded calls again to a program over stdio. Returns how many were made, and those whose answers differ. */
export async function replay(command, args, exchanges) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const exchange = (message) => {
    const id = `replay ${last++}`;
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ ...message, id })}\n`);
    return answered;
  };
  /** Ids over stdio, by those over HTTP. */
  const ids = new Map();
  const differences = [];
  let made = 0;
  try {
    for (const { sent, message } of exchanges) {
      if (message.error?.code === headerMismatch) continue;
      made++;
      const again = { ...sent, params: renamed(sent.params, ids) };
      let answer = await exchange(again);
      // A task over stdio has its own timing, and may already be past the status that it had over HTTP.
      const isPoll = sent.method === "tasks/get";
      if (isPoll && message.result?.status === "working" && answer.result?.status !== undefined) continue;
      const end = isPoll ? Date.now() + hang : 0;
      while (!isEqual(message, answer) && Date.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        answer = await exchange(again);
      }
      const { taskId } = message.result ?? {};
      if (taskId !== undefined && !ids.has(taskId)) ids.set(taskId, answer.result?.taskId);
      if (!isEqual(message, answer)) differences.push({ sent, message, answer });
    }
  } finally {
    child.kill();
  }
  return { made, differences };
}

/** The params with the ids of the other transport. */
function renamed(params, ids) {
  const own = ids.get(params?.taskId);
  return own === undefined ? params : { ...params, taskId: own };
}

function isEqual(one, other) {
  return isDeepStrictEqual(comparable(one), comparable(other));
}

/** Members that differ from run to run. */
const passing = new Set([
  "id",
  "taskId",
  "createdAt",
  "lastUpdatedAt",
  "ttlMs",
  "statusMessage",
  "requestState",
]);

function comparable(value) {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !passing.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}
