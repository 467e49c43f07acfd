// Our client with the reference server that shows every feature.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { textOf } from "./behaviours.mjs";
import { connect } from "./clients/ours.mjs";
import { legacy } from "./peers.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const file = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

const document = "demo://resource/static/document/features.md";

// Concurrent, because this server ends only on a signal, which clients send after some seconds.
describe("server-everything", { concurrency: true }, () => {
  for (const revision of [...legacy, undefined])
    describe(revision ?? "any revision", () => session(revision ?? legacy.at(-1), revision, onStdio));
});
describe("server-everything over HTTP", { concurrency: 2 }, () => {
  for (const revision of [...legacy.slice(1), undefined])
    describe(revision ?? "any revision", () => session(revision ?? legacy.at(-1), revision, overHttp));
});

async function onStdio() {
  return { target: file };
}

async function overHttp() {
  const { url, close } = await started([file, "streamableHttp"], { PORT: "0" });
  return { target: url, close };
}

function session(expected, asked, open) {
  let session;
  let server;
  before(async () => {
    server = await open();
    session = await connect(server.target, asked);
  });
  after(async () => {
    await session?.close();
    await server?.close?.();
  });
  const can = (name, run) => test(name, { timeout }, () => run(session));

  can("opening", async ({ revision, instructions }) => {
    assert.equal(revision(), expected);
    assert.match(instructions(), /Everything/);
  });
  can("tools", async ({ call, tools }) => {
    assert.ok((await tools()).length >= 10);
    assert.equal(textOf(await call("echo", { message: "hello" })), "Echo: hello");
    assert.match(textOf(await call("get-sum", { a: 2, b: 3 })), /\b5\b/);
    const { content } = await call("get-tiny-image");
    assert.ok(content.some(({ type, mimeType }) => type === "image" && mimeType === "image/png"));
  });
  can("content of every kind", async ({ call }) => {
    const links = await call("get-resource-links", { count: 3 });
    assert.equal(links.content.filter(({ type }) => type === "resource_link").length, 3);
    const reference = await call("get-resource-reference", { resourceType: "Blob", resourceId: 1 });
    assert.ok(reference.content.some(({ type, resource }) => type === "resource" && resource.blob));
    const weather = await call("get-structured-content", { location: "Chicago" });
    assert.equal(typeof weather.structuredContent.temperature, "number");
  });
  can("wrong arguments", async ({ call }) => {
    const outcome = await call("get-sum", { a: "two" }).then(
      ({ isError }) => isError,
      ({ rpcCode }) => rpcCode === -32602,
    );
    assert.equal(outcome, true);
  });
  can("resources and templates", async ({ read, resources, templates }) => {
    assert.ok((await resources()).some(({ uri }) => uri === document));
    assert.equal((await templates()).length, 2);
    assert.ok((await read(document)).contents[0].text.length > 0);
    assert.ok((await read("demo://resource/dynamic/blob/1")).contents[0].blob.length > 0);
  });
  can("prompts and completion", async ({ complete, prompt, prompts }) => {
    assert.ok((await prompts()).length >= 4);
    const { messages } = await prompt("args-prompt", { city: "Paris" });
    assert.match(messages[0].content.text, /Paris/);
    const ref = { type: "ref/prompt", name: "completable-prompt" };
    const { completion } = await complete(ref, { name: "department", value: "E" });
    assert.deepEqual(completion.values, ["Engineering"]);
  });
  can("progress", async ({ call }) => {
    const seen = [];
    const onProgress = ({ progress, total }) => seen.push(`${progress}/${total}`);
    await call("trigger-long-running-operation", { duration: 0.1, steps: 4 }, { onProgress });
    assert.deepEqual(seen, ["1/4", "2/4", "3/4", "4/4"]);
  });
  can("sampling", async ({ call }) => {
    assert.match(textOf(await call("trigger-sampling-request", { prompt: "go" })), /something/);
  });
  can("roots", async ({ call }) =>
    assert.match(textOf(await call("get-roots-list")), /file:\/\/\/home\/ada/),
  );
  if (expected >= "2025-06-18")
    can("elicitation", async ({ call }) => {
      assert.match(textOf(await call("trigger-elicitation-request")), /Ada/);
    });
  can("logging", async ({ call, hear, logs }) => {
    await hear("debug");
    await call("toggle-simulated-logging");
    assert.equal(typeof (await logs.next()).data, "string");
    await call("toggle-simulated-logging");
  });
  can("subscriptions", async ({ call, updated, watch }) => {
    const end = await watch(document);
    await call("toggle-subscriber-updates");
    assert.equal((await updated.next()).uri, document);
    await end();
  });
}
