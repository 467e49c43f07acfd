// KEYS of all scripts: 1 hash: record by id; 2 hash: version, size and owner by id; 3 sorted set: ids by due time; 4 sorted
// set: owner and id joined by \0, in lexical order; 5 hash: sum of sizes by owner, with the sum of all under \0. Names never
// contain \0.

/**
 * Adds or replaces a task. ARGV: id, record, version, due time, size, owner, replaced version (empty for a new task), limit
 * of the owner's sum of sizes, limit of the sum of all. The limits do not apply to a record that does not grow. Returns 1 on
 * success, 0 if the version differs, 2 if there is no room.
 */
export const put = `
local id, record, version, due, size, owner, replaced, most, mostOfAll = unpack(ARGV)
local known, before = string.match(redis.call("HGET", KEYS[2], id) or "", "^(%d+) (%d+)")
if (known or "") ~= replaced then return 0 end
local growth = size - (before or 0)
local own = tonumber(redis.call("HGET", KEYS[5], owner) or 0)
local free = mostOfAll - (redis.call("HGET", KEYS[5], "\\0") or 0) - growth
if growth > 0 and (own + growth > tonumber(most) or free < 0 or (own > 0 and own + growth > free)) then return 2 end
redis.call("HSET", KEYS[1], id, record)
redis.call("HSET", KEYS[2], id, version .. " " .. size .. " " .. owner)
redis.call("ZADD", KEYS[3], due, id)
redis.call("ZADD", KEYS[4], 0, owner .. "\\0" .. id)
redis.call("HINCRBY", KEYS[5], owner, growth)
redis.call("HINCRBY", KEYS[5], "\\0", growth)
return 1`;

/** Removes a task. ARGV: id, version. Returns 1, or 0 if the version differs. */
export const remove = `
local id = ARGV[1]
local version, size, owner = string.match(redis.call("HGET", KEYS[2], id) or "", "^(%d+) (%d+) (.*)$")
if version ~= ARGV[2] then return 0 end
redis.call("HDEL", KEYS[1], id)
redis.call("HDEL", KEYS[2], id)
redis.call("ZREM", KEYS[3], id)
redis.call("ZREM", KEYS[4], owner .. "\\0" .. id)
for _, name in ipairs({ owner, "\\0" }) do
  if redis.call("HINCRBY", KEYS[5], name, 0 - size) == 0 then redis.call("HDEL", KEYS[5], name) end
end
return 1`;

/** Returns the records of due tasks. ARGV: time, limit. */
export const due = `
local records = {}
for place, id in ipairs(redis.call("ZRANGEBYSCORE", KEYS[3], "-inf", ARGV[1], "LIMIT", 0, ARGV[2])) do
  records[place] = redis.call("HGET", KEYS[1], id)
end
return records`;

/** Returns a page of an owner's records. ARGV: owner, id of the last task of the previous page, limit. */
export const list = `
local owner, after, limit = unpack(ARGV)
local from, to = "(" .. owner .. "\\0" .. after, "(" .. owner .. "\\1"
local records = {}
for place, name in ipairs(redis.call("ZRANGEBYLEX", KEYS[4], from, to, "LIMIT", 0, limit)) do
  records[place] = redis.call("HGET", KEYS[1], string.sub(name, #owner + 2))
end
return records`;

/** Returns an owner's number of tasks and sum of sizes. ARGV: owner. */
export const usage = `
local owner = ARGV[1]
local tasks = redis.call("ZLEXCOUNT", KEYS[4], "(" .. owner .. "\\0", "(" .. owner .. "\\1")
return { tasks, redis.call("HGET", KEYS[5], owner) or "0" }`;

/** Returns milliseconds since 1970, by the clock of the server. */
export const now = `
local seconds, microseconds = unpack(redis.call("TIME"))
return string.format("%d", seconds * 1000 + math.floor(microseconds / 1000))`;
