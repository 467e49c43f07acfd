// Ports for programs that cannot choose one themselves.
import { createServer } from "node:net";

/** The system assigns ports above this range to programs that request any port, so these stay free. */
const [first, last] = [20_000, 32_000];

/** @returns `count` different free ports of this machine */
export async function freePorts(count) {
  const found = new Set();
  while (found.size < count) {
    const port = first + Math.floor(Math.random() * (last - first));
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

function isFree(port) {
  return new Promise((resolve) => {
    const listener = createServer().once("error", () => resolve(false));
    listener.listen(port, "127.0.0.1", () => listener.close(() => resolve(true)));
  });
}
