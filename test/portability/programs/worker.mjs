// The suite as a worker: `/report` runs it inside, `/mcp` is a stateless server, and `/object/mcp` is a server inside a
// Durable Object, where one request can reach the work of another.
import { memoryStateStore } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { everything, run } from "../suite/cases.mjs";
import { fixture } from "../suite/fixture.mjs";

const state = { keys: ["a secret of tests"], parking: false, store: memoryStateStore() };
const alone = createHttpHandler(fixture({ state }), {
  sessions: false,
  keepAliveMs: 200,
});

/** One instance of it keeps the sessions, and the calls that wait. A client that has gone is noticed when something is written. */
export class Endpoint {
  handler = createHttpHandler(fixture({ state: { parking: {} } }), { keepAliveMs: 100 });

  fetch(request) {
    return this.handler.fetch(request);
  }
}

// oxlint-disable-next-line import/no-default-export -- it is how workers are found
export default {
  async fetch(request, { OBJECT }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/mcp") return alone.fetch(request);
    if (pathname === "/object/mcp") return OBJECT.get(OBJECT.idFromName("one")).fetch(request);
    if (pathname === "/report") return Response.json(await run(everything));
    return new Response(null, { status: 404 });
  },
};
