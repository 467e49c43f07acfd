// Peers that know several revisions and are left to find the one to speak.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { textOf } from "./behaviours.mjs";
import { connect } from "./clients/ours.mjs";
import { modern, servers } from "./peers.mjs";

const timeout = 20_000;
const late = fileURLToPath(new URL("servers/late.mjs", import.meta.url));
const info = { name: "fixture", version: "1.0.0" };
const command = { command: process.execPath, args: [servers.ours.file] };
const echo = { name: "echo", arguments: { message: "hello" } };

// Started late, a server has a probe and a handshake before it: whatever it makes of that, both must agree.
for (const [name, expected] of Object.entries({
  ours: [modern, "2025-11-25"],
  "sdk-v1": ["2025-11-25"],
  "sdk-v2": [modern, "2025-11-25"],
  tmcp: [modern, "2025-06-18"],
})) {
  test(`our client and ${name} agree`, { timeout }, () => agreeing([servers[name].file], expected));
  test(`our client and ${name}, started late, agree`, { timeout }, () =>
    agreeing([late, servers[name].file], expected),
  );
}

async function agreeing([file, ...args], expected) {
  const session = await connect(file, undefined, args);
  try {
    const revision = session.revision();
    assert.ok(expected.includes(revision), revision);
    assert.equal(textOf(await session.call("echo", { message: "hello" })), "hello");
  } finally {
    await session.close();
  }
}

test("version 1 of the SDK, as it comes, and our server agree on 2025-11-25", { timeout }, async () => {
  const client = new ClientV1(info);
  const transport = new TransportV1(command);
  let agreed;
  transport.setProtocolVersion = (version) => {
    agreed = version;
  };
  await client.connect(transport);
  try {
    assert.equal(agreed, "2025-11-25");
    assert.equal(textOf(await client.callTool(echo)), "hello");
  } finally {
    await client.close();
  }
});

for (const [mode, expected] of [
  ["legacy", "2025-11-25"],
  ["auto", modern],
])
  test(`version 2 of the SDK in mode ${mode} and our server agree on ${expected}`, { timeout }, async () => {
    const client = new ClientV2(info, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(command));
    try {
      assert.equal(client.getNegotiatedProtocolVersion(), expected);
      assert.equal(textOf(await client.callTool(echo)), "hello");
    } finally {
      await client.close();
    }
  });
