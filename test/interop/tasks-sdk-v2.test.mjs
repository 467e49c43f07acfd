// Our tools that run as tasks, and a client without tasks: the official SDK, version 2, has none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { modern } from "./peers.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const ours = fileURLToPath(new URL("servers/tasks.mjs", import.meta.url));

const textOf = ({ content }) => content[0].text;

/** The result that a client without tasks gets from a tool that requires them. */
const refusals = {
  "2025-06-18": ({ isError, content }) => {
    assert.equal(isError, true);
    assert.match(content[0].text, /task/);
  },
  "2025-11-25": { code: -32601 },
  [modern]: {
    code: -32021,
    data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
  },
};

for (const way of ["stdio", "node", "fetch"])
  for (const [revision, refusal] of Object.entries(refusals))
    test(`a client of the SDK without tasks, our server over ${way}, ${revision}`, { timeout }, async () => {
      const server = way === "stdio" ? undefined : await started([ours, way]);
      const client = new Client(
        { name: "host", version: "1.0.0" },
        {
          capabilities: { elicitation: { form: {} } },
          ...(revision === modern
            ? { versionNegotiation: { mode: { pin: modern } } }
            : { supportedProtocolVersions: [revision] }),
        },
      );
      client.setRequestHandler("elicitation/create", () => ({
        action: "accept",
        content: { name: "Ada" },
      }));
      try {
        await client.connect(
          server
            ? new StreamableHTTPClientTransport(server.url)
            : new StdioClientTransport({ command: process.execPath, args: [ours] }),
        );
        const progress = [];
        const onprogress = (report) => {
          progress.push(report.message);
          void client.callTool({ name: "release", arguments: { text: "it" } });
        };
        const work = await client.callTool({ name: "work", arguments: { text: "it" } }, { onprogress });
        assert.equal(textOf(work), "worked on it");
        // The last report may be lost: the SDK drops progress that it reads together with the answer.
        assert.equal(progress[0], "half");
        assert.equal(textOf(await client.callTool({ name: "name" })), "hello Ada");
        assert.equal((await client.callTool({ name: "fail" })).isError, true);
        const strict = client.callTool({ name: "strict" });
        if (typeof refusal === "function") refusal(await strict);
        else await assert.rejects(strict, refusal);
      } finally {
        await client.close();
        await server?.close();
      }
    });
