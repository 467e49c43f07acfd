// No static imports of Node modules, because other platforms also load the modules that import this one.
import type * as dns from "node:dns";
import type * as http from "node:http";
import type * as https from "node:https";
import type * as net from "node:net";
import type { LookupFunction } from "node:net";
import type * as stream from "node:stream";
import { AuthError } from "./errors.js";
import { endpointUrl, hostOf, isPublicName } from "./urls.js";

/** Sends one request, without following redirects. */
export type Fetch = ((url: string, init: RequestInit) => Promise<Response>) & {
  /** Whether the function leaves the name in a URL to a proxy, which resolves it. This machine may be unable to. */
  readonly resolvesNames?: (url: string) => boolean;
};

/**
 * Special networks: local, private and cloud networks, networks for protocols and documentation (RFC 6890), and IPv6 networks
 * that embed IPv4 addresses.
 */
const special = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"],
  ...["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
];

interface Modules {
  readonly http: typeof http;
  readonly https: typeof https;
  readonly net: typeof net;
  readonly dns: typeof dns;
  readonly stream: typeof stream;
}

type Load = <Name extends keyof Modules>(name: Name) => Modules[Name];

/** Returns the loader of Node modules; `undefined` on platforms without them. */
function loader(): Load | undefined {
  const { process, navigator } = globalThis as {
    process?: Partial<NodeJS.Process>;
    navigator?: { userAgent?: string };
  };
  // Cloudflare Workers have only part of the Node modules, and cannot reach private networks.
  if (!process?.getBuiltinModule || navigator?.userAgent === "Cloudflare-Workers") return undefined;
  return (name) => process.getBuiltinModule!(`node:${name}`) as never;
}

/** Whether an address is public. */
type IsPublic = (address: string) => boolean;

function publicAddresses({ BlockList, isIP }: typeof net): IsPublic {
  const [blocked, open] = [new BlockList(), new BlockList()];
  // The only assigned range of public IPv6 addresses.
  open.addSubnet("2000::", 3, "ipv6");
  for (const network of special) {
    const [address, bits] = network.split("/");
    blocked.addSubnet(address!, Number(bits), isIP(address!) === 6 ? "ipv6" : "ipv4");
  }
  return (text) => {
    // Remove the zone, which `BlockList` does not accept.
    const address = text.replace(/%.*/, "");
    const family = isIP(address);
    if (family === 4) return !blocked.check(address);
    return family === 6 && open.check(address, "ipv6") && !blocked.check(address, "ipv6");
  };
}

function unsafe(host: string): AuthError {
  const text = `${host.slice(0, 255)} is not on the internet: only a client with privateNetwork: true connects to it`;
  return new AuthError("auth-metadata-unsafe", text);
}

interface AddressGuard {
  /** Absent on platforms without Node modules. */
  readonly load: Load | undefined;
  /** Resolves a name; fails unless all addresses are public. */
  readonly lookup: LookupFunction | undefined;
  /**
   * Checks the text of a URL.
   *
   * @returns the URL, and whether it leads to this machine
   * @throws {AuthError} `auth-metadata-unsafe`
   */
  judge(text: string): { readonly url: URL; readonly isHere: boolean };
}

function addressGuard(local: boolean, lookup: LookupFunction | undefined): AddressGuard {
  const load = loader();
  const isPublic = load ? publicAddresses(load("net")) : () => false;
  return {
    load,
    lookup: load && checkedLookup((lookup ?? load("dns").lookup) as typeof dns.lookup, isPublic),
    judge(text) {
      const url = endpointUrl(text, local);
      const isHere = url?.protocol === "http:";
      if (url && (isHere || isPublicName(url.hostname) || isPublic(bare(url.hostname))))
        return { url, isHere };
      throw unsafe(hostOf(text));
    },
  };
}

/**
 * Makes a `fetch` for URLs that others name: only https to the internet. On Node, it connects only to the addresses that it
 * has checked, so that a name cannot resolve differently between check and connection. Platforms without Node modules cannot
 * resolve names; there it accepts only public names.
 *
 * @param local accepts `http:` to this machine
 * @param lookup resolves names; default: `dns.lookup` of Node
 */
export function pinnedFetch(local: boolean, lookup?: LookupFunction): Fetch {
  const guard = addressGuard(local, lookup);
  return async (text, init) => {
    const { url, isHere } = guard.judge(text);
    if (!guard.load) return globalThis.fetch(text, init);
    return request(guard.load, url, init, isHere ? undefined : guard.lookup);
  };
}

/**
 * Wraps a `fetch` of the application: calls it only if all addresses of the host are public. That `fetch` resolves the name
 * again, so a name whose addresses change in between is detected only by `pinnedFetch`.
 *
 * A `fetch` with `resolvesNames` gets only URLs whose names it leaves to a proxy. Other URLs are sent as by `pinnedFetch`.
 *
 * @param lookup resolves names; default: `dns.lookup` of Node
 */
export function judgedFetch(send: Fetch, local: boolean, lookup?: LookupFunction): Fetch {
  const guard = addressGuard(local, lookup);
  return async (text, init) => {
    const { url, isHere } = guard.judge(text);
    if (isHere || !guard.lookup || send.resolvesNames?.(text)) return send(text, init);
    if (send.resolvesNames) return request(guard.load!, url, init, guard.lookup);
    await resolved(guard.lookup, bare(url.hostname), init.signal ?? undefined);
    return send(text, init);
  };
}

/**
 * Resolves a name to check it. @throws {AuthError} `auth-metadata-unsafe`: an address is not public; also errors of the
 * lookup
 */
function resolved(lookup: LookupFunction, host: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => reject(signal!.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    lookup(host, {}, (error) => {
      signal?.removeEventListener("abort", abort);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Removes the brackets of an IPv6 address in a URL. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

/** Makes a lookup that fails if an address of the name is not public. */
function checkedLookup(resolve: typeof dns.lookup, isPublic: IsPublic): LookupFunction {
  return (host, options, callback) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const all = addresses as unknown as readonly { readonly address: string; readonly family: number }[];
      if (all.length === 0 || !all.every(({ address }) => isPublic(address)))
        return callback(unsafe(host), "");
      if (options.all === true) return callback(null, [...all]);
      callback(null, all[0]!.address, all[0]!.family);
    });
}

function request(
  load: Load,
  url: URL,
  init: RequestInit,
  lookup: LookupFunction | undefined,
): Promise<Response> {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
  const node = load(url.protocol === "https:" ? "https" : "http");
  // A separate agent, because the program's global agent may use a proxy. `agent: false` would use its class.
  const agent = new node.Agent();
  const options = { method: init.method ?? "GET", headers, agent, signal: init.signal!, lookup };
  return new Promise((resolve, reject) => {
    const sent = node.request(url, options as object, (message) => {
      const { statusCode: status = 0, headers: given } = message;
      if (status < 200 || status > 599) {
        message.destroy();
        return reject(new TypeError("wrong status"));
      }
      const received = new Headers();
      for (const [name, value] of Object.entries(given))
        if (value !== undefined) received.set(name, String(value));
      const empty = [204, 205, 304].includes(status);
      if (empty) message.resume();
      const body = empty ? null : (load("stream").Readable.toWeb(message) as ReadableStream<Uint8Array>);
      resolve(new Response(body, { status, headers: received }));
    });
    sent.on("error", reject);
    sent.end(init.body === undefined || init.body === null ? undefined : String(init.body as string));
  });
}
