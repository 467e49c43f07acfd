import http from "node:http";
import { Socket, createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Fetch, judgedFetch, pinnedFetch } from "../../../runtime/auth/shared/pinned-fetch.js";
import { listen, loopback } from "../../support/listen.js";
import { hang } from "../../support/until.mjs";

/** A port of this machine, and how many connections it got. */
async function target(): Promise<{ readonly port: number; connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  return { port: await listen(server), connections: () => count };
}

/** The addresses that sockets would connect to from now on; they do not. */
function connectionAttempts(): string[] {
  const found: string[] = [];
  const { connect } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...given) {
    this.once("lookup", (error, address) => {
      if (error) return;
      found.push(address);
      this.destroy();
    });
    return connect.apply(this, given as never);
  });
  onTestFinished(() => spy.mockRestore());
  return found;
}

type Address = { readonly address: string; readonly family: number };

/** Resolves each name to the next list of addresses, and counts the lookups. */
function resolver(...answers: readonly (readonly Address[])[]): { lookup: never; count: () => number } {
  let count = 0;
  const lookup = (
    _: string,
    __: unknown,
    callback: (error: null, addresses: readonly Address[]) => void,
  ): void => callback(null, answers[Math.min(count++, answers.length - 1)]!);
  return { lookup: lookup as never, count: () => count };
}

const v4 = (address: string): Address => ({ address, family: 4 });
const v6 = (address: string): Address => ({ address, family: 6 });

describe("attack 12: addresses of private networks", () => {
  test.each([
    "127.0.0.1",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "[::]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.0.1",
    "192.168.1.1",
    "localhost",
  ])("https://%s gets no connection", async (host) => {
    const { port, connections } = await target();
    const sent = pinnedFetch(true)(`https://${host}:${port}/`, { signal: AbortSignal.timeout(hang) });
    await expect(sent).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect(connections()).toBe(0);
  });

  test("a name of this machine with a full stop gets no connection", async () => {
    const { port, connections } = await target();
    const sent = pinnedFetch(true)(`https://localhost.:${port}/`, { signal: AbortSignal.timeout(hang) });
    await expect(sent).rejects.toThrow();
    expect(connections()).toBe(0);
  });

  test.each([
    ["one private", [v4("127.0.0.1")]],
    ["one private beside a public one", [v4("93.184.216.34"), v4("127.0.0.1")]],
    ["IPv6 that embeds a private one", [v6("::ffff:127.0.0.1")]],
    ["none", []],
  ])("a name that resolves to %s gets no connection", async (_, addresses) => {
    const { port, connections } = await target();
    const { lookup, count } = resolver(addresses);
    const sent = pinnedFetch(true, lookup)(`https://as.example:${port}/`, {
      signal: AbortSignal.timeout(hang),
    });
    await expect(sent).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect([connections(), count()]).toEqual([0, 1]);
  });

  test("a name is resolved once: later changes of its address have no effect (DNS rebinding)", async () => {
    const { port, connections } = await target();
    const { lookup, count } = resolver([v4("93.184.216.34")], [v4("127.0.0.1")]);
    const connected = connectionAttempts();
    const sent = pinnedFetch(true, lookup)(`https://rebind.example:${port}/`, {
      signal: AbortSignal.timeout(hang),
    });
    await expect(sent).rejects.toThrow();
    expect([connections(), count(), connected]).toEqual([0, 1, ["93.184.216.34"]]);
  });

  test.each([
    ...["0.1.2.3", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
    ...["224.0.0.1", "240.0.0.1", "255.255.255.255", "2001::1", "2001:20::1", "2001:db8::1", "3fff::1"],
    ...["100::1", "5f00::1", "4000::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822", "fe80::1%lo", "x"],
  ])("a name that resolves to %s, which is not on the internet, gets no connection", async (address) => {
    const { lookup } = resolver([{ address, family: address.includes(":") ? 6 : 4 }]);
    const connected = connectionAttempts();
    const sent = pinnedFetch(true, lookup)("https://as.example/", { signal: AbortSignal.timeout(hang) });
    await expect(sent).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect(connected).toEqual([]);
  });

  test.each(["93.184.216.34", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])(
    "a name that resolves to %s, which is on the internet, gets a connection to it",
    async (address) => {
      const { lookup } = resolver([{ address, family: address.includes(":") ? 6 : 4 }]);
      const connected = connectionAttempts();
      const sent = pinnedFetch(true, lookup)("https://as.example/", { signal: AbortSignal.timeout(hang) });
      await expect(sent).rejects.not.toMatchObject({ code: "auth-metadata-unsafe" });
      expect(connected).toEqual([address]);
    },
  );

  test.each([
    "https://127.0.0.1:PORT/c.json",
    "https://0x7f.1:PORT/c.json",
    "https://2130706433:PORT/c.json",
    "https://[::1]:PORT/c.json",
    "https://[::ffff:7f00:1]:PORT/c.json",
    "https://[64:ff9b::7f00:1]:PORT/c.json",
    "https://[2002:7f00:1::]:PORT/c.json",
    "https://localhost:PORT/c.json",
    "https://localhost.:PORT/c.json",
    "https://a.localhost:PORT/c.json",
    "https://metadata.google.internal:PORT/c.json",
    "https://169.254.169.254/c.json",
    "https://10.1.2.3:PORT/c.json",
    "https://100.64.0.1/c.json",
    "https://intranet:PORT/c.json",
    "https://rebind.example:PORT/c.json",
    "https://mixed.example:PORT/c.json",
    "https://user@public.example:PORT/c.json",
    "http://public.example:PORT/c.json",
  ])("a document that a client of the proxy names at %s gets no connection", async (url) => {
    const { port, connections } = await target();
    const addresses: Record<string, Address[]> = {
      "mixed.example": [v4("93.184.216.34"), v4("::1")],
    };
    const lookup = (name: string, _: unknown, callback: (error: null, found: Address[]) => void): void =>
      callback(null, addresses[name] ?? [v4("127.0.0.1")]);
    const asked = pinnedFetch(false, lookup as never)(url.replace("PORT", String(port)), {});
    await expect(asked).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect(connections()).toBe(0);
  });
});

test("a platform that cannot resolve names only accepts public names", async () => {
  const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
  onTestFinished(() => fetch.mockRestore());
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  onTestFinished(() => void vi.unstubAllGlobals());
  const send = pinnedFetch(true);
  for (const host of ["93.184.216.34", "[2606::1]", "localhost", "localhost.", "intranet.", "a.internal"])
    await expect(send(`https://${host}/`, {})).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
  await expect(send("http://as.example/", {})).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
  expect(fetch).not.toHaveBeenCalled();
  expect(await (await send("https://as.example/", {})).text()).toBe("ok");
});

test.each([999, 600])("an invalid status (%i) fails only its request", async (status) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);
  });
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${await listen(server)}/`;
  await expect(pinnedFetch(true)(url, {})).rejects.toThrow("status");
  await expect(pinnedFetch(false)(url, {})).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
});

describe("a fetch of the application", () => {
  const asked = async (
    url: string,
    lookup?: never,
  ): Promise<{ sent: string[]; code: string | undefined }> => {
    const sent: string[] = [];
    const send = async (to: string): Promise<Response> => {
      sent.push(to);
      return new Response("{}");
    };
    const code = await judgedFetch(
      send,
      true,
      lookup,
    )(url, {}).then(
      () => undefined,
      (error: unknown) => (error as { readonly code?: string }).code,
    );
    return { sent, code };
  };

  test("gets the URL of a host whose addresses are all public, and of this machine by http", async () => {
    const { lookup, count } = resolver([v4("93.184.216.34"), v6("2606:2800::1")]);
    expect(await asked("https://as.example/x", lookup)).toEqual({
      sent: ["https://as.example/x"],
      code: undefined,
    });
    expect(count()).toBe(1);
    expect((await asked("http://127.0.0.1:1/x")).sent).toHaveLength(1);
  });

  test.each([
    ["one address is private", [v4("93.184.216.34"), v4("10.0.0.1")]],
    ["an address of IPv6 is private", [v6("fd00::1")]],
    ["there is no address", []],
  ])("does not get it if %s", async (_, addresses) => {
    const { lookup } = resolver(addresses);
    expect(await asked("https://as.example/x", lookup)).toEqual({ sent: [], code: "auth-metadata-unsafe" });
  });

  test("does not get it after the time of the request, however long the lookup takes", async () => {
    const sent: string[] = [];
    const never = judgedFetch(async (to) => new Response(String(sent.push(to))), false, (() => {}) as never);
    const controller = new AbortController();
    const asking = never("https://as.example/x", { signal: controller.signal });
    controller.abort(new Error("too late"));
    await expect(asking).rejects.toThrow("too late");
    expect(sent).toEqual([]);
  });
});

describe("a fetch that leaves names to a proxy", () => {
  /** @param leaves whether it leaves the name of a URL to its proxy */
  function proxied(leaves: boolean): { readonly send: Fetch; readonly sent: string[] } {
    const sent: string[] = [];
    const send = async (to: string): Promise<Response> => {
      sent.push(to);
      return new Response("{}");
    };
    return { send: Object.assign(send, { resolvesNames: () => leaves }), sent };
  }

  test("gets the URLs of these names, which are not resolved here", async () => {
    const { send, sent } = proxied(true);
    const { lookup, count } = resolver([v4("10.0.0.1")]);
    await judgedFetch(send, false, lookup)("https://as.example/x", {});
    expect([sent, count()]).toEqual([["https://as.example/x"], 0]);
    for (const host of ["intranet", "10.0.0.1", "a.internal", "localhost"])
      await expect(judgedFetch(send, false, lookup)(`https://${host}/x`, {})).rejects.toMatchObject({
        code: "auth-metadata-unsafe",
      });
    expect(sent).toHaveLength(1);
  });

  test("does not get other URLs: they go to the checked addresses, and not to later ones", async () => {
    const { send, sent } = proxied(false);
    const refused = judgedFetch(send, false, resolver([v4("10.0.0.1")]).lookup)("https://as.example/", {});
    await expect(refused).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    const connected = connectionAttempts();
    const { lookup, count } = resolver([v4("93.184.216.34")], [v4("127.0.0.1")]);
    const init = { signal: AbortSignal.timeout(hang) };
    await expect(judgedFetch(send, false, lookup)("https://rebind.example/", init)).rejects.toThrow();
    expect([sent, count(), connected]).toEqual([[], 1, ["93.184.216.34"]]);
  });

  test("gets the URLs of this machine", async () => {
    const { send, sent } = proxied(false);
    await judgedFetch(send, true)("http://127.0.0.1:1/x", {});
    expect(sent).toEqual(["http://127.0.0.1:1/x"]);
  });
});

test("the agent of the program is not used: it may lead to a proxy, or be of any class", async () => {
  const origin = await loopback((_, response) => response.end("ok"));
  const before = http.globalAgent;
  class Other extends http.Agent {
    constructor(proxy: string) {
      super({ keepAlive: new URL(proxy).port !== "" });
    }
    override createConnection(): never {
      throw new Error("by the agent of the program");
    }
  }
  http.globalAgent = new Other("http://proxy.example:1");
  onTestFinished(() => void (http.globalAgent = before));
  expect(await (await pinnedFetch(true)(origin, {})).text()).toBe("ok");
});

test("a body is sent as a text or a form, and cut when its reader has enough", async () => {
  const closed: Promise<void>[] = [];
  const origin = await loopback(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
    closed.push(new Promise((resolve) => response.on("close", resolve)));
    response.writeHead(request.url === "/none" ? 204 : 200);
    if (request.url === "/long") return void response.write("x".repeat(300_000));
    response.end(request.url === "/none" ? undefined : `${request.method} ${text}`);
  });
  const send = pinnedFetch(true);
  const post = { method: "POST", signal: AbortSignal.timeout(hang) };
  expect(await (await send(origin, { ...post, body: "a=1" })).text()).toBe("POST a=1");
  const form = new URLSearchParams({ a: "1 2" });
  expect(await (await send(origin, { ...post, body: form })).text()).toBe("POST a=1+2");
  expect((await send(`${origin}/none`, post)).status).toBe(204);
  const reader = (await send(`${origin}/long`, post)).body!.getReader();
  expect((await reader.read()).value!.length).toBeGreaterThan(0);
  await reader.cancel();
  await Promise.all(closed);
});
