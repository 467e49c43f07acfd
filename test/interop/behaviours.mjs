import assert from "node:assert/strict";
import { greeting, itemTemplate, itemText, note, picture } from "./fixture.mjs";
import { Inbox } from "./inbox.mjs";
import { modern } from "./peers.mjs";

/** Behaviour that two peers must have together: `{ feature, since?, until?, run(session, revision) }`. */
export const behaviours = [
  {
    feature: "opening",
    async run(session, revision) {
      assert.equal(session.revision(), revision);
      assert.equal(session.instructions(), "A fixture.");
    },
  },
  { feature: "ping", until: "2025-11-25", run: (session) => session.ping() },
  {
    feature: "tools",
    async run(session) {
      const tools = await session.tools();
      const echo = tools.find(({ name }) => name === "echo");
      assert.deepEqual(echo.inputSchema.required, ["message"]);
      assert.deepEqual(echo.inputSchema.properties, { message: { type: "string" } });
      assert.equal(textOf(await session.call("echo", { message: "hello, wörld" })), "hello, wörld");
    },
  },
  {
    feature: "calls at once",
    async run(session) {
      const messages = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      const results = await Promise.all(messages.map((message) => session.call("echo", { message })));
      assert.deepEqual(results.map(textOf), messages);
    },
  },
  {
    feature: "a large message",
    async run(session) {
      const message = "0123456789äöü€𝄞".repeat(20_000);
      assert.equal(textOf(await session.call("echo", { message })), message);
    },
  },
  {
    feature: "structured output",
    async run(session, revision) {
      const result = await session.call("add", { a: 1.5, b: 2 });
      assert.equal(textOf(result), "3.5");
      if (revision >= "2025-06-18") assert.deepEqual(result.structuredContent, { sum: 3.5 });
    },
  },
  {
    feature: "failing tool",
    async run(session) {
      const result = await session.call("fail");
      assert.equal(result.isError, true);
      assert.match(textOf(result), /it went wrong/);
    },
  },
  {
    feature: "unknown tool",
    // A protocol error or a result with `isError`: revisions of the specification differ.
    async run(session) {
      const outcome = await session.call("nothing").then(
        (result) => (result.isError ? textOf(result) : undefined),
        (error) => error.message,
      );
      assert.match(outcome, /nothing/);
    },
  },
  {
    feature: "resources",
    async run(session) {
      const listed = await session.resources();
      assert.deepEqual(listed.map(({ uri }) => uri).sort(), [note.uri, picture.uri]);
      assert.equal((await session.read(note.uri)).contents[0].text, note.text);
      assert.equal((await session.read(picture.uri)).contents[0].blob, picture.blob);
    },
  },
  {
    feature: "resource templates",
    async run(session) {
      const [{ uriTemplate }] = await session.templates();
      assert.equal(uriTemplate, itemTemplate);
      assert.equal((await session.read("test://items/7")).contents[0].text, itemText(7));
    },
  },
  {
    feature: "prompts",
    async run(session) {
      const [{ name, arguments: args }] = await session.prompts();
      assert.deepEqual([name, args[0].name], ["greet", "name"]);
      assert.deepEqual((await session.prompt("greet", { name: "Ada" })).messages, greeting("Ada").messages);
    },
  },
  {
    feature: "completion",
    async run(session) {
      const prompt = { type: "ref/prompt", name: "greet" };
      const ofPrompt = await session.complete(prompt, { name: "name", value: "A" });
      assert.deepEqual(ofPrompt.completion.values, ["Ada", "Alan"]);
      const template = { type: "ref/resource", uri: itemTemplate };
      const ofTemplate = await session.complete(template, { name: "id", value: "G" });
      assert.deepEqual(ofTemplate.completion.values, ["Grace"]);
    },
  },
  {
    feature: "logging",
    async run(session) {
      await session.hear("info");
      await session.call("log");
      const { level, logger, data } = await session.logs.next();
      assert.deepEqual([level, logger, data], ["warning", "fixture", { said: "careful" }]);
    },
  },
  {
    feature: "progress",
    async run(session) {
      const reports = new Inbox();
      const call = session.call("count", { to: 3 }, { onProgress: (report) => reports.put(report) });
      for (const progress of [1, 2, 3]) {
        const report = await reports.next();
        assert.deepEqual([report.progress, report.total], [progress, 3]);
      }
      await session.call("release");
      assert.equal(textOf(await call), "counted to 3");
    },
  },
  {
    feature: "cancellation",
    async run(session) {
      const controller = new AbortController();
      const call = session.call("wait", {}, { signal: controller.signal });
      await session.call("begun");
      controller.abort();
      await assert.rejects(call);
      assert.equal(textOf(await session.call("aborted")), "1");
    },
  },
  {
    feature: "elicitation",
    since: "2025-06-18",
    async run(session) {
      assert.equal(textOf(await session.call("name")), "hello Ada");
      session.user.elicit = ({ message, requestedSchema }) => {
        assert.equal(message, "Who are you?");
        assert.deepEqual(requestedSchema.required, ["name"]);
        return { action: "decline" };
      };
      assert.equal(textOf(await session.call("name")), "decline");
      session.user.elicit = () => ({ action: "cancel" });
      assert.equal(textOf(await session.call("name")), "cancel");
    },
  },
  {
    feature: "url",
    since: "2025-11-25",
    async run(session) {
      session.user.elicit = ({ mode, url }) => ({ action: mode === "url" && url ? "accept" : "cancel" });
      assert.equal(textOf(await session.call("visit")), "accept");
    },
  },
  {
    feature: "sampling",
    run: async (session) => assert.equal(textOf(await session.call("sample")), "something"),
  },
  {
    feature: "roots",
    run: async (session) => assert.equal(textOf(await session.call("roots")), "file:///home/ada"),
  },
  {
    feature: "subscriptions",
    async run(session, revision) {
      const end = await session.watch(note.uri);
      await session.call("touch");
      assert.equal((await session.updated.next()).uri, note.uri);
      await session.call("grow");
      await session.toolsChanged.next();
      assert.ok((await session.tools()).some(({ name }) => name === "grown"));
      await end();
      if (revision !== modern) await session.ping();
      assert.equal(textOf(await session.call("grown")), "grown");
    },
  },
];

/** All text of a tool's result. */
export function textOf({ content }) {
  return content.map(({ text }) => text).join("\n");
}
