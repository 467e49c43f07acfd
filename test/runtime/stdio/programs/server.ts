// A server that only uses the transport, and performs the action that a message names as its method.
import "../../../../runtime/core/stdio-guard.js";
import { chat } from "./chatty.js";
import { serveStdio } from "../../../../runtime/core/stdio.js";
import { keepStdout } from "../../../../runtime/core/stdio/guard.js";
import type { Channel } from "../../../../runtime/base/jsonrpc/channel.js";

interface Request {
  readonly id: number;
  readonly method: string;
  readonly size?: number;
}

/** Most bytes that waited to be written when a message was delivered. */
let peak = 0;

function handle(channel: Channel, text: string): void {
  const { id, method, size = 0 } = JSON.parse(text) as Request;
  peak = Math.max(peak, keepStdout().stream.writableLength);
  const answer = (result: unknown): void => channel.send(JSON.stringify({ id, result }));
  if (method === "echo") answer(text.length);
  if (method === "chat") void chat().then(() => answer("chatted"));
  if (method === "large") answer("x".repeat(size));
  if (method === "peak") answer(peak);
  if (method === "stderr") process.stderr.write("e".repeat(size) + "end\n", () => answer("printed"));
  if (method === "hang") setInterval(() => {}, 1000);
  if (method === "crash") throw new Error("crashed on request");
  if (method === "stop") {
    answer("x".repeat(size));
    void service.close();
  }
}

/** A number from the environment. */
function setting(name: string): number | undefined {
  const text = process.env[name];
  return text === undefined ? undefined : Number(text);
}

const service = serveStdio(
  {
    connect(channel) {
      channel.open({
        message: (text) => handle(channel, text),
        turn: () => channel.flush(),
        tooLong: (bytes) => channel.send(JSON.stringify({ tooLong: bytes })),
        closed: (reason) => console.error("closed", reason?.message ?? "in order"),
      });
      return {
        close() {
          if (process.env["STUCK"] === undefined) return channel.close();
          console.error("closing");
          return new Promise(() => {});
        },
      };
    },
  },
  { limit: setting("LIMIT"), grace: setting("GRACE") },
);
