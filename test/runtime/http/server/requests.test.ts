import { createServer as createNodeServer } from "node:http";
import { connect as openSocket } from "node:net";
import { type HttpOptions, createNodeHandler } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { adapters, serve } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { Party, messagesOf, textOf } from "../../../support/raw-http-client.js";
import { send } from "../../../support/http-wire.js";
import { listen } from "../../../support/listen.js";

const modern = "2026-07-28";

/** Writes the lines of a head and a body to a server; resolves with the whole response. */
function written(port: number, lines: readonly string[], body = ""): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = openSocket(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`));
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}

/** Lines of a valid request with its body, with this first line and these additional lines. */
function listing(first: string, ...lines: string[]): [string[], string] {
  const party = new Party("", modern);
  const message = party.message("tools/list");
  const body = JSON.stringify(message);
  const own = Object.entries(party.headersOf(message)).map(([name, value]) => `${name}: ${value}`);
  return [[first, ...lines, ...own, "Connection: close", `Content-Length: ${body.length}`], body];
}

const status = (answer: string): number => Number(answer.split(" ")[1]);

/** A handler that is mounted by hand, and its port. */
async function mounted(options: HttpOptions = {}): Promise<number> {
  const handle = createNodeHandler(inside().server, options);
  const node = createNodeServer(handle);
  const port = await listen(node);
  onTestFinished(async () => {
    await handle.close();
    node.closeAllConnections();
    node.close();
  });
  return port;
}

describe("the host of a request (RFC 9112, 3.2)", () => {
  const post = "POST /mcp HTTP/1.1";
  const table: [first: string, hosts: string[], status: number, options?: HttpOptions][] = [
    [post, ["Host: localhost"], 200],
    [post, ["Host: localhost", "Host: evil.example"], 400],
    [post, ["Host: evil.example", "hOST: localhost"], 400],
    [post, ["Host: localhost", "Host: localhost"], 400],
    [post, ["Host: localhost, evil.example"], 400],
    [post, ["Host: localhost", "Host: evil.example"], 400, { allowedHosts: "dangerously-any" }],
    [post, ["Host: localhost", "Origin: https://evil.example", "Host: localhost"], 400],
    ["POST http://localhost/mcp HTTP/1.1", ["Host: localhost"], 200],
    ["POST http://127.0.0.1:80/mcp?x=http://evil.example HTTP/1.1", ["Host: evil.example"], 200],
    ["POST http://evil.example/mcp HTTP/1.1", ["Host: localhost"], 403],
    ["POST HTTPS://localhost@evil.example/mcp HTTP/1.1", ["Host: localhost"], 403],
    ["POST http://api.example/mcp HTTP/1.1", ["Host: localhost"], 200, { allowedHosts: ["api.example"] }],
  ];

  test.each(table)("%s, %j: %s", async (first, hosts, expected, options) => {
    const answer = await written(await mounted(options), ...listing(first, ...hosts));
    expect(status(answer)).toBe(expected);
    if (expected !== 200) expect(answer).not.toMatch(/access-control/i);
    // A standalone server serves no other path.
    const { port } = await serve("node", inside().server, options);
    expect(status(await written(port, ...listing(first, ...hosts)))).toBe(expected);
  });

  test("a standalone server finds its path in a whole URL", async () => {
    const { port } = await serve("node", inside().server);
    for (const [target, expected] of [
      ["http://localhost/mcp?x=1", 200],
      ["http://localhost/other", 404],
      ["http://localhost", 404],
      ["*", 404],
    ] as const)
      expect(status(await written(port, ...listing(`POST ${target} HTTP/1.1`, "Host: localhost")))).toBe(
        expected,
      );
  });
});

describe("a client that waits with its body (RFC 9110, 10.1.1)", () => {
  const waiting = (length: number, ...lines: string[]): string[] => {
    const own = ["Host: localhost", "Expect: 100-continue", `Content-Length: ${length}`];
    return ["POST /mcp HTTP/1.1", ...own, "Content-Type: application/json", ...lines];
  };

  test.each([
    ["Origin: https://evil.example", 403, {}],
    ["Accept: text/html", 406, {}],
    ["Authorization: none", 401, { authenticate: () => ({ status: 401 }) }],
    ["X-Long: yes", 413, { bodyLimit: 99 }],
  ] as const)("with %s: answered with %s at once, and closed", async (line, expected, options) => {
    const { port } = await serve("node", inside().server, options);
    // Resolves when the server ends the connection.
    const answer = await written(port, waiting(100, line));
    expect(status(answer)).toBe(expected);
    expect(answer).toMatch(/connection: close/i);
  });

  test("a request that is not served is answered at once", async () => {
    const { port } = await serve("node", inside().server);
    const [, ...lines] = waiting(100);
    expect(status(await written(port, ["POST /other HTTP/1.1", ...lines]))).toBe(404);
  });

  test("is asked for the body once and answered, and the connection is kept", async () => {
    const { port } = await serve("node", inside().server);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "no/such" });
    const seen = await new Promise<string[]>((resolve) => {
      const lines: string[] = [];
      const head = `${waiting(body.length).join("\r\n")}\r\n\r\n`;
      const socket = openSocket(port, "127.0.0.1", () => socket.write(head));
      socket.on("data", (chunk) => {
        for (const [line] of String(chunk).matchAll(/^HTTP.*$/gm)) {
          lines.push(line.trim());
          if (line.includes(" 100 ")) socket.write(body);
          else if (lines.length < 4) socket.write(head);
          else socket.destroy();
        }
      });
      socket.on("close", () => resolve(lines));
    });
    const pair = ["HTTP/1.1 100 Continue", "HTTP/1.1 400 Bad Request"];
    expect(seen).toEqual([...pair, ...pair]);
  });
});

describe.each(adapters)("%s", (adapter) => {
  describe("bytes of bodies", () => {
    const utf8 = [..."aü€𝄞\ufffd\ufeff"].join("");
    const broken: [string, string][] = [
      ["FF", "ff"],
      ["a lone continuation", "80"],
      ["an overlong slash", "c0af"],
      ["a surrogate", "eda080"],
      ["beyond the last", "f4908080"],
      ["half of a character", "f09f98"],
      ["a character of Latin-1", "fc"],
      ["a broken byte after U+FFFD", `${Buffer.from("\ufffd").toString("hex")}ff`],
    ];
    const called = async (text: Buffer) => {
      const { party } = await http(adapter, modern);
      const message = party.call("echo", { text: "@" });
      const [before, after] = JSON.stringify(message).split("@") as [string, string];
      const body = Buffer.concat([Buffer.from(before), text, Buffer.from(after)]);
      const answer = await party.postText(body, party.headersOf(message));
      await answer.whole();
      return { status: answer.status, message: messagesOf(answer)[0]! };
    };

    test("every UTF-8 character is received, including the replacement character", async () => {
      const { message } = await called(Buffer.from(utf8));
      expect(textOf(message)).toBe(utf8);
    });

    test.each(broken)("%s is refused", async (_, hex) => {
      const found = await called(Buffer.from(hex, "hex"));
      expect(found).toMatchObject({ status: 400, message: { error: { code: -32700 } } });
      expect(found.message.error!.message).toContain("UTF-8");
    });

    test("a body that ends within a character is refused", async () => {
      const { party } = await http(adapter, modern);
      const whole = Buffer.from(`${JSON.stringify(party.message("tools/list"))}€`);
      const answer = await party.postText(whole.subarray(0, -1), party.headersOf({}));
      expect(await answer.whole()).toContain("UTF-8");
    });

    test.each([
      ["application/json; charset=utf-16", 415],
      ['application/json;charset="ISO-8859-1"', 415],
      ['application/json;charset="UTF-8"', 200],
    ])("content type %s: %s", async (type, expected) => {
      const { party } = await http(adapter, modern);
      expect((await party.post(party.message("tools/list"), { "content-type": type })).status).toBe(expected);
    });
  });

  describe("methods without a session", () => {
    const version = { "mcp-protocol-version": "2025-11-25" };
    const newest = { "mcp-protocol-version": modern };
    const session = { "mcp-session-id": "none" };

    /** 2025-11-25 requires 405 if GET opens no stream, 400 if the session is missing, and 404 if it has ended. */
    test.each([
      ["GET", {}, 405, "POST, DELETE"],
      ["GET", version, 405, "POST, DELETE"],
      ["DELETE", {}, 400, undefined],
      ["DELETE", version, 400, undefined],
      ["PUT", version, 405, "POST, GET, DELETE"],
      ["GET", session, 404, undefined],
      ["DELETE", session, 404, undefined],
      // 2026-07-28 has POST alone.
      ["GET", newest, 405, "POST"],
      ["DELETE", newest, 405, "POST"],
      ["DELETE", { ...newest, ...session }, 405, "POST"],
      ["PUT", newest, 405, "POST"],
    ] as const)("%s with %j: %s", async (method, headers, expected, allow) => {
      const { url } = await serve(adapter, inside().server);
      const answer = await send(url, method, { accept: "text/event-stream", ...headers });
      expect([answer.status, answer.headers.allow]).toEqual([expected, allow]);
    });

    test.each(["GET", "DELETE"])("%s gets 405 without sessions", async (method) => {
      const { url } = await serve(adapter, inside().server, { sessions: false });
      const answer = await send(url, method, { accept: "text/event-stream", ...version });
      expect([answer.status, answer.headers.allow]).toEqual([405, "POST"]);
    });
  });

  test.each([
    undefined,
    null,
    "ada",
    { auth: 1 },
    { auth: 1, principal: "" },
    { principal: 5 },
    { status: 999 },
    { status: 100 },
    { status: "401" },
    { status: undefined },
  ])("the result %j of authenticate leads to 500 and a warning", async (given) => {
    const { server, warnings } = inside();
    const { url } = await serve(adapter, server, { authenticate: () => given as never });
    const party = new Party(url, modern);
    const answer = await party.post(party.message("tools/list"));
    expect(answer.status).toBe(500);
    expect(warnings).toEqual([expect.stringContaining("authenticate gave neither auth with a principal")]);
  });

  test("an error at each request is a warning once, and then counted", async () => {
    const { server, warnings } = inside();
    let requests = 0;
    const { url } = await serve(adapter, server, {
      authenticate: () => {
        if (requests++ % 2) throw new Error("no database");
        return "ada" as never;
      },
    });
    for (let count = 0; count < 40; count++)
      expect((await send(url, "POST", { "content-type": "application/json" }, "{}")).status).toBe(500);
    const wrong = "HTTP: authenticate gave neither auth with a principal nor a status from 200 to 599";
    const thrown = "HTTP: no database";
    expect(warnings).toEqual([wrong, thrown, `${wrong} (10 times)`, `${thrown} (10 times)`]);
  });

  test.each([{}, { principal: "ada" }, { auth: null, principal: "ada" }, { auth: undefined }])(
    "the result %j of authenticate admits the client",
    async (given) => {
      const { url } = await serve(adapter, inside().server, { authenticate: () => given as never });
      const party = new Party(url, modern);
      expect((await party.post(party.message("tools/list"))).status).toBe(200);
    },
  );
});
