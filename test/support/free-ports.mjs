// Ports for programs that cannot choose one themselves.
import { createServer } from "node:net";

/** @returns so many ports of this machine that were free just now, each another one */
export async function freePorts(count) {
  const listeners = Array.from({ length: count }, () => createServer());
  await Promise.all(
    listeners.map((listener) => new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve))),
  );
  const ports = listeners.map((listener) => listener.address().port);
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  return ports;
}
