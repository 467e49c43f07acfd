// Both official SDKs with our example servers: all that they list can be read and rendered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { textOf } from "./behaviours.mjs";
import { clients, legacy, modern } from "./peers.mjs";
import { hang as timeout } from "../support/until.mjs";

const examples = ["bench-server", "echo", "everything-server", "weather"];

for (const name of examples)
  for (const [client, revision] of [
    ["sdk-v1", legacy.at(-1)],
    ["sdk-v2", legacy.at(-1)],
    ["sdk-v2", modern],
  ])
    test(`client ${client}, ${revision}, reads what ${name} offers`, { timeout }, async () => {
      const { connect } = await import(clients[client].module);
      const file = fileURLToPath(new URL(`../../dist/examples/${name}/main.js`, import.meta.url));
      const session = await connect(file, revision, ["--stdio"]);
      // A prompt may ask for input, which the user may decline.
      session.user.elicit = () => ({ action: "decline" });
      try {
        await readAll(session);
      } finally {
        await session.close();
      }
    });

async function readAll(session) {
  const { prompts, resources } = session.capabilities();
  const tools = await session.tools();
  assert.ok(tools.length > 0);
  if (tools.some(({ name }) => name === "echo"))
    assert.match(textOf(await session.call("echo", { message: "hello" })), /hello/);
  if (resources) {
    for (const { uri } of await session.resources()) assert.ok((await session.read(uri)).contents.length > 0);
    await session.templates();
  }
  if (!prompts) return;
  for (const { name, arguments: declared = [] } of await session.prompts()) {
    const given = Object.fromEntries(declared.map((one) => [one.name, "something"]));
    assert.ok((await session.prompt(name, given)).messages.length > 0);
  }
}
