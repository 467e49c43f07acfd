// Which requests for a WebSocket are refused. Browsers let any page open a WebSocket to any address, this machine's
// included, and ask no server before: only these checks keep strange pages out.
import type { IncomingMessage } from "node:http";
import { subprotocol } from "./channel.js";

/** Hosts and origins that may reach the server; by default only those of this machine. */
export interface GuardOptions {
  /** Names of the server, as in `Host`, with or without a port: `api.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may connect: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The refusal of a request, or `undefined` if it may be upgraded. */
export function guard(request: IncomingMessage, path: string, options: GuardOptions): Refusal | undefined {
  const { host = [], origin = [] } = request.headersDistinct;
  if (host.length !== 1) return { status: 400, message: "a request has one Host" };
  if (!isAllowedHost(host[0]!, options.allowedHosts))
    return forbidden(`the host ${JSON.stringify(host[0])} is not served here; name it in allowedHosts`);
  const stranger = origin.find((each) => !isAllowedOrigin(each, options.allowedOrigins));
  if (stranger !== undefined)
    return forbidden(`pages of ${JSON.stringify(stranger)} may not connect; name them in allowedOrigins`);
  if (request.url?.split("?")[0] !== path) return { status: 404, message: `the endpoint is ${path}` };
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((each) => each.trim());
  if (!offered?.includes(subprotocol))
    return { status: 400, message: `the client has to offer the subprotocol ${subprotocol}` };
  return undefined;
}

function forbidden(message: string): Refusal {
  return { status: 403, message };
}

function isAllowedHost(host: string, allowed: readonly string[] = []): boolean {
  const names = [host.toLowerCase(), withoutPort(host.toLowerCase())];
  return loopback.has(names[1]!) || allowed.some((each) => names.includes(each.toLowerCase()));
}

function isAllowedOrigin(origin: string, allowed: readonly string[] = []): boolean {
  const asked = origin.toLowerCase();
  if (allowed.some((each) => each.toLowerCase().replace(/\/$/, "") === asked)) return true;
  // Not by `new URL`: what it repairs, the check would let pass.
  const [, host] = /^https?:\/\/(.*)$/.exec(asked) ?? [];
  return host !== undefined && loopback.has(withoutPort(host));
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}
