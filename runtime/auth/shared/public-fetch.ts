import type * as dns from "node:dns";
import type * as https from "node:https";
import type { LookupFunction, BlockList } from "node:net";
import { AuthError } from "./errors.js";

/** Sends a GET request, and does not follow redirects. */
export type PublicFetch = (
  url: string,
  init: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
) => Promise<Response>;

interface Builtins {
  getBuiltinModule?(name: "node:https"): typeof https;
  getBuiltinModule?(name: "node:dns"): typeof dns;
  getBuiltinModule?(name: "node:net"): { readonly BlockList: typeof BlockList };
}

/** Networks that are not the public internet: of this machine, of its neighbours, of clouds (RFC 6890). */
const networks4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
];
/** The public addresses of IPv6; without those that lead into networks of IPv4, and those for documentation. */
const public6 = "2000::/3";
const networks6 = ["2001::/32", "2001:db8::/32", "2002::/16", "3fff::/20"];

/**
 * A fetch for URLs that strangers give: https, to public addresses alone. On Node, the address that is checked is the one
 * that is connected to, so that a name cannot change in between. Other platforms give no addresses; there only literal
 * addresses and names of this machine are refused.
 *
 * @param lookup resolves names. Default: that of Node
 * @param allowed decides about addresses. Default: the public ones
 */
export function publicFetch(lookup?: LookupFunction, allowed?: (address: string) => boolean): PublicFetch {
  const { process, navigator } = globalThis as { process?: Builtins; navigator?: { userAgent?: string } };
  // Workers imitate the modules of Node in part, and reach no private network.
  const load = navigator?.userAgent === "Cloudflare-Workers" ? undefined : process?.getBuiltinModule;
  if (!load) return (url, init) => fetch(checked(url), { ...init, redirect: "manual" });
  const isPublic =
    allowed ?? addressCheck(new (load("node:net").BlockList)(), new (load("node:net").BlockList)());
  const resolve = guardedLookup(lookup ?? (load("node:dns").lookup as LookupFunction), isPublic);
  return (url, init) => request(load("node:https"), checked(url, isPublic), init, resolve);
}

function unsafe(): AuthError {
  return new AuthError("auth-metadata-unsafe", "A URL must be https, and lead to a public address.");
}

type AddressCheck = (address: string) => boolean;

/** @throws {AuthError} `auth-metadata-unsafe` */
function checked(url: string, isPublic: AddressCheck = () => false): string {
  const { protocol, hostname, username, password } = new URL(url);
  const literal = hostname.startsWith("[")
    ? hostname.slice(1, -1)
    : /^[\d.]+$/.test(hostname)
      ? hostname
      : undefined;
  const isLocalName =
    /(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(hostname) || !hostname.includes(".");
  if (protocol !== "https:" || username || password) throw unsafe();
  if (literal === undefined ? isLocalName : !isPublic(literal)) throw unsafe();
  return url;
}

function addressCheck(blocked: BlockList, open: BlockList): AddressCheck {
  const add = (list: BlockList, network: string, family: "ipv4" | "ipv6"): void => {
    const [address, bits] = network.split("/");
    list.addSubnet(address!, Number(bits), family);
  };
  for (const network of networks4) add(blocked, network, "ipv4");
  for (const network of networks6) add(blocked, network, "ipv6");
  add(open, public6, "ipv6");
  return (address) =>
    address.includes(":")
      ? open.check(address, "ipv6") && !blocked.check(address, "ipv6")
      : !blocked.check(address, "ipv4");
}

/** A lookup that fails if one address of a name is not public. */
function guardedLookup(lookup: LookupFunction, isPublic: AddressCheck): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === "string" ? [] : found;
      if (error) return callback(error, []);
      if (addresses.length === 0 || addresses.some(({ address }) => !isPublic(address)))
        return callback(unsafe(), []);
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0]!.address, addresses[0]!.family);
    });
}

/** The answer, decoded by no codec: none is asked for. */
function request(
  { request: send }: typeof https,
  url: string,
  { headers = {}, signal }: Parameters<PublicFetch>[1],
  lookup: LookupFunction,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = {
      lookup,
      headers: { ...headers, "accept-encoding": "identity" },
      agent: false,
      ...(signal && { signal }),
    };
    const sent = send(url, options, (message) => {
      const status = message.statusCode ?? 0;
      const control = message.headers["cache-control"];
      const known = control === undefined ? {} : { "cache-control": control };
      if (status >= 200 && status < 600 && ![204, 205, 304].includes(status))
        return resolve(new Response(bodyOf(message), { status, headers: known }));
      message.destroy();
      reject(unsafe());
    });
    sent.on("error", reject);
    sent.end();
  });
}

function bodyOf(message: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
