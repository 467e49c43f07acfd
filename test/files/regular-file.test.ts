import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { maximumBytes, readRegularFile, streamRegularFile } from "../../generator/files/regular-file.js";
import { readSource } from "../../generator/files/source.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = '{"a": "é😀"}';

function temporaryFile(content: string | Uint8Array): string {
  return join(temporaryFolder({ "schema.json": content }), "schema.json");
}

const refused = (message: string) => expect.objectContaining({ code: "MG1001", message }) as Error;

test("a regular file is read, also through a link if links are followed", () => {
  const file = temporaryFile(text);
  const link = join(temporaryFolder(), "link");
  symlinkSync(file, link);
  expect(readRegularFile(file).toString()).toBe(text);
  expect(readRegularFile(link).toString()).toBe(text);
  expect(() => readRegularFile(link, { follow: false })).toThrow(
    refused("expected a file, got a symbolic link"),
  );
});

test("a missing file and a folder are refused", () => {
  const folder = temporaryFolder();
  expect(() => readRegularFile(join(folder, "none"))).toThrow(refused("there is no such file"));
  expect(() => readRegularFile(folder)).toThrow(refused("expected a file, got a folder"));
  expect(() => readRegularFile(join(folder, "no\0name"))).toThrow(
    expect.objectContaining({ code: "MG1001" }) as Error,
  );
});

test.skipIf(process.platform === "win32")(
  "pipes, sockets and devices are refused, not waited for",
  async () => {
    const folder = temporaryFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const server = createServer().listen(join(folder, "socket"));
    onTestFinished(() => void server.close());
    await once(server, "listening");
    for (const [name, kind] of [
      ["pipe", "a pipe"],
      ["/dev/zero", "a device"],
    ] as const)
      for (const read of [readRegularFile, (file: string) => [...streamRegularFile(file)]])
        expect(() => read(join(name.startsWith("/") ? "" : folder, name))).toThrow(
          refused(`expected a file, got ${kind}`),
        );
    expect(() => readRegularFile(join(folder, "socket"))).toThrow(
      expect.objectContaining({ code: "MG1001" }) as Error,
    );
  },
);

test("a file beyond the limit is refused without reading it", () => {
  const file = temporaryFile("");
  const descriptor = openSync(file, "r+");
  // Larger than a Buffer can be: reading it would fail in another way.
  ftruncateSync(descriptor, 2 ** 43);
  closeSync(descriptor);
  expect(() => readRegularFile(file)).toThrow(
    expect.objectContaining({
      code: "MG1003",
      message: "expected at most 32 MiB, got 8388608 MiB",
    }) as Error,
  );
});

test("a file of exactly the limit is read, and one byte more is refused", () => {
  expect(readRegularFile(temporaryFile(Buffer.alloc(maximumBytes)))).toHaveLength(maximumBytes);
  expect(() => readRegularFile(temporaryFile(Buffer.alloc(maximumBytes + 1)))).toThrow(
    expect.objectContaining({ code: "MG1003", message: "expected at most 32 MiB, got 33 MiB" }) as Error,
  );
});

test.skipIf(process.platform !== "linux")("files without a known size are read to their end", () => {
  expect(readRegularFile("/proc/self/status").toString()).toContain(`Pid:\t${process.pid}`);
});

test("the owner and the mode come from the file that is read", () => {
  const file = temporaryFile(text);
  const refuse = (): never => {
    throw new Error("not ours");
  };
  expect(() => readRegularFile(file, { inspect: refuse })).toThrow();
});

test.skipIf(process.platform === "win32")("a pipe of the shell is a SOURCE, another one is not", async () => {
  const nothing = { directory: "/", stdin: (async function* () {})() };
  await expect(readSource("/dev/zero", nothing)).rejects.toMatchObject({ code: "MG1001" });
  const program = `import { readSource } from ${JSON.stringify(join(process.cwd(), "generator/files/source.ts"))};
    console.log(JSON.stringify((await readSource("/dev/fd/9", { directory: "/" })).value));`;
  const script = join(temporaryFolder(), "read.mjs");
  await build({
    stdin: { contents: program, resolveDir: process.cwd() },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["mcpgen-source"],
    logLevel: "error",
  });
  const shell = `exec 9< <(printf %s '${text}'); exec "$0" "$1"`;
  expect(execFileSync("bash", ["-c", shell, process.execPath, script], { encoding: "utf8" }).trim()).toBe(
    JSON.stringify(JSON.parse(text)),
  );
});
