// A discrete-event simulation of nodes and shards of Redis. Requests arrive at random times and go to the
// nodes in turn; each node and each shard does one thing at a time. All random numbers follow from a seed, so
// the same constants give the same results.

/** @returns {() => number} a function that returns numbers from 0 to 1 */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Events in the order of their times. */
class Agenda {
  #heap = [];

  get size() {
    return this.#heap.length;
  }

  add(at, run) {
    const heap = this.#heap;
    let place = heap.push({ at, run }) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (heap[above].at <= heap[place].at) break;
      [heap[above], heap[place]] = [heap[place], heap[above]];
      place = above;
    }
  }

  next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last;
      for (let place = 0; ;) {
        let least = place;
        for (const below of [2 * place + 1, 2 * place + 2])
          if (below < heap.length && heap[below].at < heap[least].at) least = below;
        if (least === place) break;
        [heap[least], heap[place]] = [heap[place], heap[least]];
        place = least;
      }
    }
    return first;
  }
}

/** A worker that does one piece of work after another. Times are in microseconds. */
class Worker {
  free = 0;
  busy = 0;
  #pause;
  #every;
  #since = 0;

  /** @param pause microseconds of a pause after every `every` microseconds of work */
  constructor(pause = 0, every = Infinity) {
    this.#pause = pause;
    this.#every = every;
  }

  /** @returns the time at which work that arrives now is done */
  work(now, time) {
    const done = Math.max(now, this.free) + time;
    this.busy += time;
    this.#since += time;
    this.free = done;
    if (this.#since >= this.#every) {
      this.#since = 0;
      this.free += this.#pause;
    }
    return done;
  }
}

/**
 * Simulates a fleet for `requests` requests.
 *
 * @param fleet `sessions`, `nodes`, `shards`
 * @returns latencies in milliseconds, and the load of the busiest node and shard
 */
export function simulate(
  { sessions, nodes: nodeCount, shards: shardCount },
  measured,
  assumed,
  requests = 200_000,
  seed = 1,
) {
  const draw = random(seed);
  const exponential = (mean) => -mean * Math.log(1 - draw());
  const agenda = new Agenda();
  const nodes = Array.from(
    { length: nodeCount },
    () => new Worker(assumed.pause * 1000, assumed.pauseEvery * 1e6),
  );
  const shards = Array.from({ length: shardCount }, () => new Worker());
  const gap = 1e6 / (sessions * assumed.rate);
  const [calls, asks] = [[], []];
  let turn = 0;
  let now = 0;
  const nodeInTurn = () => nodes[turn++ % nodeCount];
  const shardOf = (session) => shards[session % shardCount];
  const whole = measured.nodeCall + measured.nodeSession;
  const half = whole / 2;
  const command = (count) => count * measured.nodeCommand;

  /** Runs commands one after another: each waits for the one before. */
  const commands = (at, shard, left, done) => {
    if (left === 0) return done(at);
    agenda.add(at + assumed.network, () => {
      const ready = shard.work(now, measured.redisCommand);
      commands(ready + assumed.network, shard, left - 1, done);
    });
  };

  const call = () => {
    const began = now;
    const session = Math.floor(draw() * sessions);
    const [shard, node] = [shardOf(session), nodeInTurn()];
    const isAsk = draw() < assumed.asks;
    const ready = node.work(now, half);
    commands(ready, shard, assumed.commandsPerRequest, (known) => {
      agenda.add(known, () => {
        const done = node.work(now, half + command(assumed.commandsPerRequest));
        if (!isAsk) return calls.push(done - began);
        const wait = exponential(assumed.answer * 1000);
        agenda.add(done + wait, () => answered(now, node, shard));
      });
    });
  };

  /**
   * The client's answer arrives at another node, which passes it to the node of the call through the shard.
   */
  const answered = (began, origin, shard) => {
    const ready = nodeInTurn().work(now, whole + command(assumed.commandsPerAsk));
    commands(ready, shard, assumed.commandsPerAsk - 1, (known) =>
      agenda.add(known + assumed.network, () => {
        const published = shard.work(now, measured.redisHop);
        agenda.add(published + measured.hop + assumed.network, () => {
          asks.push(origin.work(now, half) - began);
        });
      }),
    );
  };

  let arrived = 0;
  let last = 0;
  const arrive = () => {
    call();
    last = now;
    if (++arrived < requests) agenda.add(now + exponential(gap), arrive);
  };
  agenda.add(0, arrive);
  while (agenda.size > 0) {
    const event = agenda.next();
    now = event.at;
    event.run();
  }
  const busiest = (workers) => Math.max(...workers.map(({ busy }) => busy)) / last;
  return { call: spread(calls), ask: spread(asks), node: busiest(nodes), shard: busiest(shards) };
}

/** Returns percentiles in milliseconds. */
function spread(times) {
  const sorted = times.sort((a, b) => a - b);
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1000;
  return { p50: at(0.5), p99: at(0.99) };
}

/**
 * Returns the fewest nodes that stay below the planned load. The work for a call and for an answer is the
 * same as in `simulate`.
 */
function nodesFor(requests, measured, assumed) {
  const whole = measured.nodeCall + measured.nodeSession;
  const call = whole + assumed.commandsPerRequest * measured.nodeCommand;
  const answer = 1.5 * whole + assumed.commandsPerAsk * measured.nodeCommand;
  return Math.ceil((requests * (call + assumed.asks * answer)) / (1e6 * assumed.load));
}

/**
 * Returns the nodes and shards that a number of sessions needs, and whether commands or memory decide the
 * number of shards.
 */
export function plan(sessions, measured, assumed) {
  const requests = sessions * assumed.rate;
  const asks = requests * assumed.asks;
  const commands = requests * assumed.commandsPerRequest + asks * (assumed.commandsPerAsk - 1);
  const shardNeeds = {
    commands: (commands * measured.redisCommand + asks * measured.redisHop) / (1e6 * assumed.load),
    memory: (sessions * measured.sessionBytes) / (assumed.shardMemory * 1e9),
  };
  const [need, most] = Object.entries(shardNeeds).reduce((a, b) => (b[1] > a[1] ? b : a));
  const shards = Math.ceil(most);
  const nodes = nodesFor(requests, measured, assumed);
  const gigabytes = (sessions * measured.sessionBytes) / 1e9;
  const hourly = (nodes + shards) * assumed.coreHour + gigabytes * assumed.gigabyteHour;
  const perMillion = (hourly / (requests * 3600)) * 1e6;
  return { sessions, requests, nodes, shards, need, most, gigabytes, perMillion };
}
