import { createServer } from "node:http";

/** Serves `handle(request, response)` as the command line of a server wants it, and sends its URL to the test. */
export function serveOnPort(handle) {
  const [mode, port = "0"] = process.argv.slice(2);
  const server = createServer((request, response) => {
    if (mode === "bearer" && request.headers.authorization !== `Bearer ${process.env.FRAMEWORKS_TOKEN}`)
      return response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    if (new URL(request.url, "http://x").pathname !== "/mcp") return response.writeHead(404).end();
    void handle(request, response);
  });
  server.listen(Number(port), "127.0.0.1", () =>
    process.send({ url: `http://127.0.0.1:${server.address().port}/mcp` }),
  );
  process.once("disconnect", () => process.exit());
}

/** A handler that keeps a transport for each session, and answers 404 to those that it does not know. */
export function sessionsOf(makeTransport) {
  const sessions = new Map();
  return async (request, response) => {
    const id = request.headers["mcp-session-id"];
    if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end();
    const transport = sessions.get(id) ?? (await makeTransport((id, made) => sessions.set(id, made)));
    await transport.handleRequest(request, response);
  };
}
