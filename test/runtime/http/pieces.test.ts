import { assert, integer, array as listOf, property, constantFrom } from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryEventStore } from "../../../runtime/core/legacy/http/event-store.js";
import { nestsDeeper } from "../../../runtime/core/http/server/endpoint.js";
import { type ServerEvent, SseReader } from "../../../runtime/core/http/client/sse-reader.js";

describe("nesting", () => {
  test.each([
    ["[".repeat(5) + "]".repeat(5), 4, true],
    ["[".repeat(5) + "]".repeat(5), 5, false],
    ['{"a":[{"b":1}]}', 2, true],
    ['["[[[[[[[[[[[["]', 2, false],
    ['["\\"[[[[[[[[[[[["]', 2, false],
    ['["\\\\",[[["x"]]]]', 3, true],
    ['["a","b","[[[","]]]"]'.repeat(3), 1, false],
    ['["unterminated [[[[[[[', 1, false],
    ["[[],[],[],[],[]]", 2, false],
  ])("%s, more than %d: %s", (json, most, deeper) => {
    expect(nestsDeeper(json, most)).toBe(deeper);
  });
});

function eventsOf(...chunks: Uint8Array[]): { events: ServerEvent[]; reader: SseReader } {
  const events: ServerEvent[] = [];
  const reader = new SseReader((event) => void events.push(event));
  for (const chunk of chunks) reader.push(chunk);
  return { events, reader };
}

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe("event streams", () => {
  test.each([
    ["data: a\n\n", [["a", undefined]]],
    [
      "\uFEFFdata:a\r\rdata: b\r\n\r\n",
      [
        ["a", undefined],
        ["b", undefined],
      ],
    ],
    [
      "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n",
      [
        ["a", "1"],
        ["b", "1"],
        ["c", "2"],
      ],
    ],
    ["id: 1\ndata: \n\ndata: b\n\n", [["b", "1"]]],
    [
      "id: 1\ndata: a\n\nid\ndata: b\n\n",
      [
        ["a", "1"],
        ["b", ""],
      ],
    ],
    ["id: a\0b\ndata: a\n\n", [["a", undefined]]],
    ["data: a\ndata\ndata:  b\n\n", [["a\n\n b", undefined]]],
    ["event: x\n: comment\nfield: y\n\ndata: a\n\n", [["a", undefined]]],
    ["data: a", []],
    ["data: a\n", []],
  ])("%j", (stream, expected) => {
    expect(eventsOf(bytes(stream)).events.map(({ data, id }) => [data, id])).toEqual(expected);
  });

  test("an event that was cut off does not count as seen", () => {
    const { reader, events } = eventsOf(bytes("id: 1\ndata: a\n\nid: 2\ndata: b"));
    expect([events.length, reader.lastId]).toEqual([1, "1"]);
    reader.push(bytes("\n\n"));
    expect([events.length, reader.lastId]).toEqual([2, "2"]);
  });

  test.each([
    ["retry: 250\n\n", 250],
    ["retry: 0\n", 0],
    ["retry: -1\n", undefined],
    ["retry: soon\n", undefined],
    ["retry: 1e3\n", undefined],
  ])("%j asks to wait %s ms", (stream, ms) => expect(eventsOf(bytes(stream)).reader.retryMs).toBe(ms));

  test("chunks may be cut anywhere", () => {
    const piece = constantFrom(
      "\r",
      "\n",
      "\r\n",
      "data: a",
      "data:ü🌍",
      "id: 7",
      "id",
      "retry: 5",
      ": c",
      "data",
      "x: y",
    );
    assert(
      property(
        listOf(piece, { maxLength: 30 }),
        listOf(integer({ min: 0, max: 80 }), { maxLength: 12 }),
        (pieces, cuts) => {
          const stream = bytes(pieces.join(""));
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, stream.length)).sort((a, b) => a - b),
            stream.length,
          ];
          const chunks = places.slice(1).map((place, index) => stream.slice(places[index], place));
          const whole = eventsOf(stream);
          const cut = eventsOf(...chunks);
          expect(cut.events).toEqual(whole.events);
          expect([cut.reader.lastId, cut.reader.retryMs]).toEqual([
            whole.reader.lastId,
            whole.reader.retryMs,
          ]);
        },
      ),
    );
  });
});

describe("the event store", () => {
  test("keeps the last 256 events of a session", () => {
    const store = new MemoryEventStore();
    const ids = Array.from({ length: 300 }, (_, index) =>
      store.append("s", index % 2 ? "a" : "b", `${index}`),
    );
    expect(new Set(ids).size).toBe(300);
    expect(store.after("s", ids[43]!)).toBeUndefined();
    expect(store.after("s", ids[44]!)!.events.map(({ data }) => Number(data))).toEqual(
      Array.from({ length: 127 }, (_, index) => 46 + 2 * index),
    );
    expect(store.after("other", ids[299]!)).toBeUndefined();
  });

  test("keeps 1 Mi characters of a session, and one event whatever its length", () => {
    const store = new MemoryEventStore();
    const [first, second] = [
      store.append("s", "a", "x".repeat(600_000)),
      store.append("s", "a", "x".repeat(600_000)),
    ];
    expect(store.after("s", first)).toBeUndefined();
    expect(store.after("s", second)!.events).toEqual([]);
    const huge = store.append("s", "a", "x".repeat(2_000_000));
    expect(store.after("s", huge)!.events).toEqual([]);
  });

  test("events without text count, too", () => {
    const store = new MemoryEventStore(128 * 100);
    for (let session = 0; session < 1000; session++) store.append(`s${session}`, "0", "");
    expect(store).toMatchObject({ characters: 128 * 100 });
  });

  test("at the total limit, sessions that wrote longest ago lose their events; no id is used twice", () => {
    const store = new MemoryEventStore(1000 + 2 * 128);
    const text = "x".repeat(400);
    const [a, b, c] = ["a", "b", "c"].map((session) => store.append(session, "0", text));
    expect([a, b, c].map((id, index) => store.after("abc"[index]!, id!) !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    const again = store.append("a", "0", text);
    expect(again).not.toBe(a);
    expect(store.after("b", b!)).toBeUndefined();
    store.drop("c");
    store.append("d", "0", text);
    expect(store.after("a", again)).toBeDefined();
  });
});
