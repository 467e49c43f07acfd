// One principal uses as much as it can of a limit that all share. The server still answers another principal.
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { type Socket, connect } from "node:net";
import type { HttpOptions, ServeHttpOptions } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { inside } from "../../../support/http-fixture.js";
import { Party, textOf } from "../../../support/raw-http-client.js";

const authenticate: NonNullable<HttpOptions["authenticate"]> = ({ header }) => {
  const name = header("authorization") ?? "";
  return name === "" ? {} : { auth: name, principal: name };
};

async function served(
  adapter: Adapter,
  options: ServeHttpOptions,
  named: ServeHttpOptions = { authenticate },
) {
  const found = inside();
  const target = await serve(adapter, found.server, { keepAliveMs: 0, ...named, ...options });
  const party = (name: string, revision = "2026-07-28"): Promise<Party> =>
    new Party(target.url, revision, { authorization: name }).open();
  const echo = async (name: string, text = "x"): Promise<number> => {
    const client = await party(name);
    return (await client.post(client.call("echo", { text }))).status;
  };
  return { ...found, ...target, party, echo };
}

/** Starts `count` requests. Returns a list that gets the status of each response; some requests get none. */
function statuses(count: number, start: () => Promise<number>): number[] {
  const found: number[] = [];
  for (let each = 0; each < count; each++)
    void start().then(
      (status) => found.push(status),
      () => undefined,
    );
  return found;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A POST whose body never ends. */
async function unfinished(party: Party, sent: number): Promise<number> {
  const message = party.call("echo", { text: "x".repeat(2 * sent) });
  const headers = { ...party.headersOf(message), "content-length": `${JSON.stringify(message).length}` };
  const posted: ClientRequest = request(party.url, { method: "POST", headers, agent: false });
  posted.on("error", () => undefined);
  onTestFinished(() => void posted.destroy());
  posted.write(JSON.stringify(message).slice(0, sent));
  const [{ statusCode }] = (await once(posted, "response")) as [IncomingMessage];
  return statusCode!;
}

describe.each(adapters)("%s: a principal at its share of a limit leaves room for another one", (adapter) => {
  test.each(["2025-11-25", "2026-07-28"])("limits.work: requests (%s)", async (revision) => {
    const { party, echo, gate } = await served(adapter, { limits: { work: 8 } });
    const fill = async (name: string) => {
      const client = await party(name, revision);
      return statuses(8, async () => (await client.post(client.call("gated"))).status);
    };
    const ada = await fill("ada");
    while (ada.length < 4) await turn();
    expect([ada, await echo("ada"), await echo("ben"), await echo("")]).toEqual([
      Array(4).fill(503),
      503,
      200,
      200,
    ]);
    // Two principals leave room for a third.
    const ben = await fill("ben");
    while (ben.length < 6) await turn();
    expect([await echo("ben"), await echo("cleo")]).toEqual([503, 200]);
    gate.open();
    while (ada.length + ben.length < 16) await turn();
    expect([ada.toSorted().at(3), ben.toSorted().at(1), await echo("ada")]).toEqual([200, 200, 200]);
  });

  test("limits.work: bodies that are being read", async () => {
    const { party, echo } = await served(adapter, { limits: { work: 8 } });
    const ada = await party("ada");
    const found = statuses(8, () => unfinished(ada, 10));
    while (found.length < 4) await turn();
    expect([found, await echo("ada"), await echo("ben")]).toEqual([Array(4).fill(503), 503, 200]);
  });

  test("limits.memory: bytes of bodies", async () => {
    const { party, echo } = await served(adapter, { limits: { memory: 400_000 } });
    const ada = await party("ada");
    const found = statuses(8, () => unfinished(ada, 20_000));
    while (found.length < 6) await turn();
    const text = "x".repeat(20_000);
    expect([new Set(found), await echo("ada", text), await echo("ben", text)]).toEqual([
      new Set([503]),
      503,
      200,
    ]);
  });

  test("limits.sessions: streams that listen", async () => {
    const { party } = await served(adapter, { limits: { sessions: 8 } });
    const listen = async (client: Party): Promise<number> => {
      const message = client.message("subscriptions/listen", { notifications: { toolsListChanged: true } });
      const { status } = await (client.isModern ? client.post(message) : client.get());
      return status;
    };
    const [modern, legacy] = [await party("ada"), await party("ada", "2025-11-25")];
    const found = [];
    for (let count = 0; count < 3; count++) found.push(await listen(modern), await listen(legacy));
    expect(found).toEqual([200, 200, 200, 200, 503, 503]);
    for (const revision of ["2025-11-25", "2026-07-28"])
      expect(await listen(await party("ben", revision))).toBe(200);
    expect(await listen(modern)).toBe(503);
  });

  test("without authenticate one client may use the whole limit", async () => {
    const { party, echo, gate } = await served(adapter, { limits: { work: 8 } }, {});
    const ada = await party("ada");
    const found = statuses(8, async () => (await ada.post(ada.call("gated"))).status);
    while ((await echo("ben")) !== 503) await turn();
    expect(found).toEqual([]);
    gate.open();
    while (found.length < 8) await turn();
    expect(found).toEqual(Array(8).fill(200));
  });
});

test("a batch or a body that can never fit is refused with 400 or 413, not with 503", async () => {
  const { party } = await served("node", { limits: { work: 6, memory: 80_000 } });
  const ada = await party("ada", "2025-03-26");
  const ping = () => ada.message("ping");
  const batches = [Array.from({ length: 3 }, ping), Array.from({ length: 4 }, ping)];
  const found = [];
  for (const batch of batches) found.push((await ada.post(batch)).status);
  for (const size of [9000, 11_000])
    found.push((await ada.post(ada.call("echo", { text: "x".repeat(size) }))).status);
  expect(found).toEqual([200, 400, 200, 413]);
});

const mib = 1_048_576;

test("limits.memory: the server closes connections of the principal that does not read, not those of another", async () => {
  const found = await served("node", { limits: { memory: 48 * mib } });
  found.server.tool<{ size: number }>("long", {}, ({ size }) => "x".repeat(size));
  const cut: string[] = [];
  const unread = async (name: string, size: number): Promise<Socket> => {
    const party = await found.party(name);
    const message = party.call("long", { size });
    const body = JSON.stringify(message);
    const headers = { host: "localhost", ...party.headersOf(message), "content-length": `${body.length}` };
    const lines = Object.entries(headers).map((each) => each.join(": "));
    const connection = once(found.node, "connection") as Promise<[Socket]>;
    const socket = connect(found.port, "127.0.0.1").pause();
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    const [peer] = await connection;
    peer.on("close", () => cut.push(name));
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
    while (peer.writableLength === 0) await turn();
    return socket;
  };
  // This connection has taken nothing for the longest time.
  const reader = await unread("ben", 12 * mib);
  for (let count = 0; count < 3; count++) await unread("ada", 16 * mib);
  while (cut.length < 2) await turn();
  expect(cut).toEqual(["ada", "ada"]);
  let length = 0;
  for await (const chunk of reader.resume()) if ((length += (chunk as Buffer).length) > 12 * mib) break;
  expect(cut).toEqual(["ada", "ada"]);
  expect(
    textOf(
      (await (await found.party("ben")).request("tools/call", { name: "echo", arguments: { text: "b" } }))!,
    ),
  ).toBe("b");
});
