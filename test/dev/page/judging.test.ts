import { expect, test } from "vitest";
import type { Channel, Receiver } from "../../../generator/capture/runtime.js";
import { EventReader } from "../../../generator/capture/tap.js";
import { type JudgeMessage, WireLog } from "../../../generator/dev/page/wire-log.js";
import { ValueJudge } from "../../../generator/dev/page/page-session.js";
import type { WireEvent } from "../../../generator/page/browser/dev/messages.js";

test("issues are reported at the innermost place, as texts", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      day: { type: "string", format: "date" },
      place: { $ref: "#/$defs/place" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["name", "place"],
    additionalProperties: false,
    $defs: { place: { type: "object", properties: { zip: { type: "integer" } }, required: ["zip"] } },
  };
  const judge = new ValueJudge();
  expect(judge.issues(schema, { name: "ab", place: { zip: 1 } })).toEqual([]);
  expect(judge.issues(schema, { day: "soon", place: { zip: "1" }, tags: ["a", 2], more: 1 })).toEqual([
    { pointer: "/name", message: "expected string, got nothing" },
    { pointer: "/day", message: 'expected a string of the format "date", got "soon" (string)' },
    { pointer: "/place/zip", message: 'expected integer, got "1" (string)' },
    { pointer: "/tags/1", message: "expected string, got 2 (number)" },
    { pointer: "/more", message: "expected no such key, got 1 (number)" },
  ]);
});

test("an issue without a place is reported for the whole value, and an unreadable schema is reported", () => {
  const judge = new ValueJudge();
  const oneOf = [{ required: ["a"] }, { required: ["b"] }];
  expect(judge.issues({ type: "object", oneOf }, {})).toHaveLength(1);
  const [issue] = judge.issues({ $ref: "#/nowhere" }, {});
  expect(issue!.message).toContain("the schema cannot be read");
  expect(
    judge.issues(
      { items: { type: "string" } },
      Array.from({ length: 500 }, () => 1),
    ),
  ).toHaveLength(50);
});

test("messages of an HTTP answer: JSON, and events cut anywhere", () => {
  const stream =
    'event: message\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: comment\r\n\r\nevent: other\ndata: x\n\nid: 1\ndata:{"b":2}\n\n';
  for (let cut = 1; cut < stream.length; cut += 1) {
    const read: string[] = [];
    const reader = new EventReader(true, (text) => read.push(text));
    for (const part of [stream.slice(0, cut), stream.slice(cut)]) reader.read(part);
    reader.end();
    expect(read).toEqual(['{"a":\n1}', '{"b":2}']);
  }
  const read: string[] = [];
  const reader = new EventReader(false, (text) => read.push(text));
  for (const part of ['{"a"', ":1}"]) reader.read(part);
  reader.end();
  expect(read).toEqual(['{"a":1}']);
});

/** A log whose validators report the revision by which they judged. */
function logged(): { log: WireLog; events: WireEvent[]; ended: unknown[] } {
  const events: WireEvent[] = [];
  const ended: unknown[] = [];
  const judge: JudgeMessage = () => [{ kind: "request", issues: [] }];
  const log = new WireLog({
    send: (event) => void events.push(event),
    heard: () => {},
    judgeOf: (revision) => (["old", "new"].includes(revision) ? judge : undefined),
    began: () => {},
    ended: (reason) => void ended.push(reason),
  });
  log.forget();
  return { log, events, ended };
}

const probe = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: { _meta: { "io.modelcontextprotocol/protocolVersion": "new" } },
};

test("a message is checked by the revision that it names, an answer by the revision of its request", () => {
  const { log, events } = logged();
  log.add("client", JSON.stringify(probe));
  log.add("server", '{"jsonrpc":"2.0","id":1,"error":{}}');
  log.add("client", '{"jsonrpc":"2.0","id":2,"method":"initialize"}');
  expect(events.every(({ verdicts }) => verdicts === undefined)).toBe(true);
  log.negotiated("old");
  log.add("server", "no JSON");
  const judged = events
    .filter(({ verdicts }) => verdicts)
    .map(({ number, verdicts }) => [number, verdicts![0]!.revision]);
  expect(judged).toEqual([
    [1, "new"],
    [2, "new"],
    [3, "old"],
    [4, "old"],
  ]);
  expect(events.at(-1)!.verdicts![0]!.issues).toHaveLength(1);
  expect(log.recording!.map(({ from }) => from)).toEqual(["client", "server", "client", "server"]);
  log.forget();
  expect(log.recording).toEqual([]);
});

test("a channel is logged both ways; its end is reported, if the client has not closed it", async () => {
  const { log, events, ended } = logged();
  let receiver: Receiver | undefined;
  const sent: string[] = [];
  const channel: Channel = {
    open: (given) => void (receiver = given),
    send: (text) => void sent.push(text),
    flush: () => {},
    close: async () => receiver!.closed(),
  };
  const got: string[] = [];
  const open = (): Channel => {
    const wrapped = log.tap.channel(channel);
    wrapped.open({
      message: (text) => void got.push(text),
      turn: () => {},
      tooLong: () => {},
      closed: () => {},
    });
    return wrapped;
  };
  const first = open();
  first.send('{"a":1}');
  receiver!.message('{"b":2}');
  expect([sent, got]).toEqual([['{"a":1}'], ['{"b":2}']]);
  expect(events.map(({ from, text }) => [from, text])).toEqual([
    ["client", '{"a":1}'],
    ["server", '{"b":2}'],
  ]);
  receiver!.closed(new Error("it crashed"));
  expect(ended).toEqual([new Error("it crashed")]);
  const second = open();
  expect(log.recording).toEqual([]);
  await second.close();
  expect(ended).toHaveLength(1);
});
