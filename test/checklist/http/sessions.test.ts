import { expect } from "vitest";
import { http } from "../../support/http-fixture.js";
import { type Wired, Party, messagesOf, textOf } from "../../support/raw-http-client.js";
import { RawConnection, postText } from "../../support/raw-connection.js";
import { serverRow } from "./rows.js";
import type { WireAnswer } from "../../support/http-wire.js";

const asking = { elicitation: {} };

/** A call that has reported `steps` steps and waits. */
async function gated(party: Party, steps: number, progressToken: string): Promise<WireAnswer> {
  const answer = await party.post(party.call("gated", { steps }, { _meta: { progressToken } }));
  await answer.until((each) => messagesOf(each).length === steps);
  return answer;
}

function steps(answer: WireAnswer): unknown[] {
  return messagesOf(answer).map(({ params, result }) => (result ? "done" : params?.["progress"]));
}

function ids(answer: WireAnswer): string[] {
  return answer.events.flatMap(({ id }) => id ?? []);
}

serverRow("SESS-01", "ids of sessions are unique and cannot be guessed", async (revision, adapter) => {
  const { party, target } = await http(adapter, revision);
  const params = {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  };
  party.session = undefined;
  const initialize = postText(party, party.message("initialize", params));
  const connection = new RawConnection(target.port, "");
  const given: string[] = [];
  // Both adapters create the ids of sessions with the same code. Requests as web objects are slower, so there are
  // fewer.
  const count = adapter === "node" ? 1000 : 100;
  while (given.length < count) {
    connection.heard = "";
    connection.write(initialize.repeat(100));
    await connection.until((heard) => heard.split('"serverInfo"').length > 100);
    given.push(...[...connection.heard.matchAll(/^mcp-session-id: (.*)\r$/gim)].map(([, id]) => id!));
  }
  expect([given.length, new Set(given).size]).toEqual([count, count]);
  // 128 bits, and each of them as often set as not: a counter or a clock would keep most of them.
  const bits = given.map((id) =>
    [...Buffer.from(id, "base64url")].flatMap((byte) => [...Array(8).keys()].map((bit) => (byte >> bit) & 1)),
  );
  expect(bits.every(({ length }) => length === 128)).toBe(true);
  const set = Array.from({ length: 128 }, (_, bit) => bits.filter((each) => each[bit] === 1).length);
  // Ten standard deviations: chance strays no further.
  expect(Math.min(...set)).toBeGreaterThan(count / 2 - 5 * Math.sqrt(count));
  expect(Math.max(...set)).toBeLessThan(count / 2 + 5 * Math.sqrt(count));
});

serverRow("SESS-08", "sessions are kept apart", async (revision, adapter) => {
  const { party, target, gate } = await http(adapter, revision, {}, asking);
  const other = await new Party(target.url, revision, {}, asking).open();
  const call = (each: Party, text: string): Promise<WireAnswer> =>
    each.post(each.message("tools/call", { name: "echo", arguments: { text } }, 1));
  const [a, b] = await Promise.all([call(party, "a"), call(other, "b")]);
  await Promise.all([a.whole(), b.whole()]);
  expect([a, b].map((each) => textOf(messagesOf(each)[0]!))).toEqual(["a", "b"]);
  if (revision < "2025-06-18") return;
  const asked = await party.post(party.call("greet"));
  const elicitation = await asked.until((each) => messagesOf(each)[0]);
  const reply = (name: string): unknown => ({
    jsonrpc: "2.0",
    id: elicitation.id,
    result: { action: "accept", content: { name } },
  });
  expect((await other.post(reply("Mallory"))).status).toBe(202);
  expect((await party.post(reply("Ada"))).status).toBe(202);
  await asked.whole();
  expect(textOf(messagesOf(asked).at(-1)!)).toBe("Hello, Ada");
  gate.open();
});

serverRow("RES-01", "ids of events are unique in a session", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const listening = await party.get();
  const posts = await Promise.all(["a", "b", "c"].map((token) => gated(party, 3, token)));
  await party.tool("change");
  await listening.until((each) => messagesOf(each).length === 1);
  gate.open();
  for (const post of posts) await post.whole();
  const all = [listening, ...posts].flatMap(ids);
  expect(all.length).toBeGreaterThanOrEqual(22);
  expect(new Set(all).size).toBe(all.length);
});

serverRow("RES-02", "missed events are sent again, all once and in order", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const cut = await gated(party, 5, "t");
  const seen = cut.events.filter(({ data }) => data !== "");
  cut.cut();
  gate.open();
  const resumed = await party.get({ "last-event-id": seen[1]!.id! });
  expect(resumed.type).toBe("text/event-stream");
  await resumed.whole();
  expect(steps(resumed)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, "done"]);
  // The stream is resumed again, from a later place, after the end of the call.
  const again = await party.get({ "last-event-id": ids(resumed)[6]! });
  await again.whole();
  expect(steps(again)).toEqual([10, "done"]);
  expect(ids(again)).toEqual(ids(resumed).slice(7));
});

serverRow("RES-03", "messages of another stream are not among them", async (revision, adapter) => {
  const { party, gate } = await http(adapter, revision);
  const listening = await party.get();
  const [first, second] = await Promise.all([gated(party, 2, "one"), gated(party, 2, "two")]);
  for (const each of [first, second, listening]) each.cut();
  await party.tool("change");
  gate.open();
  const resumed = await party.get({ "last-event-id": ids(first!)[0]! });
  await resumed.whole();
  const tokens = messagesOf(resumed).flatMap(({ params }) => (params?.["progressToken"] as string) ?? []);
  expect(new Set(tokens)).toEqual(new Set(["one"]));
  expect(steps(resumed).at(-1)).toBe("done");
});

serverRow("RES-04", "an unknown event resumes nothing", async (revision, adapter) => {
  const { party, target, gate } = await http(adapter, revision);
  const other = await new Party(target.url, revision).open();
  const answer = await gated(party, 2, "t");
  // The other session makes the same calls, so that it has as many streams and events.
  await gated(other, 2, "t");
  const quiet = async (each: Party, last: string): Promise<void> => {
    const resumed = await each.get({ "last-event-id": last });
    expect([last, resumed.status]).toEqual([last, 400]);
    expect((JSON.parse(await resumed.whole()) as Wired).error!.code).toBe(-32600);
  };
  for (const last of ["nothing", "0-999", "-1", "__proto__", "é"]) await quiet(party, last);
  for (const id of ids(answer)) await quiet(other, id);
  gate.open();
  expect((await party.request("ping")).result).toEqual({});
});

serverRow(
  "RES-05",
  "an event without data comes first, and the time to wait before the end",
  async (revision, adapter) => {
    const { party, gate, began } = await http(adapter, revision);
    const stepped = await party.post(party.call("steps", { count: 1 }, { _meta: { progressToken: 1 } }));
    const whole = await party.post(party.message("tools/list"), { accept: "text/event-stream" });
    const listening = await party.get();
    await listening.until(({ events }) => events.length > 0);
    for (const answer of [stepped, whole, listening])
      expect(await answer.until(({ events }) => events[0])).toEqual({
        id: expect.any(String) as string,
        retry: "1000",
        data: "",
      });
    const polled = await party.post(party.call("poll"));
    await began.opened;
    await polled.whole();
    expect(polled.complete).toBe(true);
    expect(polled.events.map(({ retry }) => retry)).toEqual(["1000", "700"]);
    gate.open();
    const rest = await party.get({ "last-event-id": ids(polled)[0]! });
    await rest.whole();
    expect(textOf(messagesOf(rest).at(-1)!)).toBe("polled");
  },
);
