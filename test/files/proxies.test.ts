import http from "node:http";
import https from "node:https";
import net from "node:net";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { download } from "../../generator/files/download.js";
import { networkFetch, openFetch, proxiesOf, useProxies } from "../../generator/files/proxies.js";
import { cert, key } from "../support/certificate.js";
import { scripted } from "../support/scripted-http-server.js";
import { listen } from "../support/listen.js";

describe("the proxies of an environment", () => {
  const proxy = "http://proxy.example.com:8080";

  /** What NO_PROXY says of some URLs: those that are reached without the proxy. */
  const exceptions: Record<
    string,
    readonly [noProxy: string, direct: readonly string[], proxied: readonly string[]]
  > = {
    nothing: ["", [], ["https://a.example.com", "http://localhost"]],
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
    "a port": ["localhost:3000", ["http://localhost:3000"], ["http://localhost:3001", "http://localhost"]],
    "the port of the scheme": ["a.org:443", ["https://a.org"], ["http://a.org"]],
    "letters of both cases": ["A.Example.COM", ["https://a.example.com"], []],
    "several, in any list": [
      "a.org, b.org c.org",
      ["https://a.org", "https://b.org", "https://c.org"],
      ["https://d.org"],
    ],
    "an address of IPv6": ["[::1]", ["http://[::1]:80"], ["http://[::2]:80"]],
    all: ["*", ["https://a.org", "http://b.org"], []],
    "malformed entries": ["a:b:c,,:", [], ["https://a.org"]],
  };

  test.each(Object.entries(exceptions))("are used but for %s", (_name, [noProxy, direct, proxied]) => {
    const proxies = proxiesOf({ HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy })!;
    for (const url of direct) expect([url, proxies.for(new URL(url))]).toEqual([url, undefined]);
    for (const url of proxied)
      expect([url, proxies.for(new URL(url))?.host]).toEqual([url, "proxy.example.com:8080"]);
  });

  test("are one for each scheme, in lower case first, and may be given without a scheme", () => {
    const proxies = proxiesOf({ https_proxy: "one:1", HTTPS_PROXY: "two:2" })!;
    expect(proxies.for(new URL("https://a.org"))?.href).toBe("http://one:1/");
    expect(proxies.for(new URL("http://a.org"))).toBeUndefined();
    expect(proxiesOf({ HTTP_PROXY: "", NO_PROXY: "*" })).toBeUndefined();
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
  const variables = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  const agents = [http.globalAgent, https.globalAgent] as const;

  beforeEach(() => variables.forEach((name) => vi.stubEnv(name, "")));
  afterEach(() => vi.unstubAllEnvs());

  /** A proxy that leads each tunnel to a port of this machine. */
  async function proxyTo(
    port: number,
  ): Promise<{ readonly url: string; readonly asked: string[]; readonly logins: unknown[] }> {
    const asked: string[] = [];
    const logins: unknown[] = [];
    const proxy = http.createServer();
    proxy.on("connect", (request, socket: net.Socket) => {
      asked.push(request.url!);
      logins.push(request.headers["proxy-authorization"]);
      const on = net.connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        on.pipe(socket).pipe(on);
      });
      for (const each of [on, socket]) each.on("error", () => on.destroy() && socket.destroy());
    });
    const own = await listen(proxy);
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { url: `http://user:p%40ss@127.0.0.1:${own}`, asked, logins };
  }

  /** Lets the requests of the test go by the proxy. */
  async function used(url: string): Promise<void> {
    vi.stubEnv("HTTP_PROXY", url);
    vi.stubEnv("HTTPS_PROXY", url);
    expect(await useProxies()).toBe(true);
    onTestFinished(() => {
      for (const agent of [http.globalAgent, https.globalAgent]) agent.destroy();
    });
  }

  test("of the runtime's client: the proxy alone resolves the name, and hears the login", async () => {
    const server = await scripted("2025-11-25");
    const proxy = await proxyTo(Number(new URL(server.url).port));
    await used(proxy.url);
    const client = await connect("http://mcp.example.invalid/mcp", {
      revisions: clientRevisions,
      onWarning: () => {},
    });
    expect((await client.callTool("x")).content).toEqual([]);
    await client.close();
    expect(new Set(proxy.asked)).toEqual(new Set(["mcp.example.invalid:80"]));
    expect(proxy.logins[0]).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
  });

  test("of downloads and of open requests", async () => {
    const node = http.createServer((_, response) => response.end("{}"));
    const port = await listen(node);
    onTestFinished(() => void node.close());
    const proxy = await proxyTo(port);
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
    const proxy = await proxyTo(await listen(node));
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

  test("fail with the name of the proxy where it refuses or is not there", async () => {
    const refusing = http.createServer();
    refusing.on("connect", (_, socket: net.Socket) => socket.end("HTTP/1.1 407 Login\r\n\r\n"));
    const port = await listen(refusing);
    onTestFinished(() => void refusing.close());
    await used(`http://127.0.0.1:${port}`);
    await expect(openFetch("http://a.invalid/")).rejects.toThrow(`127.0.0.1:${port} answered 407`);
    await used("http://proxy.invalid:1");
    await expect(openFetch("http://a.invalid/")).rejects.toThrow("the proxy proxy.invalid:1 cannot be used");
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
