import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { clientRevisions, revisionIds, serverRevisions } from "@mcpgen/protocol";
import { connect as connectWith, memoryChannels } from "@mcpgen/runtime";
import { connect, createServer, defineServer } from "@mcpgen/runtime/all";

const info = { name: "s", version: "1" };

test("a server and a client use all revisions by default", async () => {
  const server = createServer(info);
  server.tool("greet", {}, () => "hello");
  expect([...server.revisions].sort()).toEqual([...revisionIds]);
  for (const revision of revisionIds) {
    const [near, far] = memoryChannels();
    server.connect(far);
    const client = await connect(near, { revision });
    expect(client.revision).toBe(revision);
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello" }] });
    await client.close();
  }
});

test("the given revisions are used", async () => {
  const [newest] = [...serverRevisions].sort((one, other) => (one.id < other.id ? 1 : -1));
  expect(createServer(info, { revisions: [newest!] }).revisions).toEqual([newest!.id]);
  expect(createServer(info, { revisions: undefined } as never).revisions).toHaveLength(revisionIds.length);
  expect(createServer(info, { revisions: { speaks: [newest!.id] } }).revisions).toEqual([newest!.id]);
  const contract = { ...info, resources: [{ uri: "x://a", name: "a" }] };
  const handlers = { resources: { "x://a": () => "" } };
  expect(defineServer(contract, handlers, { checks: {} }).revisions).toHaveLength(revisionIds.length);
  expect(() => defineServer(contract, handlers, { checks: {}, pageSize: 3 } as never)).toThrow(
    "pageSize: the option is gone. Write lists.pageSize.",
  );
  const [near, far] = memoryChannels();
  createServer(info).connect(far);
  const old = clientRevisions.filter(({ id }) => id === "2025-06-18");
  const client = await connect(near, { revisions: old });
  expect(client.revision).toBe("2025-06-18");
  await client.close();
});

test("misspelt options are reported like at the other entry", async () => {
  expect(() => createServer(info, { revision: [] } as never)).toThrow("Did you mean revisions?");
  await expect(connect("http://localhost", { elicits: 1 } as never)).rejects.toThrow("Did you mean elicit?");
  await expect(connectWith("http://localhost", {} as never)).rejects.toThrow("@mcpgen/runtime/all");
});

test("a bundle of the entry without revisions contains none", async () => {
  const holds = async (entry: string): Promise<boolean> => {
    const { outputFiles } = await build({
      stdin: { contents: `export { createServer } from "${entry}";`, resolveDir: resolve(".") },
      ...{ bundle: true, write: false, minify: true, platform: "node", format: "esm" },
      conditions: ["mcpgen-source"],
      logLevel: "error",
    });
    return revisionIds.some((id) => new RegExp(`id:"${id}"`).test(outputFiles[0]!.text));
  };
  expect([await holds("@mcpgen/runtime"), await holds("@mcpgen/runtime/all")]).toEqual([false, true]);
});
