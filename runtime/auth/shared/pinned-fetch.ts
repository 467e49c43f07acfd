// No static import of Node: other platforms load this module's importers, too.
import type * as dns from "node:dns";
import type * as http from "node:http";
import type * as https from "node:https";
import type * as net from "node:net";
import type { LookupFunction } from "node:net";
import type * as stream from "node:stream";
import { AuthError } from "./errors.js";
import type { Fetch } from "./guarded-fetch.js";
import { isLoopback } from "./urls.js";

/** Networks that are not the internet: private, link-local with its metadata services, and those that embed others. */
const privateNetworks: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  ["::ffff:0:0", 96, "ipv6"],
  ["64:ff9b::", 32, "ipv6"],
  ["2001::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 9, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

interface Modules {
  readonly http: typeof http;
  readonly https: typeof https;
  readonly net: typeof net;
  readonly dns: typeof dns;
  readonly stream: typeof stream;
}

/** Node's modules; `undefined` on other platforms, also on those that imitate Node in part. */
function modules(): Modules | undefined {
  const { process, navigator } = globalThis as {
    process?: NodeJS.Process;
    navigator?: { userAgent?: string };
  };
  if (
    !process?.versions?.node ||
    !process.getBuiltinModule ||
    !(navigator?.userAgent ?? "Node").startsWith("Node")
  )
    return undefined;
  const load = (name: string): never => process.getBuiltinModule(`node:${name}`) as never;
  return {
    http: load("http"),
    https: load("https"),
    net: load("net"),
    dns: load("dns"),
    stream: load("stream"),
  };
}

/** Whether an address belongs to none of the private networks. */
type IsPublic = (address: string, family: number) => boolean;

function publicAddresses({ net }: Modules): IsPublic {
  const blocked = new net.BlockList();
  for (const [network, prefix, family] of privateNetworks) blocked.addSubnet(network, prefix, family);
  return (address, family) => !blocked.check(address, family === 6 ? "ipv6" : "ipv4");
}

function unsafe(host: string): AuthError {
  const text = `${host.slice(0, 255)} has an address of a private network: if that is meant, set privateNetwork: true`;
  return new AuthError("auth-metadata-unsafe", text);
}

/**
 * A `fetch` that connects to the addresses that it has checked, and to no other: the name cannot be resolved otherwise
 * between check and connection. `http:` goes to this machine alone.
 *
 * @param lookup resolves names; default: that of Node
 * @returns `undefined` where the platform has no such means
 */
export function pinnedFetch(lookup?: LookupFunction): Fetch | undefined {
  const node = modules();
  if (!node) return undefined;
  const isPublic = publicAddresses(node);
  const resolve = (lookup ?? node.dns.lookup) as typeof node.dns.lookup;
  const checked: LookupFunction = (host, options, callback) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const all = addresses as unknown as readonly { readonly address: string; readonly family: number }[];
      if (all.length === 0 || !all.every(({ address, family }) => isPublic(address, family)))
        return callback(unsafe(host), "");
      if (options.all === true) return callback(null, [...all]);
      callback(null, all[0]!.address, all[0]!.family);
    });
  return (text, init) => {
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const family = node.net.isIP(host);
    const local = url.protocol === "http:" && isLoopback(url.hostname);
    if (!local && family !== 0 && !isPublic(host, family)) return Promise.reject(unsafe(host));
    return request(node, url, init, local ? undefined : checked);
  };
}

function request(
  { http, https, stream }: Modules,
  url: URL,
  init: RequestInit,
  lookup: LookupFunction | undefined,
): Promise<Response> {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
  const options = { method: init.method ?? "GET", headers, agent: false, signal: init.signal!, lookup };
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? https.request : http.request;
    const sent = send(url, options as object, (message) => {
      const { statusCode: status = 500, headers: given } = message;
      const received = new Headers();
      for (const [name, value] of Object.entries(given))
        if (value !== undefined) received.set(name, String(value));
      const empty = [101, 204, 205, 304].includes(status);
      if (empty) message.resume();
      const body = empty ? null : (stream.Readable.toWeb(message) as ReadableStream<Uint8Array>);
      resolve(new Response(body, { status: Math.max(status, 200), headers: received }));
    });
    sent.on("error", reject);
    sent.end(init.body === undefined || init.body === null ? undefined : String(init.body as string));
  });
}
