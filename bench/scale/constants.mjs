// The constants of the simulation. `fleet.mjs` and `measure.mjs` measure some of them; the others are
// assumptions.
import { constantsOf } from "./prediction.mjs";

/**
 * Microseconds of CPU time of all nodes for a call, measured by `bench/scale/fleet.mjs`: with sessions in
 * memory, with sessions in Redis, and for a plain `node:http` server ("floor") that reads and writes the same
 * messages.
 */
export const measuredCalls = [
  { name: "floor", nodes: 1, inFlight: 16, cpu: 116 },
  { name: "floor", nodes: 2, inFlight: 16, cpu: 146 },
  { name: "floor", nodes: 4, inFlight: 16, cpu: 147 },
  { name: "floor", nodes: 4, inFlight: 64, cpu: 140 },
  { name: "memory", nodes: 1, inFlight: 1, cpu: 135 },
  { name: "memory", nodes: 1, inFlight: 2, cpu: 117 },
  { name: "memory", nodes: 1, inFlight: 4, cpu: 114 },
  { name: "memory", nodes: 1, inFlight: 8, cpu: 123 },
  { name: "memory", nodes: 1, inFlight: 16, cpu: 122 },
  { name: "memory", nodes: 1, inFlight: 64, cpu: 113 },
  { name: "memory", nodes: 2, inFlight: 16, cpu: 143 },
  { name: "memory", nodes: 2, inFlight: 32, cpu: 146 },
  { name: "memory", nodes: 4, inFlight: 16, cpu: 179 },
  { name: "memory", nodes: 4, inFlight: 64, cpu: 172 },
  { name: "Redis", nodes: 1, inFlight: 16, cpu: 144 },
  { name: "Redis", nodes: 4, inFlight: 16, cpu: 207 },
  { name: "Redis", nodes: 4, inFlight: 64, cpu: 170 },
];

/** Microseconds of CPU time and bytes, measured on one core of the machine that `machine` describes. */
export const measured = {
  machine: "2 shared cores of a virtual machine, Node 20, Redis 7.0.15",
  ...constantsOf(measuredCalls),
  /** CPU time of a node for one command of Redis that it waits for. */
  nodeCommand: 59.0,
  /** CPU time of Redis for one function call, and for one SPUBLISH including its delivery. */
  redisCommand: 14.1,
  redisHop: 5.4,
  /**
   * Microseconds from SPUBLISH to the arrival of the message at another node, on one machine without load.
   */
  hop: 215,
  /** Bytes of Redis memory for an idle session: one string with its key. */
  sessionBytes: 315,
};

export const assumed = {
  /** Requests per second and session. */
  rate: 0.01,
  /** The share of requests that ask the client something. */
  asks: 0.01,
  /** Commands of Redis for a request to the client: the bar is 8. */
  commandsPerAsk: 3,
  /**
   * Commands of Redis for a request. A request of a client touches the client's record at most once in 30 s,
   * so a client with fewer requests needs one command for each.
   */
  commandsPerRequest: 1,
  /** The mean time in milliseconds that a client takes to answer; the distribution is exponential. */
  answer: 5000,
  /** The planned load of a core, as a share. */
  load: 0.6,
  /** Gigabytes that one shard of Redis stores. */
  shardMemory: 16,
  /** Microseconds of the network between machines, one way. */
  network: 250,
  /**
   * `pause`: milliseconds of a pause of the garbage collector; the next value: seconds of CPU time between
   * two pauses.
   */
  pause: 8,
  pauseEvery: 2,
  /** Dollars for one hour of a core, and of one gigabyte of memory. */
  coreHour: 0.04,
  gigabyteHour: 0.005,
};
