import { serve } from "@hono/node-server";

/** Serves a function of `Request` to `Response` on a port of this machine. */
export function serveFetch(fetch) {
  serve({ fetch, port: 0, hostname: "127.0.0.1" });
}
