import { floor, legacy } from "../contenders.mjs";
import { HttpUnderTest, contendersFor } from "../http-under-test.mjs";

const mode = { revision: legacy, stateful: true };
/**
 * `connections`: the connections on which sessions are opened. `step`: the sessions that are opened between
 * two looks at the clock. `warming`: the sessions that are opened before the measurement. `timeLimit`: the
 * limit for opening, in microseconds of CPU time.
 */
const connections = 16;
const step = 200;
const warming = 2000;
const timeLimit = 600_000;

/** The heap that an idle session takes over HTTP. */
export const sessionsRow = {
  name: "idle session over HTTP",
  unit: "KiB of heap",
  bar: 0.8,
  measure: ({ share }) => measureSessions(8000 * share),
};

async function measureSessions(count) {
  const values = new Map();
  for (const one of contendersFor(mode)) {
    // The floor keeps no sessions.
    if (one.name === floor) continue;
    const server = await HttpUnderTest.open(one, mode, connections);
    // Objects that are made once for all sessions exist before the measurement.
    await openMore(server, warming);
    const before = await server.heap();
    const opened = await openMore(server, count);
    values.set(one.name, ((await server.heap()) - before) / opened / 1024);
    await server.end();
  }
  return values;
}

/**
 * Opens `count` sessions, or fewer if the server is slow; returns the number. Where opening is slow, sessions
 * are large, so fewer suffice.
 */
async function openMore(server, count) {
  const end = (await server.cpu()) + timeLimit;
  let opened = 0;
  while (opened < count && (await server.cpu()) < end) {
    await server.openSessions(step);
    opened += step;
  }
  return opened;
}
