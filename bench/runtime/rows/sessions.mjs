import { floor, legacy } from "../contenders.mjs";
import { HttpUnderTest, contendersFor } from "../http-under-test.mjs";

const mode = { revision: legacy, stateful: true };
/**
 * Connections that the sessions are opened over; how many are opened between looks at the clock, and before they
 * are counted; microseconds of CPU time that are enough.
 */
const connections = 16;
const step = 200;
const warming = 2000;
const timeLimit = 600_000;

/** Heap that a session takes which was opened and left alone, over HTTP. */
export const sessionsRow = {
  name: "idle session over HTTP",
  unit: "KiB of heap",
  bar: 0.8,
  measure: ({ share }) => measureSessions(8000 * share),
};

async function measureSessions(count) {
  const values = new Map();
  for (const one of contendersFor(mode)) {
    // It keeps no session.
    if (one.name === floor) continue;
    const server = await HttpUnderTest.open(one, mode, connections);
    // What is made once for all sessions is there before they are counted.
    await openMore(server, warming);
    const before = await server.heap();
    const opened = await openMore(server, count);
    values.set(one.name, ((await server.heap()) - before) / opened / 1024);
    await server.end();
  }
  return values;
}

/** Opens so many sessions, or fewer where a server is slow, which makes them large ones; says how many. */
async function openMore(server, count) {
  const end = (await server.cpu()) + timeLimit;
  let opened = 0;
  while (opened < count && (await server.cpu()) < end) {
    await server.openSessions(step);
    opened += step;
  }
  return opened;
}
