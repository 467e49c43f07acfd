import { spawn } from "node:child_process";
import { once } from "node:events";
import { serverRevisions } from "@mcpgen/protocol";
import type { CodeFirstServer } from "@mcpgen/runtime";
import { expect, onTestFinished } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { RawClient, metaOf, raw, served } from "../../support/raw-stdio-client.js";
import { row } from "./rows.js";

function echo(server: CodeFirstServer): void {
  server.tool<{ text: string }>("echo", {}, ({ text }) => text);
}

row("STDIO-04", "chunks of any size, many messages in one, CRLF", async (revision) => {
  const { client } = await raw(revision, echo);
  const calls = Array.from({ length: 100 }, (_, index) =>
    client.requestOf("tools/call", { name: "echo", arguments: { text: `${index}` } }, `c${index}`),
  );
  client.send(...calls);
  for (const { id } of calls) await client.answer(id);
  const ends = ["\n", "\r\n", "\n\n", "\r\n\r\n"];
  const requests = ends.map((_, index) =>
    client.requestOf("tools/call", { name: "echo", arguments: { text: "" } }, `e${index}`),
  );
  const text = requests.map((request, index) => JSON.stringify(request) + ends[index]).join("");
  for (const byte of new TextEncoder().encode(text)) client.write(Uint8Array.of(byte));
  for (const { id } of requests)
    expect((await client.answer(id)).result?.["content"]).toEqual([{ type: "text", text: "" }]);
  client.faults.length = 0;
});

row("STDIO-11", "after a request is cancelled nothing more is sent for it", async (revision) => {
  let report!: (done: number) => void;
  const { client, clock } = await raw(
    revision,
    (server) => {
      echo(server);
      server.tool("work", {}, async (_, { progress, signal, log }) => {
        report = (done) => {
          progress(done);
          log("error", done);
        };
        report(1);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        report(3);
        return "late";
      });
    },
    {},
    { capabilities: { logging: {} } },
  );
  const id = client.startCall(
    "work",
    {},
    { progressToken: "t", "io.modelcontextprotocol/logLevel": "debug" },
  );
  await client.next("notifications/progress");
  await client.next("notifications/message");
  const mark = client.received.length;
  client.cancel(id);
  await client.settled();
  report(2);
  await clock.advance(2000);
  expect(await client.settled(mark)).toEqual([]);
  expect((await client.call("echo", { text: "on" })).result?.["content"]).toEqual([
    { type: "text", text: "on" },
  ]);
});

row("STDIO-19", "one process serves both eras", async (revision) => {
  const client = new RawClient(served(echo).server, revision);
  expect((await client.request("server/discover")).result?.["supportedVersions"]).toContain(revision);
  expect((await client.request("tools/list")).result).toMatchObject({ resultType: "complete", ttlMs: 0 });
  client.revision = "2025-11-25";
  expect((await client.open()).result).toMatchObject({ protocolVersion: "2025-11-25" });
  const { result } = await client.request("tools/list");
  expect(Object.keys(result!)).toEqual(["tools"]);
  // Requests that say so themselves are modern still.
  client.send({ jsonrpc: "2.0", id: "m", method: "tools/list", params: { _meta: metaOf() } });
  expect((await client.answer("m")).result).toMatchObject({ resultType: "complete" });
});

row("STDIO-20", "before initialize there is nothing but ping", async (revision) => {
  for (const revisions of [serverRevisions, serverRevisions.filter(({ id }) => id === revision)]) {
    const client = new RawClient(served(echo, { revisions }).server, revision);
    for (const [method, params] of [
      ["tools/list", {}],
      ["tools/call", { name: "echo", arguments: { text: "" } }],
    ] as const)
      expect([-32600, -32602]).toContain((await client.request(method, params)).error?.code);
    expect((await client.request("ping")).result).toEqual({});
    await client.open();
    expect((await client.request("tools/list")).result?.["tools"]).toHaveLength(1);
  }
});

const program = builtProgram("test/support/every-feature/main.ts");

row("STDIO-06", "the end of the input ends the process, also during a call", async (revision) => {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const legacy = revision < "2026";
  const meta = legacy ? {} : { _meta: metaOf() };
  const lines = [
    ...(legacy
      ? [
          {
            id: 1,
            method: "initialize",
            params: {
              protocolVersion: revision,
              capabilities: {},
              clientInfo: { name: "raw", version: "1" },
            },
          },
          { method: "notifications/initialized" },
        ]
      : []),
    { id: 2, method: "tools/call", params: { name: "wait", arguments: {}, ...meta } },
    { id: 3, method: "tools/list", params: meta },
  ];
  child.stdin.write(lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join(""));
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk as string;
    // The answer to a later request shows that the server handles the call.
    if (output.includes('"id":3')) break;
  }
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});
