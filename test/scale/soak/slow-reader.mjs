// Clients that ask for much, and do not read it.
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const revision = "2025-11-25";
/** 24 MiB: more than the 8 MiB that may wait for a client and what sockets hold. */
const [steps, characters] = [768, 2 ** 15];
const unreadMs = 6000;

function post(url, message, session) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session && { "mcp-session-id": session, "mcp-protocol-version": revision }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, resolve);
    sent.on("error", reject);
    sent.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
  });
}

/** @returns whether all came */
async function readOne(url) {
  const clientInfo = { name: "slow", version: "1.0.0" };
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  const opened = await post(url, { id: 1, method: "initialize", params });
  opened.resume();
  const session = opened.headers["mcp-session-id"];
  (await post(url, { method: "notifications/initialized" }, session)).resume();
  const call = {
    name: "steps",
    arguments: { key: "x".repeat(characters), steps },
    _meta: { progressToken: 1 },
  };
  const reply = await post(url, { id: 2, method: "tools/call", params: call }, session);
  await sleep(unreadMs);
  let bytes = 0;
  reply.on("data", (chunk) => (bytes += chunk.length));
  await new Promise((resolve) => {
    reply.on("close", resolve);
    reply.on("error", resolve);
  });
  return bytes > steps * characters;
}

/** Lets clients read nothing for some time. @returns how many there were, and how many streams the server ended before their end */
export async function readSlowly(url, count) {
  const results = await Promise.allSettled(Array.from({ length: count }, () => readOne(url)));
  return { cut: results.filter(({ value }) => value !== true).length, readers: count };
}
