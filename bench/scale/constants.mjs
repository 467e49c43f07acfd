// What the simulation is given. `bench/scale/measure.mjs` measures; what is not measured is an assumption.

/** Microseconds of CPU time, and bytes, on one core of the machine in `machine`. */
export const measured = {
  machine: "2 shared cores of a virtual machine, Node 20, Redis 7.0.15",
  /**
   * Microseconds of CPU time of a node for one tools/call over HTTP, and for one wake-up, after which it does all calls that have
   * arrived. Both are fitted: with them, `closed-loop.mjs` gives the measured times of 1, 2 and 4 nodes (`measuredCalls`).
   */
  nodeCall: 84,
  nodeWake: 220,
  /** Microseconds of CPU time of Redis for one function call, and for one SPUBLISH with its delivery. */
  redisCommand: 11.1,
  redisHop: 4.3,
  /** Microseconds from SPUBLISH to the message on another node, on one machine without load. */
  hop: 215,
  /** Bytes of Redis for an idle session: one string with its key. */
  sessionBytes: 316,
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

/** Microseconds of CPU time of all nodes for a call with 16 in flight, by `bench/scale/measure.mjs`: 1, 2 and 4 nodes. */
export const measuredCalls = [
  { nodes: 1, inFlight: 16, cpu: 95 },
  { nodes: 2, inFlight: 16, cpu: 129 },
  { nodes: 4, inFlight: 16, cpu: 155 },
];

/** The rig of these measurements: two cores for the nodes and a client whose call costs it about this much. */
export const rig = { cores: 2, clientCall: 90, clientWake: 220 };
