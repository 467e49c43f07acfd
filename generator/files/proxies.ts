import { BlockList, isIP } from "node:net";
import { CodedError } from "../diagnostics/coded-error.js";
import { secrets } from "../secrets/secrets.js";
import { isLoopback } from "./loopback.js";
import type { Proxies } from "./tunnels.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY as curl, git and npm do: the lower-case variable takes
 * precedence, and the default scheme is http. NO_PROXY lists hosts (including their subdomains, optionally
 * with a port), addresses, networks of addresses, or `*`.
 *
 * A loopback host is reached only through a proxy on this machine. For a remote proxy its name means another
 * machine, and clear text intended for this machine would leave it.
 *
 * @returns `undefined` if the environment names no proxy
 * @throws CodedError MG2019 for a variable that is not the URL of a proxy
 */
export function proxiesOf(env: Environment): Proxies | undefined {
  const http = proxyOf(env, "http_proxy");
  const https = proxyOf(env, "https_proxy");
  if (!http && !https) return undefined;
  const entries = (env["no_proxy"] || env["NO_PROXY"] || "").toLowerCase().split(/[\s,]+/);
  return {
    for(url) {
      const isSecure = url.protocol === "https:";
      const proxy = isSecure ? https : http;
      if (!proxy || (isLoopback(url.hostname) && !isLoopback(proxy.hostname))) return undefined;
      const port = url.port || (isSecure ? "443" : "80");
      return entries.some((entry) => namesHost(entry, url.hostname, port)) ? undefined : proxy;
    },
  };
}

function proxyOf(env: Environment, name: "http_proxy" | "https_proxy"): URL | undefined {
  const used = [name, name.toUpperCase()].find((each) => env[each]);
  if (used === undefined) return undefined;
  const given = env[used]!;
  const text = given.includes("://") ? given : `http://${given}`;
  secrets.learnUrl(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== "") return url;
  // The error does not quote the value, which may contain a password.
  throw new CodedError("MG2019", `${used} is not the URL of a proxy`, {
    next: "Set it to http://HOST:PORT, or unset it. NO_PROXY names hosts that are reached without a proxy.",
  });
}

/** Whether an entry of NO_PROXY matches a host. @param host as in a URL: an IPv6 address has brackets */
function namesHost(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  // Only an IPv6 address has several colons; other entries may end with a port.
  const isAddress6 = isIP(entry.replace(/[/-].*/, "")) === 6;
  const hostAndPort = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/;
  const parts: readonly string[] = isAddress6 ? [entry, entry] : (hostAndPort.exec(entry) ?? []);
  const [, name = "", only = port] = parts;
  if (name === "" || only !== port) return false;
  const addresses = addressesOf(bare(name));
  if (addresses) return contains(addresses, bare(host));
  const [own, named] = [host, name].map((each) => each.replace(/\.$/, "")) as [string, string];
  return own === named || own.endsWith(`.${named}`);
}

/** An address without the brackets that URLs use. */
const bare = (text: string): string => text.replace(/^\[|\]$/g, "");

/**
 * Parses an address, a network (`10.0.0.0/8`) or a range (`10.0.0.1-10.0.0.9`). The list is empty if it is
 * malformed; `undefined` for a host name.
 */
function addressesOf(text: string): BlockList | undefined {
  const [, first = "", bits, last] = /^([\da-f.:]+)(?:\/(\d+)|-([\da-f.:]+))?$/.exec(text) ?? [];
  const family = isIP(first);
  if (family === 0) return undefined;
  const [found, type] = [new BlockList(), family === 6 ? "ipv6" : "ipv4"] as const;
  try {
    if (bits !== undefined) found.addSubnet(first, Number(bits), type);
    else if (last !== undefined) found.addRange(first, last, type);
    else found.addAddress(first, type);
  } catch {
    // An invalid network size, or a range that ends before it begins.
  }
  return found;
}

function contains(addresses: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && addresses.check(host, family === 6 ? "ipv6" : "ipv4");
}

/**
 * Sends the requests of this process, including those of the runtime's client, through the proxies of its
 * environment.
 *
 * @returns whether the environment names a proxy
 * @throws CodedError MG2019
 */
export async function useProxies(): Promise<boolean> {
  const proxies = proxiesOf(process.env);
  if (proxies) (await import("./tunnels.js")).useTunnels(proxies);
  return proxies !== undefined;
}

/**
 * Advice for an error of the network, directly or through its `cause`: of a proxy, or of a server that speaks the other one
 * of http and https; `undefined` for other errors.
 *
 * @param url the server's URL as it is shown; the advice has it with the right scheme
 */
export function networkAdvice(error: unknown, url = "https://…"): string | undefined {
  const errors: Error[] = [];
  for (let each = error; each instanceof Error; each = each.cause) errors.push(each);
  // Its message quotes what the proxy has answered.
  if (errors.some(({ name }) => name === "ProxyError"))
    return "Check HTTPS_PROXY and HTTP_PROXY (http://USER:PASSWORD@HOST:PORT); NO_PROXY names hosts that are reached without a proxy.";
  const says = (what: RegExp): boolean => errors.some(({ message }) => what.test(message));
  const scheme = says(noTls) ? "http" : says(noHttp) ? "https" : undefined;
  return scheme && `This server speaks ${scheme}: try ${url.replace(/^https?(?=:)/i, scheme)}`;
}

/** How OpenSSL says that an answer is not TLS. */
const noTls =
  /(?:write EPROTO )?[\dA-F]*:?error:\S*:SSL routines:.*?:(?:wrong version number|packet length too long):[^\n]*/;

/** How the parser of Node.js says that an answer is TLS, and how nginx, Go and Apache say that a request is not. */
const noHttp =
  /(?:Parse Error: )?Expected HTTP\/(?:, RTSP\/ or ICE\/)?|plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|plain HTTP to an SSL-enabled/;

/** The message of an error of the network, without the text of OpenSSL for an answer that is not TLS. */
export function networkMessage(message: string): string {
  return message.replace(noTls, "it does not answer in TLS");
}

/**
 * A `fetch` that also says for which URLs it does not resolve the host name on this machine, because a proxy
 * does.
 */
export type NetworkFetch = typeof fetch & { readonly resolvesNames: (url: string) => boolean };

/** Sends a request, through the environment's proxy if there is one. */
export const networkFetch: NetworkFetch = Object.assign(
  (async (to, init) => ((await useProxies()) ? openFetch(to, init) : fetch(to, init))) as typeof fetch,
  { resolvesNames: (url: string) => proxiesOf(process.env)?.for(new URL(url)) !== undefined },
);

/** Sends a request without a time limit. Node's own `fetch` aborts after 300 seconds without a byte. */
export const openFetch: typeof fetch = async (to, init) => {
  await useProxies();
  return (await import("./tunnels.js")).nodeFetch(to, init);
};
