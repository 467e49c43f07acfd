import { BlockList, isIP } from "node:net";
import { CodedError } from "../diagnostics/coded-error.js";
import { secrets } from "../secrets/secrets.js";
import { isLoopback } from "./loopback.js";
import type { Proxies } from "./tunnels.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as curl, git and npm read them: in lower case first, without a scheme
 * by http. NO_PROXY has hosts, with their subdomains and perhaps a port, addresses and networks of addresses, or `*`.
 *
 * A host of this machine is reached through a proxy on this machine alone: elsewhere its name is another machine, and what is sent
 * in clear text, because it stays here, would leave.
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
  // The value is not quoted: it may hold a password.
  throw new CodedError("MG2019", `${used} is not the URL of a proxy`, {
    next: "Set it to http://HOST:PORT, or unset it. NO_PROXY names hosts that are reached without a proxy.",
  });
}

/** Whether an entry of NO_PROXY names a host. @param host as in a URL: an address of IPv6 has brackets */
function namesHost(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  // Only an address of IPv6 has further colons.
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

/** A literal address without the brackets of URLs. */
const bare = (text: string): string => text.replace(/^\[|\]$/g, "");

/**
 * The addresses of a text: one, a network (`10.0.0.0/8`), or a range (`10.0.0.1-10.0.0.9`); none if it is malformed, and `undefined`
 * for the name of a host.
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
    // No network is that large, or a range ends before it begins.
  }
  return found;
}

function contains(addresses: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && addresses.check(host, family === 6 ? "ipv6" : "ipv4");
}

/**
 * Lets the requests of this process go by the proxies of its environment, those of the runtime's client too.
 *
 * @returns whether it names any
 * @throws CodedError MG2019
 */
export async function useProxies(): Promise<boolean> {
  const proxies = proxiesOf(process.env);
  if (proxies) (await import("./tunnels.js")).useTunnels(proxies);
  return proxies !== undefined;
}

/** The next step after an error, or a cause of one, that is about a proxy; `undefined` after others. */
export function proxyAdvice(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each.name === "ProxyError")
      return "Check HTTPS_PROXY and HTTP_PROXY (http://USER:PASSWORD@HOST:PORT); NO_PROXY names hosts that are reached without a proxy.";
  return undefined;
}

/** A `fetch` that says which names it does not resolve on this machine. */
export type NetworkFetch = typeof fetch & { readonly resolvesNames: (url: string) => boolean };

/** Sends a request, by the proxy of the environment if it names one. */
export const networkFetch: NetworkFetch = Object.assign(
  (async (to, init) => ((await useProxies()) ? openFetch(to, init) : fetch(to, init))) as typeof fetch,
  { resolvesNames: (url: string) => proxiesOf(process.env)?.for(new URL(url)) !== undefined },
);

/** Sends a request, without a limit of time: `fetch` of Node ends each after 300 seconds without a byte. */
export const openFetch: typeof fetch = async (to, init) => {
  await useProxies();
  return (await import("./tunnels.js")).nodeFetch(to, init);
};
