// Identifiers of extensions that a program declares: valid by the specification, or refused.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer, memoryChannels } from "@mcpgen/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idPattern } from "../../generator/extension/extension-store.js";
import { extensionIdPattern } from "../../runtime/base/options/extension-ids.js";
import { cases, seed } from "../support/cases.mjs";
import { RawClient, served } from "../support/raw-stdio-client.js";
import { connected, reply } from "../support/scripted-stdio-server.js";

const right = [
  "com.example/search",
  "io.modelcontextprotocol/tasks",
  "a/b",
  "com.my-company/a.b_c-d",
  "x1.y2/0",
];
const wrong = [
  ...["", "search", "/search", "com.example/", "com.example/a/b", "com..example/a", ".com/a", "com./a"],
  ...[
    "1com/a",
    "com.-a/b",
    "com.a-/b",
    "com.example/-a",
    "com.example/a-",
    "com.example/a b",
    "com.example/é",
  ],
  ...["com.mcp/a", "dev.modelcontextprotocol/a", "com.mcp.tools/a", "com.example/a\n"],
];

/** The outcome for a server and a client that declare an extension. */
async function declared(id: string): Promise<string[]> {
  const capabilities = { extensions: { [id]: {} } };
  const [near, far] = memoryChannels();
  void far.close();
  const made = [
    async () => createServer({ name: "s", version: "1" }, { revisions: serverRevisions, capabilities }),
    () => connect(near, { revisions: clientRevisions, capabilities }),
  ];
  return Promise.all(
    made.map(async (make) => {
      try {
        await make();
        return "taken";
      } catch (error) {
        const { code, message } = error as { readonly code?: string; readonly message: string };
        return code === "invalid-definition" && message.includes(JSON.stringify(id)) ? "refused" : "taken";
      }
    }),
  );
}

test.each(right)("%j is accepted by both roles", async (id) => {
  expect(await declared(id)).toEqual(["taken", "taken"]);
});

test.each(wrong)("%j is refused by both roles", async (id) => {
  expect(await declared(id)).toEqual(["refused", "refused"]);
});

test("the compiler and the runtime have the same rule", () => {
  expect(extensionIdPattern.source.replaceAll("\\/", "/")).toBe(idPattern);
  const text = fc.string({
    unit: fc.constantFrom(..."aZ0.-_/é ", "mcp", "io.modelcontextprotocol"),
    maxLength: 8,
  });
  fc.assert(
    fc.property(text, (id) => {
      expect(extensionIdPattern.test(id)).toBe(new RegExp(idPattern).test(id));
    }),
    { seed, numRuns: cases(10_000) },
  );
});

describe("identifiers that the other side declares", () => {
  const revisions = ["2025-11-25", "2026-07-28"];
  const ids = [...wrong, "__proto__", "constructor", "toString"];
  const values = [{}, null, true, [], "on", 1];
  const declarations = ids.flatMap((id) => values.map((value) => ({ [id]: value })));
  const all = Object.fromEntries(ids.map((id) => [id, {}]));

  test.each(revisions)("are ignored by a server of %s", async (revision) => {
    for (const extensions of [all, null, ...declarations]) {
      const made = served((server) =>
        server.tool("t", {}, (_, { clientCapabilities }) => JSON.stringify(clientCapabilities)),
      );
      const client = new RawClient(made.server, revision, { extensions });
      if (!client.isModern) await client.open();
      const { result, error } = await client.call("t");
      // For the schema of 2026-07-28, settings must be objects.
      if (result) expect(result).toMatchObject({ content: [{ type: "text" }] });
      else expect(error).toMatchObject({ code: -32602 });
      client.capabilities = {};
      expect((await client.request("tools/list")).result).toBeDefined();
    }
  });

  test.each(revisions)("are ignored by a client of %s", async (revision) => {
    for (const extensions of [all, null, ...declarations]) {
      const capabilities = { tools: {}, extensions };
      const { client } = await scriptedFor(revision, capabilities);
      expect(client.serverCapabilities.tools).toEqual({});
      if (revision > "2026") expect(client.serverCapabilities.extensions).not.toBeNull();
      expect((await client.callTool("t")).content).toEqual([]);
      await client.close();
    }
  });
});

/** A client of a server that declares these capabilities. */
function scriptedFor(revision: string, capabilities: object) {
  return connected(revision, {
    initialize: () => ({
      result: { protocolVersion: revision, capabilities, serverInfo: { name: "s", version: "1" } },
    }),
    "server/discover": (_, peer) => reply(peer, { supportedVersions: [revision], capabilities }),
  });
}
