// Peers that know several revisions and are left to find the one to speak.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { textOf } from "./behaviours.mjs";
import { connect } from "./clients/ours.mjs";
import { modern, servers } from "./peers.mjs";

const timeout = 20_000;
const info = { name: "fixture", version: "1.0.0" };
const command = { command: process.execPath, args: [servers.ours.file] };
const echo = { name: "echo", arguments: { message: "hello" } };

for (const [name, expected] of Object.entries({
  ours: modern,
  "sdk-v1": "2025-11-25",
  "sdk-v2": modern,
  tmcp: modern,
}))
  test(`our client and ${name} agree on ${expected}`, { timeout }, async () => {
    const session = await connect(servers[name].file);
    assert.equal(session.revision(), expected);
    assert.equal(textOf(await session.call("echo", { message: "hello" })), "hello");
    await session.close();
  });

test("version 1 of the SDK, as it comes, and our server agree on 2025-11-25", { timeout }, async () => {
  const client = new ClientV1(info);
  const transport = new TransportV1(command);
  let agreed;
  transport.setProtocolVersion = (version) => {
    agreed = version;
  };
  await client.connect(transport);
  assert.equal(agreed, "2025-11-25");
  assert.equal(textOf(await client.callTool(echo)), "hello");
  await client.close();
});

for (const [mode, expected] of [
  ["legacy", "2025-11-25"],
  ["auto", modern],
])
  test(`version 2 of the SDK in mode ${mode} and our server agree on ${expected}`, { timeout }, async () => {
    const client = new ClientV2(info, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(command));
    assert.equal(client.getNegotiatedProtocolVersion(), expected);
    assert.equal(textOf(await client.callTool(echo)), "hello");
    await client.close();
  });
