import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type McpError, type Server, connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { createTestPair } from "@mcpgen/testing";
import { tasks as serverTasks } from "@mcpgen/tasks";
import { type ClientTasksOptions, TaskHandle, tasks } from "@mcpgen/tasks/client";
import { fileHandles } from "@mcpgen/tasks/handles";
import { expect, onTestFinished, test } from "vitest";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "mcpgen-handles-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "handles");
}

test.skipIf(process.platform === "win32")(
  "a folder that others can change, or a link, is refused",
  async () => {
    const [shared, real, link] = [folder(), folder(), folder()];
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, link);
    const handle = { taskId: "x", answers: {} };
    for (const path of [shared, link]) {
      const store = fileHandles(path);
      for (const act of [() => store.put(handle), () => store.all(), () => store.delete(handle)])
        await expect(act()).rejects.toMatchObject({ code: "store-failed" });
    }
    expect([readdirSync(shared), readdirSync(real)]).toEqual([[], []]);
  },
);

test.skipIf(process.platform === "win32")(
  "files that are links or that others can change are not read as handles",
  async () => {
    const path = folder();
    const elsewhere = folder();
    mkdirSync(path, { mode: 0o700 });
    mkdirSync(elsewhere, { mode: 0o700 });
    const planted = JSON.stringify({ taskId: "planted", answers: {} });
    writeFileSync(join(elsewhere, "a.json"), planted);
    symlinkSync(join(elsewhere, "a.json"), join(path, "a.json"));
    writeFileSync(join(path, "b.json"), planted);
    chmodSync(join(path, "b.json"), 0o666);
    const errors: McpError[] = [];
    expect(await fileHandles(path, { onCorrupt: (error) => errors.push(error) }).all()).toEqual([]);
    expect(errors).toHaveLength(2);
  },
);

test("handles in files: one for each task of each server, replaced as a whole, for the user alone", async () => {
  const path = folder();
  const store = fileHandles(path);
  expect(await store.all()).toEqual([]);
  const one = { taskId: "../../one", endpoint: "https://a.example/mcp", tool: "report", answers: {} };
  const other = { ...one, endpoint: "https://b.example/mcp" };
  await store.put(one);
  await store.put(other);
  const answered = { ...one, answers: { name: { action: "accept" } } };
  await Promise.all([store.put(answered), store.put(answered)]);
  // Another process reads the same.
  expect(await fileHandles(path).all()).toEqual(expect.arrayContaining([answered, other]));
  expect(readdirSync(path)).toHaveLength(2);
  if (process.platform !== "win32") {
    expect(statSync(path).mode & 0o077).toBe(0);
    for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o077).toBe(0);
  }
  // A file of a process that ended while it wrote.
  writeFileSync(join(path, "x.json.1"), "{");
  await store.delete(one);
  await store.delete(one);
  expect(await store.all()).toEqual([other]);
});

test("handles in files: one that is corrupt is reported, and the others are read", async () => {
  const path = folder();
  const errors: McpError[] = [];
  const store = fileHandles(path, { onCorrupt: (error) => errors.push(error) });
  const one = { taskId: "one", answers: {} };
  await store.put(one);
  const texts = [
    "",
    "{",
    "null",
    "[]",
    '{"taskId":1,"answers":{}}',
    '{"taskId":"x"}',
    '{"taskId":"x","answers":null}',
  ];
  for (const [index, text] of texts.entries()) writeFileSync(join(path, `${index}.json`), text);
  expect(await store.all()).toEqual([one]);
  expect(errors.map(({ code }) => code)).toEqual(texts.map(() => "store-failed"));
  for (const index of texts.keys())
    expect(
      errors.some(({ message }) => message.startsWith(`${join(path, `${index}.json`)}: the file holds`)),
    ).toBe(true);
  // Without the option, the process warns.
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  rmSync(path, { recursive: true });
  await store.put(one);
  writeFileSync(join(path, "0.json"), "{");
  expect(await fileHandles(path).all()).toEqual([one]);
  expect((await warned).message).toContain("the file holds no handle of a task");
});

test("handles in files: a folder that cannot be one is an error", async () => {
  const path = folder();
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "");
  await expect(fileHandles(path).put({ taskId: "x", answers: {} })).rejects.toThrow();
});

/** A server with a tool whose calls are tasks at once. */
function serving(): Server {
  const extension = serverTasks(serverExtension);
  onTestFinished(() => extension.close());
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, extensions: [extension] },
  );
  server.tool("report", { task: { support: "required" } }, async (_, { task }) => {
    task?.detach();
    return "a report";
  });
  return server;
}

async function connected(server: Server, options: ClientTasksOptions = {}) {
  const own = tasks(clientExtension, options);
  const pair = await createTestPair({ server, revisions: clientRevisions, extensions: [own] });
  onTestFinished(() => pair.close());
  return own;
}

test("a handle names its server, and is refused by the client of another", async () => {
  const own = await connected(serving());
  const handle = (await own.start("report")) as TaskHandle;
  const stored = handle.toJSON();
  expect(stored).toMatchObject({ endpoint: "s", tool: "report" });
  expect(own.resume(stored)).toBeInstanceOf(TaskHandle);
  const foreign = { ...stored, endpoint: "https://other.example/mcp" };
  expect(() => own.resume(foreign)).toThrow(
    expect.objectContaining({
      code: "wrong-server",
      message: `task ${handle.id} belongs to https://other.example/mcp, not to s`,
    }),
  );
  // A handle without a server's name is valid for any server.
  expect(own.resume({ taskId: handle.id, answers: {} })).toBeInstanceOf(TaskHandle);
  const moved = await connected(serving(), { endpoint: "https://other.example/mcp" });
  expect(moved.resume(foreign)).toBeInstanceOf(TaskHandle);
});

test("over HTTP, a handle names the server by its URL, without the parts that may be secret", async () => {
  const http = await serveHttp(serving(), { port: 0 });
  onTestFinished(() => http.close());
  const own = tasks(clientExtension);
  const url = new URL(http.url);
  url.search = "?key=secret";
  const client = await connect(url, { revisions: clientRevisions, extensions: [own] });
  onTestFinished(() => client.close());
  const handle = (await own.start("report")) as TaskHandle;
  expect(handle.toJSON().endpoint).toBe(String(http.url).replace(/[?#].*$/, ""));
});
