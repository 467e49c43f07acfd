// The same by hand with every message checked, and the answers to one chunk written together.
import { add, echo, more } from "./tools.mjs";
import { opening } from "./opening.mjs";

const tools = [echo, add, ...more];

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRequest(message) {
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

function isModern(meta) {
  return meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
}

function resultOf(method, params) {
  if (method === "tools/call") return callResult(params);
  if (method === "tools/list") return listResult(params);
  return opening(method, params);
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  let out = "";
  for (const line of lines) {
    const message = JSON.parse(line);
    if (!isRequest(message)) throw new Error("not a request");
    if (message.id === undefined) continue;
    const result = resultOf(message.method, message.params);
    out += JSON.stringify({ jsonrpc: "2.0", id: message.id, result }) + "\n";
  }
  if (out !== "") process.stdout.write(out);
});
