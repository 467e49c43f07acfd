// What the simulation is given. `fleet.mjs` and `measure.mjs` measure; what is not measured is an assumption.
import { constantsOf } from "./prediction.mjs";

/**
 * Microseconds of CPU time of all nodes for a call, by `bench/scale/fleet.mjs`: with sessions in memory or in Redis, and for
 * `node:http` alone ("floor"), which reads and writes the same messages.
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

/** Microseconds of CPU time, and bytes, on one core of the machine in `machine`. */
export const measured = {
  machine: "2 shared cores of a virtual machine, Node 20, Redis 7.0.15",
  ...constantsOf(measuredCalls),
  /** Of a node, for one command of Redis that it waits for. */
  nodeCommand: 59.0,
  /** Of Redis, for one function call, and for one SPUBLISH with its delivery. */
  redisCommand: 14.1,
  redisHop: 5.4,
  /** Microseconds from SPUBLISH to the message on another node, on one machine without load. */
  hop: 215,
  /** Bytes of Redis for an idle session: one string with its key. */
  sessionBytes: 315,
};

export const assumed = {
  /** Requests per second and session. */
  rate: 0.01,
  /** Share of requests that ask the client. */
  asks: 0.01,
  /** Commands of Redis for an ask: bar 8. */
  commandsPerAsk: 3,
  /** Requests of a client that touch its record once each 30 s: one command, if it makes less than one in 30 s. */
  commandsPerRequest: 1,
  /** Milliseconds that a client takes to answer, in the mean: an exponential distribution. */
  answer: 5000,
  /** Share of a core that is planned with. */
  load: 0.6,
  /** Gigabytes that one shard of Redis keeps. */
  shardMemory: 16,
  /** Microseconds of the network between machines, one way. */
  network: 250,
  /** Milliseconds of a pause of the garbage collector, and seconds of CPU time between two. */
  pause: 8,
  pauseEvery: 2,
  /** Dollars for an hour of one core, and of one gigabyte of memory. */
  coreHour: 0.04,
  gigabyteHour: 0.005,
};
