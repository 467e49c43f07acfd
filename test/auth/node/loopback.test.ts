import { createServer, request } from "node:http";
import { connect } from "node:net";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { loopback, stablePort } from "../../../runtime/auth/node/loopback.js";
import { type LoopbackOptions, openBrowser } from "../../../runtime/auth/node.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { until } from "../../support/until.mjs";

const facts = {
  issuer: "https://as.example",
  resource: "https://rs.example/mcp",
  scopes: [],
  state: "the-state",
};
const never = new AbortController().signal;

/** A server whose stable port no program gets that asks the system for any: Linux gives those below 61,000. */
function serverOf(name: string): string {
  const urls = Array.from(
    { length: 1000 },
    (_, each) => `https://${name}-${process.pid}-${each}.example/mcp`,
  );
  return urls.find((url) => stablePort(url) >= 61_000)!;
}

/** A receiver that waits, and the promise of what it gets. */
async function waiting(options: LoopbackOptions = {}) {
  const receiver = await loopback({ port: "any", open: () => undefined, ...options })(
    "https://rs.example/mcp",
    never,
  );
  onTestFinished(() => receiver.close!());
  const answer = receiver.receive("https://as.example/authorize", facts, never);
  answer.catch(() => undefined);
  return { receiver, answer, port: Number(new URL(receiver.uri).port) };
}

/** The status of one request, whatever its Host says. */
const ask = (port: number, path: string, options: { method?: string; host?: string } = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { host: options.host ?? `127.0.0.1:${port}` };
    request({ port, host: "127.0.0.1", path, method: options.method ?? "GET", headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on("error", reject)
      .end();
  });

const good = "/callback?code=c&state=the-state";

describe("attack 15: the loopback listener", () => {
  test.each([
    ["another Host (rebinding)", good, { host: "evil.example" }],
    ["another port in Host", good, { host: "127.0.0.1:1" }],
    ["another path", "/other?code=c&state=the-state", {}],
    ["a longer path", "/callback/x?code=c&state=the-state", {}],
    ["two slashes", "//evil.example/callback?code=c&state=the-state", {}],
    ["an absolute URL", "http://evil.example/callback?code=c&state=the-state", {}],
    ["POST", good, { method: "POST" }],
    ["HEAD", good, { method: "HEAD" }],
    ["no state", "/callback?code=c", {}],
    ["another state", "/callback?code=c&state=x", {}],
    ["two states", "/callback?code=c&state=the-state&state=x", {}],
  ])("answers 400 to %s, and the login goes on", async (_, path, options) => {
    const { receiver, answer, port } = await waiting();
    expect(await ask(port, path, options)).toBe(400);
    expect(await ask(port, good)).toBe(200);
    expect(await answer).toBe(`${receiver.uri}?code=c&state=the-state`);
  });

  test("takes one callback; a second is refused", async () => {
    const { answer, port } = await waiting();
    expect([await ask(port, good), await ask(port, good)]).toEqual([200, 400]);
    await answer;
  });

  test("listens only on 127.0.0.1, and registers the address that it listens on", async () => {
    const { receiver, port } = await waiting();
    expect(receiver.uri).toBe(`http://127.0.0.1:${port}/callback`);
    const socket = connect(port, "127.0.0.2");
    await new Promise((resolve) =>
      socket.on("error", resolve).on("connect", () => resolve("connected")),
    ).then((outcome) => expect(outcome).not.toBe("connected"));
  });

  test("takes another port if another program has the stable one, and says so of a fixed one", async () => {
    const url = serverOf("taken");
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(stablePort(url), "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const receiver = await loopback()(url, never);
    onTestFinished(() => receiver.close!());
    expect(new URL(receiver.uri).port).not.toBe(String(stablePort(url)));
    const fixed = loopback({ port: stablePort(url) })(url, never);
    await expect(fixed).rejects.toMatchObject({ code: "auth-needs-user" });
  });

  test("gives one server the same port each time", async () => {
    const url = serverOf("stable");
    const uris: string[] = [];
    for (let i = 0; i < 2; i++) {
      const receiver = await loopback()(url, never);
      uris.push(receiver.uri);
      await receiver.close!();
    }
    expect(uris[0]).toBe(uris[1]);
  });

  test("ends when the user does not come, and when the request is given up", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(AbortSignal.timeout(20));
    const { answer } = await waiting();
    await expect(answer).rejects.toMatchObject({
      code: "auth-needs-user",
      message: "the user did not log in within 300000 ms",
    });
    expect(timeout).toHaveBeenCalledWith(300_000);
    timeout.mockRestore();
    const controller = new AbortController();
    const receiver = await loopback({ port: "any", open: () => undefined })("https://rs.example", never);
    onTestFinished(() => receiver.close!());
    const given = receiver.receive("https://as.example/", facts, controller.signal);
    controller.abort(new Error("given up"));
    await expect(given).rejects.toThrow("given up");
  });
});

describe("attack 16: the browser", () => {
  const path = process.env["PATH"];
  afterEach(() => void (process.env["PATH"] = path));

  /** A program that records its arguments, in place of the one that opens URLs. */
  function recorder(): () => string {
    const folder = temporaryFolder({});
    const record = join(folder, "opened");
    mkdirSync(join(folder, "bin"));
    for (const name of ["xdg-open", "open"]) {
      const program = join(folder, "bin", name);
      writeFileSync(
        program,
        `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > ${record}.part && mv ${record}.part ${record}\n`,
      );
      chmodSync(program, 0o755);
    }
    process.env["PATH"] = `${join(folder, "bin")}:${path}`;
    return () => {
      try {
        return readFileSync(record, "utf8");
      } catch {
        return "";
      }
    };
  }

  test.each([
    "file:///etc/passwd",
    "ms-msdt:/id PCWDiagnostic",
    'https://as.example/"; calc',
    "https://as.example/\ncalc",
    "https://as.example/`id`",
    "http://as.example/authorize",
    "javascript:alert(1)",
    "--version",
    "https://user:password@as.example/",
    "",
  ])("does not open %j", async (url) => {
    const opened = recorder();
    await expect(openBrowser(url)).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect(opened()).toBe("");
  });

  test.skipIf(process.platform === "win32")("gets a URL as one argument, which no shell reads", async () => {
    const opened = recorder();
    const url = "https://as.example/authorize?a=$(touch%20x)&b=;id&c='%22'|x*";
    // The platform escapes what is not plain.
    await openBrowser("https://as.example/authorize?a=$(id)&b=;id&c=*&d=~");
    await until("the program runs", () => opened() !== "");
    expect(opened()).toBe("1\nhttps://as.example/authorize?a=$(id)&b=;id&c=*&d=~\n");
    await expect(openBrowser(url)).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
  });

  test("that is missing causes no error", async () => {
    process.env["PATH"] = "/nonexistent";
    expect(await openBrowser("https://as.example/")).toBe(false);
  });
});

test.each(["/cb?code=x", "cb", "/cb#x", "//[", "/cb\r\n"])(
  "a path is a path alone: %j is refused",
  (path) => {
    expect(() => loopback({ path })).toThrow(expect.objectContaining({ code: "auth-options" }));
  },
);

test.each([
  [{ port: 65_536 }, "port: expected stable, any, or a port from 0 to 65535."],
  [{ port: "3000" }, "port: expected stable, any, or a port from 0 to 65535."],
  [{ open: "firefox" }, "open: expected a function."],
  [{ timeout: 1000 }, "timeout: the option is gone. Leave it out: the user has 5 minutes."],
  [{ ports: 1 }, "ports: there is no such option. Did you mean port?"],
])("the options %j are refused", (options, message) => {
  expect(() => loopback(options as never)).toThrow(message);
});
