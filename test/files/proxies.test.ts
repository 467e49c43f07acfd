import http from "node:http";
import https from "node:https";
import net from "node:net";
import { clientRevisions } from "@mcpgen/protocol";
import fc from "fast-check";
import { connect } from "@mcpgen/runtime";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { download } from "../../generator/files/source.js";
import {
  networkFetch,
  openFetch,
  proxiesOf,
  networkAdvice,
  useProxies,
} from "../../generator/files/proxies.js";
import { cases, seed } from "../support/cases.mjs";
import { cert, key } from "../support/certificate.js";
import { connectProxy, loginOfProxy, proxyVariables } from "../support/connect-proxy.js";
import { scripted } from "../support/scripted-http-server.js";
import { freePorts } from "../support/free-ports.mjs";
import { listen } from "../support/listen.js";

describe("the proxies of an environment", () => {
  const proxy = "http://proxy.example.com:8080";

  /** Returns the URLs that are requested without the proxy because of NO_PROXY. */
  const exceptions: Record<
    string,
    readonly [noProxy: string, direct: readonly string[], proxied: readonly string[]]
  > = {
    nothing: ["", [], ["https://a.example.com", "http://10.0.0.1"]],
    "a host and its subdomains": [
      "example.com",
      ["https://example.com", "https://a.example.com"],
      ["https://badexample.com"],
    ],
    "a dot before it": [
      ".example.com",
      ["https://a.example.com", "https://example.com"],
      ["https://example.com.evil.org"],
    ],
    "a star before it": ["*.example.com", ["https://a.example.com"], ["https://example.org"]],
    "a port": ["intranet:3000", ["http://intranet:3000"], ["http://intranet:3001", "http://intranet"]],
    "the port of the scheme": ["a.org:443", ["https://a.org"], ["http://a.org"]],
    "letters of both cases": ["A.Example.COM", ["https://a.example.com"], []],
    "several, in any list": [
      "a.org, b.org c.org",
      ["https://a.org", "https://b.org", "https://c.org"],
      ["https://d.org"],
    ],
    "an address of IPv6": ["[fd00::1]", ["http://[fd00::1]:80"], ["http://[fd00::2]:80"]],
    "an address of IPv6 as other programs write it": [
      "fd00::1,fd00:0:0::2",
      ["http://[fd00::1]", "https://[fd00::2]:8443"],
      ["http://[fd00::3]"],
    ],
    "an address of IPv6 and a port": ["[fd00::1]:81", ["http://[fd00::1]:81"], ["http://[fd00::1]"]],
    "networks of addresses": [
      "10.0.0.0/8, fd00::/8, 192.168.1.0/24:8080",
      ["http://10.255.0.1", "http://[fdff::1]", "http://192.168.1.9:8080"],
      ["http://11.0.0.1", "http://[fe80::1]", "http://192.168.1.9", "http://10.0.0.1.example.com"],
    ],
    "ranges of addresses, as Node names them": [
      "192.168.1.1-192.168.1.100",
      ["http://192.168.1.1", "http://192.168.1.100"],
      ["http://192.168.1.101", "http://192.168.1.1-192.168.1.100.example.com"],
    ],
    "a name with digits and hyphens": ["10-0.example.com", ["http://10-0.example.com"], ["http://10.0.0.0"]],
    "a full stop at the end": [
      "example.com.",
      ["http://example.com", "http://a.example.com."],
      ["http://example.com.org"],
    ],
    all: ["*", ["https://a.org", "http://b.org"], []],
    "malformed entries": [
      "a:b:c,,:,10.0.0.0/99,10.0.0.9-10.0.0.1,10.0.0.1-fd00::1,[,[fd00::1,::/129,/",
      [],
      ["https://a.org", "http://10.0.0.1", "http://10.0.0.9", "http://[fd00::1]"],
    ],
  };

  test.each(Object.entries(exceptions))("are used, except for %s", (_name, [noProxy, direct, proxied]) => {
    const proxies = proxiesOf({ HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy })!;
    for (const url of direct) expect([url, proxies.for(new URL(url))]).toEqual([url, undefined]);
    for (const url of proxied)
      expect([url, proxies.for(new URL(url))?.host]).toEqual([url, "proxy.example.com:8080"]);
  });

  test("are set per scheme, with precedence for lower case, and may lack a scheme", () => {
    const proxies = proxiesOf({ https_proxy: "one:1", HTTPS_PROXY: "two:2" })!;
    expect(proxies.for(new URL("https://a.org"))?.href).toBe("http://one:1/");
    expect(proxies.for(new URL("http://a.org"))).toBeUndefined();
    expect(proxiesOf({ HTTP_PROXY: "", NO_PROXY: "*" })).toBeUndefined();
  });

  test.each(["http://localhost:3000", "https://127.0.0.1", "http://127.9.9.9:1", "http://[::1]:3000"])(
    "are used for %s on this machine if they are also on this machine",
    (url) => {
      for (const here of ["localhost:1", "127.0.0.1:1", "http://[::1]:1"])
        expect(proxiesOf({ HTTP_PROXY: here, HTTPS_PROXY: here })!.for(new URL(url))).toBeDefined();
      expect(proxiesOf({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy })!.for(new URL(url))).toBeUndefined();
    },
  );

  test("names of other machines do not count as this machine, whatever they look like", () => {
    const proxies = proxiesOf({ HTTP_PROXY: proxy })!;
    for (const host of ["localhost.example.com", "127.0.0.1.example.com", "mylocalhost", "[::2]"])
      expect([host, proxies.for(new URL(`http://${host}`))?.host]).toEqual([host, "proxy.example.com:8080"]);
  });

  test("any two networks and addresses: an address is direct if and only if its network is named", () => {
    const address = fc.ipV4();
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), (network, host, bits) => {
        const number = (text: string): number =>
          text.split(".").reduce((all, part) => all * 256 + Number(part), 0);
        const isWithin =
          Math.floor(number(network) / 2 ** (32 - bits)) === Math.floor(number(host) / 2 ** (32 - bits));
        const proxies = proxiesOf({ HTTP_PROXY: proxy, NO_PROXY: `${network}/${bits}` })!;
        const isDirect = proxies.for(new URL(`http://${host}`)) === undefined;
        expect(isDirect).toBe(isWithin || host.startsWith("127."));
      }),
      { seed, numRuns: cases(2000) },
    );
  });

  test.each(["socks5://proxy:1080", "http://", "http://:80", "::", "http://user:secret@"])(
    "are an error: %s",
    (value) => {
      const failure = (() => {
        try {
          return proxiesOf({ HTTP_PROXY: value });
        } catch (error) {
          return error;
        }
      })();
      expect(failure).toMatchObject({
        code: "MG2019",
        message: expect.stringContaining("HTTP_PROXY") as string,
      });
      expect(String(failure)).not.toContain("secret");
    },
  );
});

describe("requests by a proxy", () => {
  const agents = [http.globalAgent, https.globalAgent] as const;

  beforeEach(() => proxyVariables.forEach((name) => vi.stubEnv(name, "")));
  afterEach(() => vi.unstubAllEnvs());

  /** Sends the requests of the test through the proxy. */
  async function used(url: string): Promise<void> {
    vi.stubEnv("HTTP_PROXY", url);
    vi.stubEnv("HTTPS_PROXY", url);
    expect(await useProxies()).toBe(true);
    onTestFinished(() => {
      for (const agent of [http.globalAgent, https.globalAgent]) agent.destroy();
    });
  }

  test("of the runtime's client: only the proxy resolves the name, and it gets the login", async () => {
    const server = await scripted("2025-11-25");
    const proxy = await connectProxy(() => Number(new URL(server.url).port));
    await used(proxy.url);
    const client = await connect("http://mcp.example.invalid/mcp", {
      revisions: clientRevisions,
      onEvent: () => true,
    });
    expect((await client.callTool("x")).content).toEqual([]);
    await client.close();
    expect(new Set(proxy.asked)).toEqual(new Set(["mcp.example.invalid:80"]));
    expect(new Set(proxy.logins)).toEqual(new Set([loginOfProxy]));
    expect(proxy.others).toEqual([]);
    for (const { headers } of server.received) expect(headers).not.toHaveProperty("proxy-authorization");
  });

  test("of downloads and of open requests", async () => {
    const node = http.createServer((_, response) => response.end("{}"));
    const port = await listen(node);
    onTestFinished(() => void node.close());
    const proxy = await connectProxy(() => port);
    await used(proxy.url);
    const pieces: Uint8Array[] = [];
    for await (const piece of download("http://files.example.invalid/a.json")) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe("{}");
    for (const send of [networkFetch, openFetch])
      expect(await (await send("http://b.invalid/")).text()).toBe("{}");
    expect(networkFetch.resolvesNames("http://b.invalid/")).toBe(true);
  });

  test("over https check the certificate of the server, by its name", async () => {
    const node = https.createServer({ key, cert }, (_, response) => response.end("here"));
    const port = await listen(node);
    const proxy = await connectProxy(() => port);
    onTestFinished(() => void node.close());
    await used(proxy.url);
    await expect(openFetch("https://localhost/")).rejects.toThrow("self-signed certificate");
    const { options } = https.globalAgent as unknown as { readonly options: { ca?: string | undefined } };
    options.ca = cert;
    onTestFinished(() => void delete options.ca);
    expect(await (await openFetch("https://localhost/")).text()).toBe("here");
    await expect(openFetch("https://other.invalid/")).rejects.toThrow("altnames");
    expect(proxy.asked).toEqual(["localhost:443", "localhost:443", "other.invalid:443"]);
  });

  test("fail with the name of the proxy if it refuses or is unreachable", async () => {
    const refusing = http.createServer();
    refusing.on("connect", (_, socket: net.Socket) => socket.end("HTTP/1.1 407 Login\r\n\r\n"));
    const port = await listen(refusing);
    onTestFinished(() => void refusing.close());
    await used(`http://127.0.0.1:${port}`);
    await expect(openFetch("http://a.invalid/")).rejects.toThrow(`127.0.0.1:${port} answered 407`);
    await used("http://proxy.invalid:1");
    await expect(openFetch("http://a.invalid/")).rejects.toThrow("the proxy proxy.invalid:1 cannot be used");
    const [gone] = await freePorts(1);
    await used(`http://localhost:${gone}`);
    const error: unknown = await openFetch("http://a.invalid/").catch((error: unknown) => error);
    expect(String(error)).toContain(`the proxy localhost:${gone} cannot be used`);
    expect(String(error)).toContain("ECONNREFUSED");
    expect(networkAdvice(new Error("outer", { cause: error }))).toContain("NO_PROXY");
    expect(networkAdvice(new Error("other"))).toBeUndefined();
  });

  test.each([
    ["a text", "a=1&b=2", "text/plain;charset=UTF-8"],
    ["a form", new URLSearchParams({ a: "1", b: "2" }), "application/x-www-form-urlencoded;charset=UTF-8"],
    ["bytes", new TextEncoder().encode("a=1&b=2"), undefined],
  ])("send the body whatever it is: %s", async (_, body, type) => {
    const node = http.createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
      response.end(JSON.stringify({ text, type: request.headers["content-type"], verb: request.method }));
    });
    const port = await listen(node);
    onTestFinished(() => void node.close());
    await used((await connectProxy(() => port)).url);
    for (const send of [networkFetch, openFetch]) {
      const answer = await send("http://a.invalid/", { method: "POST", body });
      expect(await answer.json()).toEqual({ text: "a=1&b=2", ...(type && { type }), verb: "POST" });
    }
  });

  test("do not follow redirects, and report them as errors if the caller wants that", async () => {
    const asked: string[] = [];
    const node = http.createServer((request, response) => {
      asked.push(request.url!);
      response.writeHead(302, { location: "/b" }).end();
    });
    const port = await listen(node);
    onTestFinished(() => void node.close());
    await used((await connectProxy(() => port)).url);
    expect((await networkFetch("http://a.invalid/", { redirect: "manual" })).status).toBe(302);
    await expect(networkFetch("http://a.invalid/", { redirect: "error" })).rejects.toThrow("redirect");
    expect(asked).toEqual(["/", "/"]);
  });

  test("fail if the status is invalid or the answer is not HTTP, without effect on others", async () => {
    for (const answer of ["HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n", "SSH-2.0-x\r\n"]) {
      const node = net.createServer((socket) => {
        socket.on("error", () => socket.destroy());
        socket.end(answer);
      });
      const port = await listen(node);
      onTestFinished(() => void node.close());
      await used((await connectProxy(() => port)).url);
      await expect(openFetch("http://a.invalid/")).rejects.toThrow();
    }
  });

  test("accept a name and a password with unencoded characters, like curl", async () => {
    const node = http.createServer((_, response) => response.end("{}"));
    const port = await listen(node);
    onTestFinished(() => void node.close());
    const proxy = await connectProxy(() => port);
    for (const [login, expected] of [
      ["u:100%", "u:100%"],
      ["u%40x:a%2Fb%zz", "u@x:a%2Fb%zz"],
      ["u", "u:"],
    ] as const) {
      await used(`http://${login}@${proxy.host}`);
      for (const agent of [http.globalAgent, https.globalAgent]) agent.destroy();
      await (await openFetch("http://a.invalid/")).text();
      expect(Buffer.from(proxy.logins.at(-1)!.slice(6), "base64").toString()).toBe(expected);
    }
  });

  test("end when their signal aborts", async () => {
    const silent = net.createServer();
    const port = await listen(silent);
    onTestFinished(() => void silent.close());
    await used(`http://127.0.0.1:${port}`);
    const signal = AbortSignal.timeout(20);
    await expect(openFetch("http://a.invalid/", { signal })).rejects.toMatchObject({ name: "TimeoutError" });
  });

  afterEach(() => {
    [http.globalAgent, https.globalAgent] = agents;
  });
});
