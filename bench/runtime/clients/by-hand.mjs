import { spawn } from "node:child_process";
import { initialize, initialized, meta } from "../messages.mjs";
import { modern } from "../contenders.mjs";
import { revision, server } from "./calls.mjs";

/**
 * Starts the server and opens a session with a hand-written client, which keeps a map of open requests by id.
 * `sender(stdin)` returns the function that writes a line; `accept(message)` returns whether a message is a
 * valid response. Resolves to `{ call, close }` when the session is open.
 */
export async function clientByHand(sender, accept) {
  const child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const send = sender(child.stdin);
  const open = new Map();
  let last = 0;
  let rest = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (!accept(message)) throw new Error(`not an answer: ${line}`);
      const resolve = open.get(message.id);
      open.delete(message.id);
      resolve(message.result);
    }
  });
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++last;
      open.set(id, resolve);
      send(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  if (revision !== modern) {
    await request("initialize", initialize(revision).params);
    send(JSON.stringify(initialized) + "\n");
  }
  const call =
    revision === modern
      ? (params) => request("tools/call", { ...params, _meta: meta })
      : (params) => request("tools/call", params);
  return { call, close: () => child.stdin.end() };
}
