/** How a server is asked to serve: `--http [--stateless] [--responses=json|sse]`. */
import { createServer } from "node:http";

export const stateless = process.argv.includes("--stateless");
export const streams = process.argv.includes("--responses=sse");

/** Listens on a free port, and prints it. */
export function listen(handle) {
  const server = createServer({ keepAliveTimeout: 600_000 }, handle);
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}
