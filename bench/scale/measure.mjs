// Measures the constants of the simulation: CPU time of nodes and of Redis, which other work on the machine changes little.
// `node bench/scale/measure.mjs` prints them; `constants.mjs` keeps them.
import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const calls = 20_000;
const inFlight = 16;

if (process.argv[2] === "node") await serve();
else {
  for (const count of [1, 2, 4])
    console.log(`${count} nodes: ${(await nodeCall(count)).toFixed(1)} µs of CPU a call`);
  console.log(await redisCosts());
}

/** A node: answers calls, and says what CPU time it has used. */
async function serve() {
  const [{ createServer }, { serveHttp }] = await Promise.all([
    import("@mcpgen/runtime/all"),
    import("@mcpgen/runtime/http"),
  ]);
  const server = createServer({ name: "node", version: "1.0.0" });
  server.tool("echo", { inputSchema: { type: "object" } }, ({ message }) => String(message));
  const { url } = await serveHttp(server, { port: 0, sessions: false });
  process.on("message", () => process.send(process.cpuUsage()));
  process.send(url);
}

/** Microseconds of CPU time that all nodes take for one call, of calls in turn. */
async function nodeCall(count) {
  const children = Array.from({ length: count }, () => fork(fileURLToPath(import.meta.url), ["node"]));
  const reply = (child) => new Promise((resolve) => child.once("message", resolve));
  const urls = await Promise.all(children.map(reply));
  const used = async () => {
    const each = await Promise.all(
      children.map((child) => {
        const answer = reply(child);
        child.send("cpu");
        return answer;
      }),
    );
    return each.reduce((sum, { user, system }) => sum + user + system, 0);
  };
  const agents = urls.map(() => new Agent({ keepAlive: true, maxSockets: inFlight }));
  let turn = 0;
  const many = async (total) => {
    let left = total;
    const worker = async () => {
      while (left-- > 0) {
        const at = turn++ % count;
        await call(urls[at], agents[at], turn);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  };
  await many(4000 * count);
  const before = await used();
  await many(calls);
  const each = ((await used()) - before) / calls;
  for (const agent of agents) agent.destroy();
  for (const child of children) child.kill();
  return each;
}

function call(url, agent, id) {
  const params = { name: "echo", arguments: { message: "hello" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () =>
        text.includes('"hello"') ? resolve() : reject(new Error(text.slice(0, 300))),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Microseconds of CPU time of Redis for a function call, and for a message to a subscriber; bytes of an idle session. */
async function redisCosts() {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-scale-"));
  const path = join(folder, "socket");
  const options = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder];
  const redis = spawn("redis-server", options, { stdio: "ignore" });
  try {
    const [writer, reader] = [await connection(path), await connection(path)];
    const library = `#!lua name=scale
redis.register_function('append', function(keys, args)
  redis.call('RPUSH', keys[1], args[1])
  redis.call('LTRIM', keys[1], -256, -1)
  return redis.call('PEXPIRE', keys[1], 60000)
end)`;
    await writer.send(["FUNCTION", "LOAD", library]);
    const cpu = async () => {
      const text = await writer.send(["INFO", "cpu"]);
      return ["used_cpu_user", "used_cpu_sys"].reduce(
        (sum, name) => sum + 1e6 * Number(new RegExp(`${name}:([\\d.]+)`).exec(text)[1]),
        0,
      );
    };
    const cost = async (command) => {
      await writer.many(2000, command);
      const before = await cpu();
      await writer.many(calls, command);
      return ((await cpu()) - before) / calls;
    };
    const redisCommand = await cost((at) => ["FCALL", "append", "1", `log:{${at % 1000}}`, "x".repeat(200)]);
    await reader.send(["SSUBSCRIBE", "node:1"]);
    const redisHop = await cost(() => ["SPUBLISH", "node:1", "x".repeat(200)]);
    const memory = async () => Number(/used_memory:(\d+)/.exec(await writer.send(["INFO", "memory"]))[1]);
    const empty = await memory();
    await writer.many(10_000, (at) => [
      "SET",
      `session:{${String(at).padStart(22, "0")}}`,
      "x".repeat(147),
      "PX",
      "3600000",
    ]);
    return { redisCommand, redisHop, sessionBytes: ((await memory()) - empty) / 10_000 };
  } finally {
    redis.kill();
    await new Promise((resolve) => redis.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A connection that sends arrays of strings, and reads replies. */
async function connection(path) {
  let socket;
  for (let tries = 0; !socket; tries++)
    socket = await new Promise((resolve, reject) => {
      const made = createConnection(path, () => resolve(made));
      made.on("error", (error) => (tries > 500 ? reject(error) : setTimeout(resolve, 20)));
    });
  const waiting = [];
  let text = "";
  socket.setEncoding("latin1").on("data", (part) => {
    text += part;
    for (;;) {
      const end = replyEnd(text, 0);
      if (end < 0) return;
      waiting.shift()?.(text.slice(0, end));
      text = text.slice(end);
    }
  });
  const send = (parts) => {
    socket.write(
      `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join("")}`,
    );
    return new Promise((resolve) => waiting.push(resolve));
  };
  const many = async (total, command) => {
    for (let at = 0; at < total; at += 50)
      await Promise.all(Array.from({ length: 50 }, (_, each) => send(command(at + each))));
  };
  return { send, many };
}

/** Where the reply that begins at a place ends; -1 if it is not there yet. */
function replyEnd(text, at) {
  const line = text.indexOf("\r\n", at);
  if (line < 0) return -1;
  const count = Number(text.slice(at + 1, line));
  if (text[at] === "$") return count < 0 ? line + 2 : text.length >= line + count + 4 ? line + count + 4 : -1;
  if (text[at] !== "*" && text[at] !== ">") return line + 2;
  let end = line + 2;
  for (let each = 0; each < count && end >= 0; each++) end = end < text.length ? replyEnd(text, end) : -1;
  return end;
}
