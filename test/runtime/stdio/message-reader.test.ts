import fc from "fast-check";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { MessageReader } from "../../../runtime/core/stdio/message-reader.js";

/** A reader of a stream, and what it says: lines, and numbers for limits that were passed. */
function reading(limit?: number, afterLine?: (reader: MessageReader) => void) {
  const said: (string | number)[] = [];
  const stream = new PassThrough();
  const receiver = {
    message(text: string) {
      said.push(text);
      afterLine?.(reader);
    },
    tooLong: (bytes: number) => void said.push(bytes),
    turn: () => {},
    closed: () => {},
  };
  const writer = { hold: () => {}, release: () => {} };
  const reader: MessageReader = new MessageReader(stream, writer, receiver, () => {}, limit);
  return {
    said,
    reader,
    push: (chunk: Uint8Array) => void stream.emit("data", Buffer.from(chunk)),
    end: () => void stream.emit("end"),
  };
}

/** What a reader says of `chunks`. */
function linesOf(chunks: readonly Uint8Array[], limit?: number): (string | number)[] {
  const { said, push, end } = reading(limit);
  for (const chunk of chunks) push(chunk);
  end();
  return said;
}

/** `text` in chunks of `size` bytes. */
function cut(text: string | Buffer, size: number): Buffer[] {
  const bytes = Buffer.from(text as string);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

test.each([1, 2, 3, 5, 7, 1000])("lines do not depend on where they are cut: chunks of %i", (size) => {
  const text = '{"a":"äöü"}\r\n\n\r\n{"b":"漢字 🙂"}\n{}\nlast';
  expect(linesOf(cut(text, size))).toEqual(['{"a":"äöü"}', '{"b":"漢字 🙂"}', "{}", "last"]);
});

test("any cut of any lines gives the lines", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\uFEFF]/g, "") + ".");
  fc.assert(
    fc.property(
      fc.array(line),
      fc.constantFrom("\n", "\r\n"),
      fc.infiniteStream(fc.nat(20)),
      (lines, end, sizes) => {
        const bytes = Buffer.from(lines.map((text) => text + end).join(""));
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length;) {
          const { value: size } = sizes.next() as { value: number };
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(linesOf(chunks)).toEqual(lines);
      },
    ),
  );
});

test("the byte order mark at the start is not part of the first line", () => {
  expect(linesOf(cut("\uFEFF{}\n\uFEFF\n", 1))).toEqual(["{}", "\uFEFF"]);
});

test("CR within a line stays", () => {
  expect(linesOf([Buffer.from("a\rb\r\r\n")])).toEqual(["a\rb\r"]);
});

test("bytes that are not UTF-8 are replaced, and the next line is not touched by them", () => {
  expect(linesOf([Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0x62, 0x0a])])).toEqual(["a\uFFFD\uFFFD", "b"]);
});

test.each([1, 3, 4, 5, 9, 100])("the limit is for one line, not for a chunk: chunks of %i", (size) => {
  expect(linesOf(cut("1234\n1234\r\n12345\n1234\n123456789\r\n€a\n", size), 4)).toEqual([
    "1234",
    "1234",
    4,
    "1234",
    4,
    "€a",
  ]);
});

test("a line that is too long at the end of the bytes is reported once, too", () => {
  expect(linesOf(cut("12345678", 3), 4)).toEqual([4]);
});

test("11 MB without an end are reported once and not kept", () => {
  const { said, push } = reading();
  const chunk = Buffer.alloc(64 * 1024, "x");
  for (let sent = 0; sent < 11e6; sent += chunk.length) push(chunk);
  expect(said).toEqual([10 * 1024 * 1024]);
  push(Buffer.from("\nnext\n"));
  expect(said).toEqual([10 * 1024 * 1024, "next"]);
});

test("more than usual arrives whole when the limit allows", () => {
  const text = "x".repeat(12e6);
  const [line] = linesOf(cut(text + "\n", 64 * 1024), 12e6);
  expect(line === text).toBe(true);
});

test("10,000 lines in one chunk", () => {
  const lines = Array.from({ length: 10_000 }, (_, id) => JSON.stringify({ id }));
  expect(linesOf([Buffer.from(lines.join("\n") + "\n")])).toEqual(lines);
});

test.each([1, 2, 4, 100])("a halt holds back everything, in order: chunks of %i, limit 3", (size) => {
  const { said, reader, push, end } = reading(3, (each) => each.halt());
  for (const chunk of cut("a\nb\n12345\nc\nd", size)) push(chunk);
  expect(said).toEqual(["a"]);
  for (let times = 0; times < 4; times++) reader.resume();
  end();
  expect(said).toEqual(["a", "b", 3, "c", "d"]);
});
