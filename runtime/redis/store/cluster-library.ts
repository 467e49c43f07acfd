import { createHash } from "node:crypto";
import { logLimits } from "@mcpgen/cluster";
import { type RedisClient, send } from "./client.js";

// The log of a session is a list. Its first item is the head: the number of the newest event, the sum of
// sizes, and the name of the event that began the log. Each other item is an event: the writer's counter and
// the writer, which name the event together with its number; its size; the length in bytes of the stream's
// name; that name; the data. A writer appends the events of one call together, so a repeated call finds its
// last event already there. A call passes the number and the counter of the writer's newest event, and the
// name of the event that began its log. If the log should contain that event and does not, a replica without
// the latest events has replaced the primary. The log is then emptied, so that no client continues across the
// gap.
const functions = `
local function read(item)
  local counter, writer, size, length, start = string.match(item, "^(%d+) (%S+) (%d+) (%d+) ()")
  return tonumber(counter), writer, tonumber(size), tonumber(length), start
end
local function append(keys, args)
  local log, channel, ttl = keys[1], keys[2], args[1]
  local newest, named, maker = tonumber(args[2]), tonumber(args[3]), args[4]
  local first, writer = read(args[5])
  local final = read(args[#args])
  local own = string.format("%d.", first) .. writer
  local head = redis.call("LINDEX", log, 0)
  local last, sum, count, made = 0, 0, 0, own
  if head then
    last, sum, made = string.match(head, "^(%d+) (%d+) (%S+)$")
    last, sum = tonumber(last), tonumber(sum)
    count = redis.call("LLEN", log) - 1
    for place = count, 1, -1 do
      local known, owner = read(redis.call("LINDEX", log, place))
      if owner == writer then
        if known == final then return string.format("%d ", last - count + place) .. made end
        if known < final then break end
      end
    end
    local place = newest - (last - count)
    if made == maker and place > 0 then
      local known, owner = read(redis.call("LINDEX", log, place) or "")
      if known ~= named or owner ~= writer then
        redis.call("DEL", log)
        head, last, sum, count, made = false, math.max(last, newest), 0, 0, own
      end
    end
  end
  for index = 5, #args do
    local event = args[index]
    local _, _, size = read(event)
    last, sum, count = last + 1, sum + size, count + 1
    if head then redis.call("RPUSH", log, event) else redis.call("RPUSH", log, "", event) end
    head = true
    if channel then redis.call("SPUBLISH", channel, string.format("e%d ", last) .. event) end
  end
  if count > ${logLimits.events} or (sum > ${logLimits.characters} and count > 1) then
    redis.call("LPOP", log)
    while count > ${logLimits.events} or (sum > ${logLimits.characters} and count > 1) do
      local _, _, gone = read(redis.call("LPOP", log))
      sum, count = sum - gone, count - 1
    end
    redis.call("LPUSH", log, string.format("%d %d ", last, sum) .. made)
  else
    redis.call("LSET", log, 0, string.format("%d %d ", last, sum) .. made)
  end
  redis.call("PEXPIRE", log, ttl)
  return string.format("%d ", last) .. made
end
local function after(keys, args)
  local log, number, counter, writer = keys[1], tonumber(args[1]), tonumber(args[2]), args[3]
  local head = redis.call("LINDEX", log, 0)
  if not head then return false end
  local last = tonumber(string.match(head, "^(%d+)"))
  local count = redis.call("LLEN", log) - 1
  local place = number - (last - count)
  if place < 1 or place > count then return false end
  local item = redis.call("LINDEX", log, place)
  local known, owner, _, length, start = read(item)
  if known ~= counter or owner ~= writer then return false end
  local stream = string.sub(item, start, start + length - 1)
  local found = { stream }
  for offset, each in ipairs(redis.call("LRANGE", log, place + 1, -1)) do
    local by, name, _, bytes, from = read(each)
    if bytes == length and string.sub(each, from, from + bytes - 1) == stream and #each >= from + bytes then
      found[#found + 1] = string.format("%d.%d.%s", number + offset, by, name)
      found[#found + 1] = string.sub(each, from + bytes)
    end
  end
  return found
end`;

const digest = createHash("sha256").update(functions).digest("hex").slice(0, 16);
const nameOf = (name: string): string => `mcpgen_${digest}_${name}`;
/**
 * Names in the library contain the digest of its code, so that processes with different versions use
 * different libraries.
 */
const library = `#!lua name=mcpgen_${digest}${functions}
redis.register_function("${nameOf("append")}", append)
redis.register_function{ function_name = "${nameOf("after")}", callback = after, flags = { "no-writes" } }`;

/** A call that waits for the library. */
interface Waiting {
  readonly number: number;
  readonly call: () => void;
}

/** Calls functions of the library. Loads it when the server, or a server of a cluster, does not have it. */
export class ClusterLibrary {
  readonly #client: RedisClient;
  #calls = 0;
  #waiting: Waiting[] | undefined;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Calls a function. Calls for one key run in order. */
  async call(name: "append" | "after", keys: readonly string[], ...args: string[]): Promise<unknown> {
    const number = this.#calls++;
    const command = ["FCALL", nameOf(name), `${keys.length}`, ...keys, ...args] as const;
    const sent = (): Promise<unknown> => send(this.#client, ...command);
    if (this.#waiting) return this.#later(this.#waiting, number, sent);
    try {
      return await sent();
    } catch (error) {
      if (!/function not found/i.test(String((error as Error).message))) throw error;
      if (!this.#waiting) this.#load();
      return this.#later(this.#waiting!, number, sent);
    }
  }

  #later(waiting: Waiting[], number: number, sent: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve) => waiting.push({ number, call: () => resolve(sent()) }));
  }

  /** Loads the library, then makes the waiting calls in order. A call that fails again is not repeated. */
  #load(): void {
    this.#waiting = [];
    const nodes: readonly RedisClient[] = this.#client.nodes?.("master") ?? [this.#client];
    void Promise.allSettled(nodes.map((node) => send(node, "FUNCTION", "LOAD", library))).then(() => {
      const waiting = this.#waiting!.sort((one, other) => one.number - other.number);
      this.#waiting = undefined;
      for (const { call } of waiting) call();
    });
  }
}
