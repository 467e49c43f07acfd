// Hand-written answers with a check of every message, for the floors over stdio and over HTTP.
import { add, echo, more } from "./tools.mjs";
import { opening } from "./opening.mjs";

const tools = [echo, add, ...more];

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a message is a request or a notification. */
export function isRequest(message) {
  if (!isObject(message) || message.jsonrpc !== "2.0" || typeof message.method !== "string") return false;
  const { id, params } = message;
  if (id !== undefined && typeof id !== "string" && !Number.isInteger(id)) return false;
  return params === undefined || (isObject(params) && (params._meta === undefined || isMeta(params._meta)));
}

function isMeta(meta) {
  if (!isObject(meta)) return false;
  const token = meta.progressToken;
  if (token !== undefined && typeof token !== "string" && !Number.isInteger(token)) return false;
  const version = meta["io.modelcontextprotocol/protocolVersion"];
  if (version === undefined) return true;
  const info = meta["io.modelcontextprotocol/clientInfo"];
  return (
    typeof version === "string" &&
    isObject(info) &&
    typeof info.name === "string" &&
    typeof info.version === "string" &&
    isObject(meta["io.modelcontextprotocol/clientCapabilities"])
  );
}

function callResult(params) {
  if (!isObject(params) || typeof params.name !== "string" || !isObject(params.arguments))
    throw new Error("not a tools/call request");
  if (params.name === "report") return { resultType: "task", ...task };
  const input = params.arguments;
  if (params.name === "add") {
    if (typeof input.a !== "number" || typeof input.b !== "number")
      throw new Error("not the arguments of add");
    return content(String(input.a + input.b), params._meta);
  }
  if (typeof input.message !== "string") throw new Error("not the arguments of echo");
  return content(input.message, params._meta);
}

function content(text, meta) {
  const list = [{ type: "text", text }];
  return isModern(meta) ? { resultType: "complete", content: list } : { content: list };
}

function listResult(params) {
  if (params?.cursor !== undefined && typeof params.cursor !== "string") throw new Error("not a cursor");
  return isModern(params?._meta)
    ? { resultType: "complete", tools, ttlMs: 0, cacheScope: "private" }
    : { tools };
}

/** The only task. It has ended. */
const task = {
  taskId: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
  createdAt: "2026-07-28T00:00:00.000Z",
  lastUpdatedAt: "2026-07-28T00:00:00.000Z",
  ttlMs: 3_600_000,
  pollIntervalMs: 1000,
  status: "completed",
};

function taskResult(params) {
  if (!isObject(params) || params.taskId !== task.taskId) throw new Error("not the task");
  const content = [{ type: "text", text: "a message of some forty characters, hello" }];
  return { resultType: "complete", ...task, result: { resultType: "complete", content } };
}

export function isModern(meta) {
  return meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
}

/** @throws {Error} the request is not valid for its method */
export function resultOf(method, params) {
  if (method === "tools/call") return callResult(params);
  if (method === "tools/list") return listResult(params);
  if (method === "tasks/get") return taskResult(params);
  return opening(method, params);
}
