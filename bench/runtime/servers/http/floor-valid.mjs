// A hand-written server on node:http that sends the same bytes as mcpgen. It checks every message, looks up
// sessions, and keeps events.
import { randomUUID } from "node:crypto";
import { isModern, isRequest, resultOf } from "../checked.mjs";
import { serverInfo } from "../opening.mjs";
import { listen, stateless, streams } from "./mode.mjs";

const jsonHeaders = { "content-type": "application/json" };
const eventHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
const sessions = new Map();
const serverMeta = { "io.modelcontextprotocol/serverInfo": serverInfo };

listen((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    answer(request.headers, JSON.parse(body.toString()), response);
  });
});

function answer(headers, message, response) {
  if (!isRequest(message)) return end(response, 400, {}, "not a request");
  const { id, method, params } = message;
  const modern = isModern(params?._meta);
  let session;
  let opened;
  if (!stateless && !modern) {
    if (method === "initialize") opened = { "mcp-session-id": open() };
    session = sessions.get(headers["mcp-session-id"] ?? opened?.["mcp-session-id"]);
    if (session === undefined) return end(response, 404, {}, "no such session");
  }
  if (id === undefined) return response.writeHead(202).end();
  const result = resultOf(method, params);
  if (modern) result._meta = serverMeta;
  const text = JSON.stringify({ jsonrpc: "2.0", id, result });
  if (!streams) return end(response, 200, opened ? { ...jsonHeaders, ...opened } : jsonHeaders, text);
  end(response, 200, opened ? { ...eventHeaders, ...opened } : eventHeaders, event(session, text));
}

function end(response, status, headers, text) {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
}

function open() {
  const id = randomUUID();
  sessions.set(id, { streams: 0, last: 0, events: undefined });
  return id;
}

/** In a session, an event has an id, and is kept for a client that resumes the stream. */
function event(session, data) {
  if (session === undefined) return `data: ${data}\n\n`;
  const id = `${(session.streams++).toString(36)}-${++session.last}`;
  const events = (session.events ??= []);
  events.push({ id, data });
  if (events.length > 256) events.shift();
  return `id: ${id}\ndata: ${data}\n\n`;
}
