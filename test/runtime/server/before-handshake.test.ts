import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { type Members, RawClient } from "../../support/raw-stdio-client.js";

const version = "io.modelcontextprotocol/protocolVersion";
const all = serverRevisions.map(({ id }) => id);
const modern = all.filter((id) => id >= "2026");
const legacy = all.filter((id) => id < "2026");

const requests: [method: string, params?: Members][] = [
  ["tools/list"],
  ["tools/call", { name: "x", arguments: {} }],
  ["server/discover"],
  ["acme/unknown", {}],
  ["tools/list", { _meta: { progressToken: 1 } }],
];

test.each(
  requests.flatMap(([method, params]) => [
    [method, params, all, ["initialize", version]],
    [method, params, legacy, ["initialize"]],
    [method, params, modern, [version]],
  ]) as [string, Members | undefined, string[], string[]][],
)(
  "%s %j before the handshake, at a server of %j: the error names %j",
  async (method, params, speaks, ways) => {
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: { known: serverRevisions, speaks } },
    );
    const client = new RawClient(server, speaks[0]!);
    client.revision = "2025-11-25";
    const { error } = await client.request(method, params);
    const named = ["initialize", version].filter((way) => error!.message.includes(way));
    expect(named).toEqual(ways);
    expect([-32600, -32602]).toContain(error!.code);
  },
);
