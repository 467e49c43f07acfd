import { legacy } from "../contenders.mjs";
import { HttpUnderTest, contendersFor } from "../http-under-test.mjs";

const mode = { revision: legacy, stateful: true };
/** Connections that the sessions are opened over. */
const connections = 16;

/** Heap that a session takes which was opened and left alone, over HTTP. */
export const sessionsRow = {
  name: "idle session over HTTP",
  unit: "KiB of heap",
  bar: 0.8,
  measure: ({ share }) => measureSessions(Math.ceil(6000 * share)),
};

async function measureSessions(count) {
  const values = new Map();
  for (const one of contendersFor(mode)) {
    const server = await HttpUnderTest.open(one, mode, connections);
    // What is made once for all sessions is there before they are counted.
    await server.openSessions(200);
    const before = await server.heap();
    await server.openSessions(count);
    values.set(one.name, ((await server.heap()) - before) / count / 1024);
    await server.end();
  }
  return values;
}
