// Peers that know several revisions and negotiate one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { textOf } from "./behaviours.mjs";
import { connect } from "./clients/ours.mjs";
import { httpServers, modern, oursOverHttp, servers } from "./peers.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const late = fileURLToPath(new URL("servers/late.mjs", import.meta.url));
const info = { name: "fixture", version: "1.0.0" };
const command = { command: process.execPath, args: [servers.ours.file] };
const echo = { name: "echo", arguments: { message: "hello" } };

// A slow server reads a probe and a handshake together. Whichever it answers, both peers must agree.
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

// Over HTTP, the client waits for the answer, so only one revision is possible.
for (const [name, expected] of Object.entries({
  "ours by node:http": modern,
  "ours by fetch, no sessions": modern,
  "sdk-v1 with sessions": "2025-11-25",
  "sdk-v1, no sessions, JSON": "2025-11-25",
  "sdk-v2 with sessions": "2025-11-25",
  "sdk-v2 by its handler": modern,
  tmcp: modern,
}))
  test(`our client and ${name} agree over HTTP on ${expected}`, { timeout }, async () => {
    const { url, close } = await started(httpServers[name].command);
    try {
      await agreeing([url], [expected]);
    } finally {
      await close();
    }
  });

async function agreeing([target, ...args], expected) {
  const session = await connect(target, undefined, args);
  try {
    const revision = session.revision();
    assert.ok(expected.includes(revision), revision);
    assert.equal(textOf(await session.call("echo", { message: "hello" })), "hello");
  } finally {
    await session.close();
  }
}

/** Ways to a server of ours, as transports of an SDK: `{ open }` resolves with `{ transport, close }`. */
function ways(OnStdio, OverHttp) {
  const overHttp = (name) => async () => {
    const { url, close } = await started(oursOverHttp[name].command);
    return { transport: new OverHttp(url), close };
  };
  return {
    "on stdio": async () => ({ transport: new OnStdio(command), close: async () => undefined }),
    "by node:http": overHttp("ours by node:http"),
    "by fetch, no sessions": overHttp("ours by fetch, no sessions"),
  };
}

for (const [way, open] of Object.entries(ways(TransportV1, HttpV1)))
  test(
    `version 1 of the SDK with its defaults and our server ${way} agree on 2025-11-25`,
    { timeout },
    async () => {
      const { transport, close } = await open();
      const client = new ClientV1(info);
      const setVersion = transport.setProtocolVersion?.bind(transport);
      let agreed;
      transport.setProtocolVersion = (version) => {
        agreed = version;
        setVersion?.(version);
      };
      try {
        await client.connect(transport);
        assert.equal(agreed, "2025-11-25");
        assert.equal(textOf(await client.callTool(echo)), "hello");
      } finally {
        await client.close();
        await close();
      }
    },
  );

for (const [way, open] of Object.entries(ways(TransportV2, HttpV2)))
  for (const [mode, expected] of [
    ["legacy", "2025-11-25"],
    ["auto", modern],
  ])
    test(
      `version 2 of the SDK in mode ${mode} and our server ${way} agree on ${expected}`,
      { timeout },
      async () => {
        const { transport, close } = await open();
        const client = new ClientV2(info, { versionNegotiation: { mode } });
        try {
          await client.connect(transport);
          assert.equal(client.getNegotiatedProtocolVersion(), expected);
          assert.equal(textOf(await client.callTool(echo)), "hello");
        } finally {
          await client.close();
          await close();
        }
      },
    );
