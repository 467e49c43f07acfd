// Measures the constants of Redis for the simulation: `node bench/scale/measure.mjs` prints them, and
// `constants.mjs` records them. It measures CPU time, which other work on the machine changes little. It
// needs test/engines installed.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redisClusterStore } from "@mcpgen/redis";

const calls = 20_000;

console.log(await redisCosts());
process.exit();

/**
 * Microseconds of CPU time that a process uses for a command that it waits for, including the wake-up when
 * the answer arrives.
 */
async function commandCost(path) {
  const { Redis } = createRequire(new URL("../../test/engines/", import.meta.url))("ioredis");
  const store = redisClusterStore(new Redis({ path }), new Redis({ path }));
  const many = async () => {
    for (let at = 0; at < calls; at++) await store.get(`state:${at % 1000}`);
  };
  await many();
  const before = process.cpuUsage();
  await many();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/**
 * Microseconds of CPU time of Redis for a function call and for a message to a subscriber, and the bytes of
 * an idle session.
 */
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
    const nodeCommand = await commandCost(path);
    const memory = async () => Number(/used_memory:(\d+)/.exec(await writer.send(["INFO", "memory"]))[1]);
    const empty = await memory();
    await writer.many(10_000, (at) => [
      "SET",
      `session:{${String(at).padStart(22, "0")}}`,
      "x".repeat(147),
      "PX",
      "3600000",
    ]);
    return { redisCommand, redisHop, nodeCommand, sessionBytes: ((await memory()) - empty) / 10_000 };
  } finally {
    redis.kill();
    await new Promise((resolve) => redis.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A connection that sends arrays of strings and reads replies. */
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

/** Returns the end of the reply that begins at a position; -1 if it has not fully arrived. */
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
