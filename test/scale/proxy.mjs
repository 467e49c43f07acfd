// A load balancer without affinity: each request goes to the next node, whatever session it belongs to.
import { Agent, createServer, request as open } from "node:http";
import { hang } from "../support/until.mjs";

/**
 * Starts a proxy.
 *
 * @param options.ports the ports of the nodes, in turn; a function, as nodes come and go
 * @param options.ready the path that says with 200 whether a node takes new requests; without it all nodes do
 * @param options.probeMs milliseconds between two looks at `ready`
 * @param options.cut called with the connection of each event stream, which it may destroy, when the first event has come: a stream
 *   without an event cannot be resumed
 * @returns `url` of the endpoint, `given` (requests by port), `refused` (requests that no node took), `isAtWork` (whether a
 *   port has a request by POST to answer), `hasLeft` (whether a port gets no new requests, and has answered or begun to answer
 *   all earlier ones), `close`
 */
export async function startProxy({ ports, ready, probeMs = 50, cut = () => {} }) {
  const agent = new Agent({ keepAlive: true });
  const given = new Map();
  const state = { refused: 0 };
  const out = new Set();
  /** Requests without a status, by port. */
  const waiting = new Map();
  const wait = (port, change) => waiting.set(port, (waiting.get(port) ?? 0) + change);
  /** Requests by POST whose response has not ended, by port. */
  const running = new Map();
  let turn = 0;
  const next = () => {
    const all = ports();
    for (let tried = 0; tried < all.length; tried++) {
      const port = all[turn++ % all.length];
      if (!out.has(port)) return port;
    }
    return undefined;
  };

  const server = createServer((request, response) => {
    const { method, headers, url: path } = request;
    const body = [];
    request.on("data", (chunk) => body.push(chunk));
    request.on("end", () => forward(Buffer.concat(body), 0));

    function forward(bytes, attempt) {
      const port = next();
      if (port === undefined || attempt > ports().length) {
        state.refused++;
        return void response.writeHead(502).end();
      }
      given.set(port, (given.get(port) ?? 0) + 1);
      wait(port, 1);
      if (method === "POST") running.set(port, (running.get(port) ?? 0) + 1);
      let waits = true;
      const arrived = () => {
        if (waits) wait(port, -1);
        waits = false;
      };
      const upstream = open({ agent, port, host: "127.0.0.1", method, headers, path }, (answer) => {
        arrived();
        response.writeHead(answer.statusCode, hopless(answer.headers));
        response.flushHeaders();
        answer.pipe(response);
        // If the node breaks a stream in the middle, it breaks for the client, too.
        answer.on("aborted", () => response.destroy());
        answer.on("error", () => response.destroy());
        if (answer.headers["content-type"]?.startsWith("text/event-stream"))
          answer.once("data", () => cut(response));
      });
      upstream.on("close", () => {
        arrived();
        if (method === "POST") running.set(port, running.get(port) - 1);
      });
      upstream.on("error", ({ code }) => {
        if (response.headersSent || response.destroyed) return response.destroy();
        // Nothing listens there: the node did not get the request.
        if (code === "ECONNREFUSED") return forward(bytes, attempt + 1);
        response.destroy();
      });
      response.on("close", () => upstream.destroy());
      upstream.end(bytes);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

  const probe = (port) =>
    new Promise((resolve) => {
      const request = open({ port, host: "127.0.0.1", path: ready, timeout: hang }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      });
      request.on("timeout", () => request.destroy());
      request.on("error", () => resolve(false));
      request.end();
    });
  let timer;
  let isClosed = false;
  const look = async () => {
    for (const port of ports()) {
      if (await probe(port)) out.delete(port);
      else out.add(port);
    }
    // The proxy may have closed during the probe; another timer would keep the process alive.
    if (!isClosed) timer = setTimeout(look, probeMs);
  };
  if (ready) await look();

  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    given,
    isAtWork: (port) => running.get(port) > 0,
    hasLeft: (port) => out.has(port) && !waiting.get(port),
    get refused() {
      return state.refused;
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** Headers without the hop-by-hop headers. */
function hopless(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));
}
