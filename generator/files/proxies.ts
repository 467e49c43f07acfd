import { CodedError } from "../diagnostics/coded-error.js";
import { secrets } from "../secrets/secrets.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxies of an environment, and the hosts that are reached without them. */
export interface Proxies {
  /** The proxy for a URL; `undefined` if it is reached without one. */
  for(url: URL): URL | undefined;
}

/**
 * The proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as curl, git and npm read them: in lower case first, without a scheme
 * by http. NO_PROXY has hosts, with their subdomains and perhaps a port, or `*`.
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
      const port = url.port || (isSecure ? "443" : "80");
      return entries.some((entry) => namesHost(entry, url.hostname, port))
        ? undefined
        : isSecure
          ? https
          : http;
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

/** Whether an entry of NO_PROXY names a host. */
function namesHost(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = "", only] = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
  if (name === "" || (only !== undefined && only !== port)) return false;
  return host === name || host.endsWith(`.${name}`);
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
