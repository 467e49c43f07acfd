// Our client with reference servers that do real work.
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { textOf } from "./behaviours.mjs";
import { connect } from "./clients/ours.mjs";
import { legacy } from "./peers.mjs";
import { hang as timeout } from "../support/until.mjs";

const fileOf = (name) => fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
const filesystem = fileOf("server-filesystem");
const memory = fileOf("server-memory");

let folder;
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "mcpgen-interop-")));
});
after(() => rm(folder, { recursive: true }));

for (const revision of [...legacy, undefined]) {
  const expected = revision ?? legacy.at(-1);

  test(`server-filesystem, ${revision ?? "any revision"}`, { timeout }, async () => {
    const session = await connect(filesystem, revision, [folder]);
    try {
      assert.equal(session.revision(), expected);
      const path = join(folder, `${expected}.txt`);
      await session.call("write_file", { path, content: "one\ntwo\n" });
      assert.equal(await readFile(path, "utf8"), "one\ntwo\n");
      assert.equal(textOf(await session.call("read_text_file", { path })), "one\ntwo\n");
      const outside = await session.call("read_text_file", { path: "/etc/passwd" });
      assert.equal(outside.isError, true);
    } finally {
      await session.close();
    }
  });

  test(`server-memory, ${revision ?? "any revision"}`, { timeout }, async () => {
    const path = join(folder, `${revision}.jsonl`);
    const session = await connect(memory, revision, [], { env: { MEMORY_FILE_PATH: path } });
    try {
      assert.equal(session.revision(), expected);
      const ada = { name: "Ada", entityType: "person", observations: ["writes programs"] };
      await session.call("create_entities", { entities: [ada] });
      const graph = await session.call("search_nodes", { query: "programs" });
      assert.deepEqual(JSON.parse(textOf(graph)).entities, [ada]);
      if (expected >= "2025-06-18") assert.deepEqual(graph.structuredContent.entities, [ada]);
      const [{ uri }] = await session.resources();
      assert.match((await session.read(uri)).contents[0].text, /Ada/);
    } finally {
      await session.close();
    }
  });
}

describe("server-filesystem with roots", () => {
  test("uses the client's folders", { timeout }, async () => {
    const session = await connect(filesystem, undefined, []);
    session.user.roots = () => ({ roots: [{ uri: `file://${folder}` }] });
    try {
      await writeFile(join(folder, "root.txt"), "in a root");
      await session.rootsChanged();
      // The server requests the roots after the notification; no message shows when it has them.
      let listed;
      do listed = textOf(await session.call("list_allowed_directories"));
      while (!listed.includes(folder));
      const read = await session.call("read_text_file", { path: join(folder, "root.txt") });
      assert.equal(textOf(read), "in a root");
    } finally {
      await session.close();
    }
  });
});
