import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { ChangeNotice, Subscription } from "@mcpgen/runtime";
import { temporaryFolder } from "../support/temporary-folder.js";
import { builtProgram, clientOf } from "../support/built-program.js";
import { sampleDatabase } from "./sample-database.js";

const echo = builtProgram("examples/echo/main.ts");
const sqliteExplorer = builtProgram("examples/sqlite-explorer/main.ts");
const eras = ["2025-11-25", "2026-07-28"];

test("the first import of every example on stdio is the guard of standard output", () => {
  const mains = readdirSync("examples")
    .map((name) => `examples/${name}/main.ts`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .filter((text) => text.includes("serveStdio("));
  expect(mains.length).toBeGreaterThanOrEqual(4);
  for (const text of mains)
    expect(/^import .*$/m.exec(text)![0]).toBe('import "@mcpgen/runtime/stdio-guard";');
});

test("echo returns its argument", async () => {
  const client = await clientOf(echo);
  expect((await client.callTool("echo", { message: "ä\n\u2028" })).content).toEqual([
    { type: "text", text: "ä\n\u2028" },
  ]);
});

describe("weather", () => {
  const program = builtProgram("examples/weather/main.ts");

  test("is a complete server in sixty lines", () => {
    expect(readFileSync("examples/weather/main.ts", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(
      60,
    );
  });

  describe.each(eras)("at %s", (revision) => {
    test("tool, resources, prompt and completion", async () => {
      const client = await clientOf(program, [], { revision });
      expect(client.serverInfo).toEqual({ name: "weather", version: "1.0.0" });
      expect((await client.listTools()).items).toMatchObject([{ name: "current_weather" }]);
      const now = await client.callTool("current_weather", { city: "cairo", unit: "fahrenheit" });
      expect(now.structuredContent).toEqual({ temperature: 87.8, unit: "fahrenheit", sky: "clear" });
      expect(now.content).toEqual([{ type: "text", text: JSON.stringify(now.structuredContent) }]);
      expect(await client.callTool("current_weather", { city: "atlantis" })).toMatchObject({ isError: true });

      const [list] = (await client.readResource("weather://stations")).contents;
      expect(list).toMatchObject({ mimeType: "application/json", text: '["bergen","cairo","lima"]' });
      const [lima] = (await client.readResource("weather://stations/lima")).contents;
      expect(lima).toMatchObject({ text: '{"celsius":18,"sky":"mist"}' });
      await expect(client.readResource("weather://stations/atlantis")).rejects.toMatchObject({
        data: { uri: "weather://stations/atlantis" },
      });

      const { messages } = await client.getPrompt("pack", { city: "lima" });
      expect(messages).toMatchObject([
        { role: "user", content: { text: expect.stringContaining("lima") as string } },
      ]);
      for (const ref of [
        { type: "ref/prompt", name: "pack" } as const,
        { type: "ref/resource", uri: "weather://stations/{city}" } as const,
      ]) {
        const { completion } = await client.complete({ ref, argument: { name: "city", value: "B" } });
        expect(completion.values).toEqual(["bergen"]);
      }
    });
  });
});

describe("files", () => {
  const program = builtProgram("examples/files/main.ts");

  /** A folder to serve, with a secret beside it. */
  function served(): { readonly folder: string; readonly uri: string } {
    const outside = temporaryFolder({
      "secret.txt": "secret",
      "served-too/secret.txt": "secret",
      "served/a.txt": "a",
      "served/b 1.txt": "b",
      "served/bytes": Uint8Array.of(0xff, 0xfe),
      "served/sub/deep.txt": "deep",
    });
    const folder = join(outside, "served");
    return { folder, uri: pathToFileURL(folder).href };
  }

  test("lists the files of the folder, and reads files below it", async () => {
    const { folder, uri } = served();
    const client = await clientOf(program, [folder]);
    const { items } = await client.listResources();
    expect(items.map((item) => item.uri).sort()).toEqual([
      `${uri}/a.txt`,
      `${uri}/b%201.txt`,
      `${uri}/bytes`,
    ]);
    const read = async (path: string) => (await client.readResource(`${uri}/${path}`)).contents[0];
    expect(await read("a.txt")).toEqual({ uri: `${uri}/a.txt`, text: "a" });
    expect(await read("b%201.txt")).toMatchObject({ text: "b" });
    expect(await read("bytes")).toMatchObject({ blob: "//4=" });
    expect(await read("sub/deep.txt")).toMatchObject({ text: "deep" });
  });

  test("RSRC-03: no path leads out of the folder", async () => {
    const { folder, uri } = served();
    symlinkSync("../secret.txt", join(folder, "link.txt"));
    symlinkSync("..", join(folder, "up"));
    const client = await clientOf(program, [folder]);
    const ways = [
      `${uri}/../secret.txt`,
      `${uri}/..%2fsecret.txt`,
      `${uri}/%2e%2e/secret.txt`,
      `${uri}/sub/../../secret.txt`,
      `${uri}/../served-too/secret.txt`,
      `${uri}-too/secret.txt`,
      `${uri}//etc/passwd`,
      `${uri}/%2fetc%2fpasswd`,
      `${uri}/..\\secret.txt`,
      `${uri}/link.txt`,
      `${uri}/up/secret.txt`,
      `${uri}/%00`,
      `${uri}/..`,
      uri,
      "file:///etc/passwd",
      "file:///etc/../etc/passwd",
    ];
    const there = await client.readResource(`${uri}/not-there`).catch((error: unknown) => error);
    for (const way of ways) {
      const refused = await client.readResource(way).catch((error: unknown) => error);
      // As if it were not there at all.
      expect(refused, way).toMatchObject({
        rpcCode: (there as { rpcCode: number }).rpcCode,
        data: { uri: way },
      });
    }
  });

  test("serves files of up to 1 MiB, and names the limit for a larger one", async () => {
    const { folder, uri } = served();
    writeFileSync(join(folder, "most"), "x".repeat(1024 * 1024));
    writeFileSync(join(folder, "sub/more"), "x".repeat(1024 * 1024 + 1));
    const client = await clientOf(program, [folder]);
    const { contents } = await client.readResource(`${uri}/most`);
    expect((contents[0] as { text: string }).text).toHaveLength(1024 * 1024);
    await expect(client.readResource(`${uri}/sub/more`)).rejects.toMatchObject({
      rpcCode: -32603,
      message: expect.stringContaining("at most 1048576 bytes") as string,
      data: { uri: `${uri}/sub/more` },
    });
  });

  /** Reads on until everything that was waited for has come, in whatever order. */
  async function heard(subscription: Subscription, notices: readonly ChangeNotice[]): Promise<void> {
    const missing = new Set(notices.map((notice) => JSON.stringify(notice)));
    const changes = subscription[Symbol.asyncIterator]();
    while (missing.size > 0) {
      const { value, done } = await changes.next();
      if (done) throw new Error(`ended without ${[...missing].join(", ")}`);
      missing.delete(JSON.stringify(value));
    }
  }

  describe.each(eras)("at %s", (revision) => {
    test("notifies of files that are added, removed and changed", async () => {
      const { folder, uri } = served();
      const client = await clientOf(program, [folder], { revision });
      const watched = `${uri}/a.txt`;
      const subscription = await client.subscribe({ resources: true, uris: [watched] });
      const listChanged = { method: "notifications/resources/list_changed" };
      const names = async () => (await client.listResources()).items.map(({ name }) => name).sort();

      writeFileSync(join(folder, "a.txt"), "another a");
      await heard(subscription, [{ method: "notifications/resources/updated", uri: watched }]);
      expect((await client.readResource(watched)).contents).toMatchObject([{ text: "another a" }]);

      writeFileSync(join(folder, "c.txt"), "c");
      await heard(subscription, [listChanged]);
      expect(await names()).toEqual(["a.txt", "b 1.txt", "bytes", "c.txt"]);

      rmSync(join(folder, "c.txt"));
      await heard(subscription, [listChanged]);
      expect(await names()).toEqual(["a.txt", "b 1.txt", "bytes"]);
      await subscription.close();
    });

    test.skipIf(process.platform === "win32")("pipes in the folder do not block the server", async () => {
      const { folder, uri } = served();
      // More than the threads that Node has for files.
      const pipes = Array.from({ length: 8 }, (_, index) => `pipe${index}`);
      execFileSync(
        "mkfifo",
        pipes.map((name) => join(folder, name)),
      );
      const client = await clientOf(program, [folder], { revision });
      const reads = pipes.map((name) => client.readResource(`${uri}/${name}`).catch(() => "refused"));
      expect((await client.readResource(`${uri}/a.txt`)).contents).toHaveLength(1);
      expect(new Set(await Promise.all(reads))).toEqual(new Set(["refused"]));
    });

    test("asks which folders the user works in", async () => {
      const { folder, uri } = served();
      const roots = [{ uri: pathToFileURL(join(folder, "a.txt")).href }, { uri: `${uri}-elsewhere` }];
      const client = await clientOf(program, [folder], { revision, roots });
      const { content } = await client.callTool("relevant_files");
      expect(content).toEqual([{ type: "text", text: `${uri}/a.txt` }]);
    });
  });
});

test("sqlite-explorer: schema as resources, queries as a tool, over stdio", async () => {
  const client = await clientOf(sqliteExplorer, [sampleDatabase(temporaryFolder())]);
  expect(client.instructions).toContain("sqlite:schema");
  const [schema] = (await client.readResource("sqlite:schema")).contents;
  expect(schema).toMatchObject({
    text: expect.stringMatching(/^CREATE TABLE city .*;\nCREATE TABLE kinds .*;\n$/) as string,
  });
  const [city] = (await client.readResource("sqlite:schema/city")).contents;
  expect(city).toMatchObject({ text: "CREATE TABLE city (name TEXT PRIMARY KEY, people INTEGER);\n" });
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "sqlite:schema/{table}" },
    argument: { name: "table", value: "k" },
  });
  expect(completion.values).toEqual(["kinds"]);
  await client.listTools();
  const some = await client.callTool("query", {
    sql: "SELECT name FROM city ORDER BY people DESC;",
    limit: 1,
  });
  expect(some.structuredContent).toEqual({ rows: [{ name: "Lima" }], truncated: true });
  const wrong = await client.callTool("query", { sql: "SELECT missing FROM city" });
  expect(wrong).toMatchObject({ isError: true, content: [{ text: "no such column: missing" }] });
  expect(await client.callTool("query", { sql: "DELETE FROM city" })).toMatchObject({ isError: true });
});
