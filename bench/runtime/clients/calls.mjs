import { deepStrictEqual } from "node:assert";

const inFlight = 64;
const message = "a message of some forty characters, hello";

/** The server that the client starts, and the revision that it speaks. */
export const [, , server, revision] = process.argv;

/**
 * Makes as many calls as the parent process asks for, with 64 in flight, and reports the CPU time in
 * microseconds that this process used for them. `call(params)` makes one call; `close()` is called when the
 * parent needs no more calls.
 */
export async function serveCalls(call, close) {
  const params = { name: "echo", arguments: { message } };
  const { content } = await call(params);
  deepStrictEqual(content, [{ type: "text", text: message }]);
  process.on("message", async ({ count }) => {
    let begun = 0;
    const before = process.cpuUsage();
    const one = async () => {
      while (begun++ < count) await call(params);
    };
    await Promise.all(Array.from({ length: inFlight }, one));
    const { user, system } = process.cpuUsage(before);
    process.send({ spent: user + system });
  });
  process.on("disconnect", () => {
    void Promise.resolve(close()).then(() => process.exit(0));
  });
}
