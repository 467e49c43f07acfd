import { describe, expect, test } from "vitest";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import { decodeText } from "../../generator/files/regular-file.js";

const text = '{"a": "é😀"}';

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof CodedError) return error.code;
    throw error;
  }
  return undefined;
}

/** The text in UTF-16, big end first. */
function bigEndian(value: string): Buffer {
  return Buffer.from(value, "utf16le").swap16();
}

describe("text is decoded", () => {
  test.each<[string, Uint8Array]>([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a byte order mark, which is dropped", Buffer.from("\ufeff" + text)],
    ["UTF-16 little endian with its mark", Buffer.from("\ufeff" + text, "utf16le")],
    ["UTF-16 big endian with its mark", bigEndian("\ufeff" + text)],
  ])("from %s", (_, bytes) => {
    expect(decodeText(bytes, "f")).toBe(text);
  });

  test("and an empty file gives an empty text", () => {
    expect(decodeText(new Uint8Array(), "f")).toBe("");
    expect(decodeText(Buffer.from("\ufeff", "utf16le"), "f")).toBe("");
  });

  test.each<[string, Uint8Array]>([
    ["a byte that UTF-8 never has", Buffer.from([0x7b, 0xff, 0x7d])],
    ["UTF-8 that breaks off", Buffer.from([0x22, 0xe2, 0x82])],
    ["an encoded surrogate", Buffer.from([0xed, 0xa0, 0x80])],
    ["an overlong slash", Buffer.from([0xc0, 0xaf])],
    ["Latin-1", Buffer.from("é", "latin1")],
    ["UTF-16 of odd length", Buffer.from([0xff, 0xfe, 0x7b])],
    ["a lone surrogate in UTF-16", Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
  ])("not from %s", (_, bytes) => {
    expect(codeOf(() => decodeText(bytes, "f"))).toBe("MG1004");
  });
});
