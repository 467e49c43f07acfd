import { execFileSync } from "node:child_process";
import { createWriteStream, ftruncateSync, openSync, closeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import { decodeText, maximumBytes, readBytes } from "../../generator/files/text-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = '{"a": "é😀"}';

function temporaryFile(content: string | Uint8Array): string {
  return join(temporaryFolder({ "schema.json": content }), "schema.json");
}

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

  test("and nothing gives nothing", () => {
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

describe("bytes are read", () => {
  test("from a file", async () => {
    expect((await readBytes(temporaryFile(text))).toString()).toBe(text);
  });

  test("not from what is not there, or is a folder", async () => {
    const folder = temporaryFolder();
    await expect(readBytes(join(folder, "none"))).rejects.toMatchObject({ code: "MG1001" });
    await expect(readBytes(folder)).rejects.toMatchObject({ code: "MG1001" });
    await expect(readBytes(join(folder, "no\0name"))).rejects.toMatchObject({ code: "MG1001" });
  });

  test("not from a file beyond 32 MiB, which is not even opened", async () => {
    const file = temporaryFile("");
    const descriptor = openSync(file, "r+");
    // Larger than a Buffer can be: reading it would fail in another way.
    ftruncateSync(descriptor, 2 ** 43);
    closeSync(descriptor);
    await expect(readBytes(file)).rejects.toMatchObject({
      code: "MG1003",
      message: expect.stringContaining("8388608 MiB") as string,
    });
  });

  test("up to the limit itself, and not a byte more", async () => {
    expect(await readBytes(temporaryFile(Buffer.alloc(maximumBytes)))).toHaveLength(maximumBytes);
    await expect(readBytes(temporaryFile(Buffer.alloc(maximumBytes + 1)))).rejects.toMatchObject({
      code: "MG1003",
      message: "expected at most 32 MiB, got 33 MiB",
    });
  });

  test.skipIf(process.platform === "win32")("from a pipe, and not without end from a device", async () => {
    const pipe = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const [bytes] = await Promise.all([readBytes(pipe), createWriteStream(pipe).end(text)]);
    expect(bytes.toString()).toBe(text);
    await expect(readBytes("/dev/zero")).rejects.toMatchObject({ code: "MG1003" });
  });
});
