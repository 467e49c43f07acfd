// Our client with third-party servers whose tools run as tasks of 2025-11-25: the official SDK, version 1, and
// server-everything.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { tasks } from "@mcpgen/tasks/client";
import { answers } from "./inbox.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const theirs = fileURLToPath(new URL("servers/tasks-sdk-v1.mjs", import.meta.url));
const everything = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

const textOf = ({ content }) => content[0].text;

/** A client of ours with tasks; `asked` lists the questions that it got. */
async function opened(file, way, [args, env] = [[], {}]) {
  const server = way === "HTTP" ? await started([file, ...args], env) : undefined;
  const user = answers();
  const asked = [];
  const ask = (kind) => (params) => {
    asked.push(kind);
    return user[kind](params);
  };
  const own = tasks(tasksExtension);
  const client = await connect(server ? server.url.href : { command: process.execPath, args: [file] }, {
    revisions: clientRevisions,
    extensions: [own],
    elicit: ask("elicit"),
    sample: ask("sample"),
    onEvent: () => true,
  });
  const close = async () => {
    await client.close();
    await server?.close();
  };
  return { client, own, asked, user, close };
}

for (const way of ["stdio", "HTTP"])
  describe(`our client, a server of the SDK over ${way}`, { concurrency: 1 }, () => {
    let open;
    before(
      async () => {
        open = await opened(theirs, way, [["sessions"], {}]);
      },
      { timeout },
    );
    after(() => open?.close());

    test("an optional tool, a required one, and one without tasks", { timeout }, async () => {
      const { client } = open;
      assert.equal(client.revision, "2025-11-25");
      assert.equal(textOf(await client.callTool("work", { text: "it" })), "worked on it");
      assert.deepEqual((await client.callTool("strict")).structuredContent, { sum: 5 });
      assert.equal(textOf(await client.callTool("plain", { text: "it" })), "plain it");
    });
    test("a result that says isError", { timeout }, async () => {
      const failed = await open.client.callTool("fail");
      assert.deepEqual([failed.isError, textOf(failed)], [true, "it went wrong"]);
    });
    test("elicitation and sampling inside a task, each asked once", { timeout }, async () => {
      const { client, asked } = open;
      asked.length = 0;
      assert.equal(textOf(await client.callTool("name")), "hello Ada");
      assert.equal(textOf(await client.callTool("sample")), "something");
      assert.deepEqual(asked, ["elicit", "sample"]);
    });
    test("a handle: updates, the result, cancelling, resuming", { timeout }, async () => {
      const { own } = open;
      const handle = await own.start("work", { text: "that" });
      const statuses = [];
      for await (const { status } of handle.updates()) statuses.push(status);
      assert.equal(statuses.at(-1), "completed");
      assert.equal(textOf(await handle.result()), "worked on that");
      const waiting = await own.start("wait");
      await waiting.cancel();
      await assert.rejects(waiting.result(), { code: "cancelled" });
      const stored = JSON.parse(JSON.stringify(await own.start("strict")));
      assert.deepEqual((await own.resume(stored).result()).structuredContent, { sum: 5 });
    });
  });

for (const way of ["stdio", "HTTP"])
  test(`our client runs the task of server-everything over ${way}`, { timeout }, async () => {
    const { client, asked, user, close } = await opened(everything, way, [["streamableHttp"], { PORT: "0" }]);
    user.elicit = () => ({ action: "accept", content: { interpretation: "snake" } });
    try {
      const result = await client.callTool("simulate-research-query", { topic: "python", ambiguous: true });
      assert.match(textOf(result), /Research Report: python \(snake\)/);
      assert.deepEqual(asked, ["elicit"]);
    } finally {
      await close();
    }
  });
