// A proxy over HTTP, and strangers who name 10,000 documents: started with --expose-gc, it sends by how much its heap grew.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { github, oauthProxy } from "@mcpgen/auth/proxy";

const [documents = ""] = process.argv.slice(2);
const issuer = "https://api.example.com";

const proxy = oauthProxy({
  issuer,
  resource: `${issuer}/mcp`,
  upstream: github({ clientId: "proxy", secret: "a secret of the upstream", scopes: ["repo"] }),
  keys: ["a secret of forty characters, for tests!"],
  fetch: (url, init) => fetch(`${documents}/?url=${encodeURIComponent(String(url))}`, init),
  unguarded: true,
});

const server = createServer((request, response) => {
  const url = new URL(request.url!, issuer);
  const route = proxy.routes.find(({ path }) => path === url.pathname)!;
  void Promise.resolve(route.handle(new Request(url))).then(async (answer) => {
    response.writeHead(answer.status).end(await answer.text());
  });
});

async function ask(origin: string, at: number): Promise<number> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: `https://c${at}.example.org/client.json`,
    redirect_uri: "https://app.example.net/callback",
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
  });
  const response = await fetch(`${origin}/authorize?${query.toString()}`);
  await response.arrayBuffer();
  return response.status;
}

async function heap(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc!();
  }
  return process.memoryUsage().heapUsed;
}

async function flood(origin: string, from: number, count: number): Promise<number> {
  let shown = 0;
  let next = from;
  const stranger = async (): Promise<void> => {
    while (next < from + count) if ((await ask(origin, next++)) === 200) shown++;
  };
  await Promise.all(Array.from({ length: 40 }, stranger));
  return shown;
}

server.listen(0, "127.0.0.1", () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  void (async () => {
    // The first requests load and compile code, which does not count as growth.
    await flood(origin, 0, 100);
    const before = await heap();
    const shown = await flood(origin, 100, 10_000);
    process.send!({ shown, grown: (await heap()) - before }, () => process.exit(0));
  })();
});
