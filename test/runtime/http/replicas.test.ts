import { type ChildProcess, fork } from "node:child_process";
import { type Server, createServer, request as open } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Party } from "../../support/raw-http-client.js";
import { clientOf } from "../../support/scripted-http-server.js";
import { builtProgram } from "../../support/built-program.js";
import { listen } from "../../support/listen.js";

interface Report {
  readonly port?: number;
  readonly change?: object;
}

const replicas: ChildProcess[] = [];
let proxy: Server;
let url: string;
/** How many requests each replica was given. */
const given = [0, 0];

const program = builtProgram("test/runtime/http/programs/replica.ts");

beforeAll(async () => {
  const ports = await Promise.all([start(program), start(program)]);
  let turn = 0;
  // Strictly in turn: no two requests in a row reach one process.
  proxy = createServer((request, response) => {
    const index = turn++ % 2;
    given[index]!++;
    const { method, headers, url: path } = request;
    const upstream = open({ port: ports[index], host: "127.0.0.1", method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    request.pipe(upstream);
  });
  const port = await listen(proxy);
  url = `http://127.0.0.1:${port}/mcp`;
});

afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
  for (const replica of replicas) replica.disconnect();
});

/** Starts a process, and passes on to all of them what it publishes. Resolves with its port. */
function start(program: string): Promise<number> {
  const replica = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  replicas.push(replica);
  return new Promise((resolve, reject) => {
    replica.on("error", reject);
    replica.on("message", ({ port, change }: Report) => {
      if (port !== undefined) resolve(port);
      if (change) for (const each of replicas) each.send(change);
    });
  });
}

describe("two processes in turn (R20)", () => {
  test.each(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "calls and lists at %s",
    async (revision) => {
      const client = await clientOf(url, { revision });
      const pids = new Set<string>();
      for (let count = 0; count < 4; count++) {
        expect((await client.listTools()).items).toHaveLength(3);
        const { content } = await client.callTool("pid");
        pids.add((content as { text: string }[])[0]!.text);
        await client.ping();
      }
      expect(pids.size).toBe(2);
      expect(Math.abs(given[0]! - given[1]!)).toBeLessThanOrEqual(1);
    },
  );

  // MRTR-12: the retry of a handler that may run again works in another process that shares nothing but the key.
  test("a request in three rounds moves between them", async () => {
    const asked: string[] = [];
    const client = await clientOf(url, {
      revision: "2026-07-28",
      elicit: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: message === "Sure?" ? {} : { name: "Ada" } };
      },
    });
    const { content } = await client.callTool("greet");
    // Rounds one and three ran in one process, round two in the other.
    expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual({ name: "Ada", moved: false });
    expect(asked).toEqual(["Who is it?", "Sure?"]);
  });

  test("subscriptions get the changes of both", async () => {
    const client = await clientOf(url, { revision: "2026-07-28" });
    const changes = await client.subscribe({ uris: ["note://shared"] });
    const heard = changes[Symbol.asyncIterator]();
    const pids = new Set<string>();
    for (let count = 0; count < 4; count++) {
      const { content } = await client.callTool("touch");
      pids.add((content as { text: string }[])[0]!.text);
      expect((await heard.next()).value).toEqual({
        method: "notifications/resources/updated",
        uri: "note://shared",
      });
    }
    expect(pids.size).toBe(2);
    await changes.close();
  });

  test("changed state that one of them sealed is refused", async () => {
    const party = new Party(url, "2026-07-28", {}, { elicitation: { form: {} } });
    const asked = await party.request("tools/call", { name: "greet", arguments: {} });
    const { requestState } = asked.result as { requestState: string };
    const retry = (state: string): Promise<unknown> =>
      party.request("tools/call", {
        name: "greet",
        arguments: {},
        requestState: state,
        inputResponses: { name: { action: "decline" } },
      });
    expect(await retry(requestState)).toHaveProperty("result");
    const changed = requestState.slice(0, -2) + (requestState.endsWith("AA") ? "BB" : "AA");
    expect(await retry(changed)).toHaveProperty("error");
  });
});
