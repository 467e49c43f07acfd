/** The mode that the command line asks for: `--http [--stateless] [--responses=json|sse]`. */
import { createServer } from "node:http";

export const stateless = process.argv.includes("--stateless");
export const streams = process.argv.includes("--responses=sse");

/** Listens on a free port, and prints the port. */
export function listen(handle) {
  const server = createServer({ keepAliveTimeout: 600_000 }, handle);
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}
