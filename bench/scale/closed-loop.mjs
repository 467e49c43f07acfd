// A client with a fixed number of calls in flight, and nodes that share the cores of one machine with it: the rig of
// `fleet.mjs`. It says how many calls a node finds each time that it wakes up, and so what a call costs.

/**
 * Simulates until the client has `calls` answers. A process takes all that has arrived for it, works through it, and gives the
 * core back: what it sent arrives when it is done. Processes that wait for a core get one in the order in which they began to.
 *
 * @param rig `nodes`, `inFlight`, `cores`
 * @param cost microseconds: `nodeWake` and `nodeCall`, `clientWake` and `clientCall`
 * @returns `cpu`: microseconds of CPU time of the nodes for a call; `turns`: how often nodes woke up for a call
 */
export function closedLoop({ nodes: count, inFlight, cores }, cost, calls = 50_000) {
  const make = (wake, each) => ({ inbox: 0, isWaiting: false, wake, each, busy: 0, turns: 0 });
  const client = make(cost.clientWake, cost.clientCall);
  const nodes = Array.from({ length: count }, () => make(cost.nodeWake, cost.nodeCall));
  const ready = [];
  /** Work in progress, at most one for each core. */
  const running = [];
  let now = 0;
  let next = 0;
  const done = { answers: 0 };

  const arrive = (process, messages) => {
    process.inbox += messages;
    if (process.isWaiting || process.inbox === 0 || running.some((each) => each.process === process)) return;
    process.isWaiting = true;
    ready.push(process);
  };
  const begin = () => {
    while (running.length < cores && ready.length > 0) {
      const process = ready.shift();
      const batch = process.inbox;
      process.inbox = 0;
      process.isWaiting = false;
      process.turns++;
      const time = process.wake + batch * process.each;
      process.busy += time;
      running.push({ process, batch, end: now + time });
    }
  };
  const finish = ({ process, batch }) => {
    if (process === client) {
      done.answers += batch;
      for (let sent = 0; sent < batch; sent++) arrive(nodes[next++ % count], 1);
    } else arrive(client, batch);
    // What arrived meanwhile.
    arrive(process, 0);
  };

  for (let sent = 0; sent < inFlight; sent++) arrive(nodes[next++ % count], 1);
  while (done.answers < calls) {
    begin();
    running.sort((one, other) => one.end - other.end);
    const first = running.shift();
    now = first.end;
    finish(first);
  }
  const sum = (name) => nodes.reduce((total, node) => total + node[name], 0);
  return { cpu: sum("busy") / done.answers, turns: sum("turns") / done.answers };
}
