import { serve as serveHono } from "@hono/node-server";
import { createHttpHandler, createNodeHandler } from "@mcpgen/runtime/http";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { cloneRawRequest } from "hono/request";

const hostname = "127.0.0.1";

/**
 * Applications with a server mounted into them: `serve(server, options, how)` resolves with `{ url, cut, close }`,
 * where `cut` drops all connections. `how.front` names what reads bodies before the handler, one of `fronts`;
 * `greedy` is the one that keeps them to itself. All have a separate route, `/`, and mount below a prefix.
 */
export const frameworks = {
  express: { fronts: ["nothing", "json", "text", "raw"], greedy: "greedy", serve: inExpress },
  fastify: { fronts: ["json", "text"], greedy: "greedy", serve: inFastify },
  hono: { fronts: ["nothing", "json and a clone"], greedy: "json", serve: inHono },
};

const type = "application/json";

async function inExpress(server, options, { front = "nothing" } = {}) {
  const mcp = createNodeHandler(server, options);
  const app = express();
  const readers = {
    json: express.json({ limit: "5mb" }),
    text: express.text({ type, limit: "5mb" }),
    raw: express.raw({ type, limit: "5mb" }),
    greedy: (request, _response, next) => request.on("end", next).resume(),
  };
  if (front !== "nothing") app.use(readers[front]);
  app.get("/", (_request, response) => void response.send("the application"));
  app.use("/api", express.Router().all("/mcp", mcp));
  const http = await new Promise((resolve) => {
    const listening = app.listen(0, hostname, () => resolve(listening));
  });
  return {
    url: `http://${hostname}:${http.address().port}/api/mcp`,
    cut: () => http.closeAllConnections(),
    close: async () => {
      const closed = new Promise((resolve) => http.close(resolve));
      await mcp.close();
      http.closeIdleConnections();
      await closed;
    },
  };
}

async function inFastify(server, options, { front = "json" } = {}) {
  const mcp = createNodeHandler(server, options);
  const app = fastify({ bodyLimit: 5 * 1_048_576 });
  if (front !== "json") {
    app.removeContentTypeParser(type);
    app.addContentTypeParser(type, { parseAs: "string" }, (_request, text, done) =>
      done(null, front === "text" ? text : undefined),
    );
  }
  app.get("/", () => "the application");
  const mount = async (api) => {
    api.all("/mcp", (request, reply) => mcp(request.raw, reply.hijack().raw, request.body));
    api.addHook("preClose", () => mcp.close());
  };
  app.register(mount, { prefix: "/api" });
  const address = await app.listen({ port: 0, host: hostname });
  const cut = () => app.server.closeAllConnections();
  return { url: `${address}/api/mcp`, cut, close: () => app.close() };
}

async function inHono(server, options, { front = "nothing" } = {}) {
  const mcp = createHttpHandler(server, options);
  const app = new Hono();
  if (front !== "nothing")
    app.use(async ({ req }, next) => {
      if (req.method === "POST") await req.json();
      await next();
    });
  app.get("/", (context) => context.text("the application"));
  const clones = front === "json and a clone";
  const api = new Hono().all("/mcp", async ({ req }) =>
    mcp.fetch(clones ? await cloneRawRequest(req) : req.raw),
  );
  app.route("/api", api);
  const http = await new Promise((resolve) => {
    const listening = serveHono({ fetch: app.fetch, port: 0, hostname }, () => resolve(listening));
  });
  return {
    url: `http://${hostname}:${http.address().port}/api/mcp`,
    cut: () => http.closeAllConnections(),
    close: async () => {
      const closed = new Promise((resolve) => http.close(resolve));
      await mcp.close();
      http.closeIdleConnections();
      await closed;
    },
  };
}
