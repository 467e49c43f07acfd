import type { Revision, Step, Steps } from "@mcpgen/protocol/model";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { McpError } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { carriedOut, memberOf, toolError } from "../../generated/stepping.js";
import { failureOf } from "../support/failure-of.js";
import { type Wire, clientOf, serverWith, wires } from "../support/served.js";

// A final result of a handler that cannot be converted to the other revision: its effect has happened, and must not
// happen twice.

const older = "2025-11-25";

/** Refuses values with the member `odd`. */
const refusing: Parameters<typeof carriedOut>[0] = (value, report) =>
  memberOf(value, "odd") === undefined
    ? value
    : report.refuse({ code: "odd", pointer: "/odd", reason: "has no form" });

type Table = "incomingResults" | "outgoingResults";

/** The revisions, with these steps between the two newest. */
function stepping<R extends "client" | "server">(
  revisions: readonly Revision<R>[],
  table: Table,
  rows: { readonly [method: string]: unknown },
): readonly Revision<R>[] {
  return revisions.map((revision) => {
    const { steps } = revision;
    if (revision.id !== older || !steps) return revision;
    const more = Object.entries(rows) as [string, Step][];
    const changed: Steps = { ...steps, [table]: new Map([...steps[table], ...more]) };
    return { ...revision, steps: changed };
  });
}

const rows = {
  "tools/call": carriedOut(refusing, toolError),
  "resources/read": carriedOut(refusing),
};

async function serving(wire: Wire, table: Table) {
  let ran = 0;
  const server = serverWith({
    ...(table === "outgoingResults" ? { revisions: stepping(serverRevisions, table, rows) } : {}),
    validation: { send: "off" },
  });
  server.tool("odd", {}, () => {
    ran++;
    return { content: [{ type: "text", text: "a" }], odd: 1 } as never;
  });
  server.resource("x:/odd", {}, () => {
    ran++;
    return { contents: [], odd: 1 } as never;
  });
  const client = await clientOf(server, wire, older, {
    ...(table === "incomingResults" ? { revisions: stepping(clientRevisions, table, rows) } : {}),
  });
  return { client, ran: () => ran };
}

const carried = "/odd: has no form; the request was carried out";

test.each(
  wires.flatMap(
    (wire) =>
      [
        [wire, "outgoingResults"],
        [wire, "incomingResults"],
      ] as const,
  ),
)("a call of a tool gets the texts of its result (%s, %s)", async (wire, table) => {
  const { client, ran } = await serving(wire, table);
  expect(await client.callTool("odd")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(carried) as string }, { text: "a" }],
  });
  expect(ran()).toBe(1);
});

test.each(wires)("the error of another request states that it was carried out (%s)", async (wire) => {
  const { client, ran } = await serving(wire, "incomingResults");
  expect(await failureOf(client.readResource("x:/odd"))).toMatchObject({
    code: "not-expressible",
    message: expect.stringContaining(carried) as string,
  });
  expect(ran()).toBe(1);
});

test("the client of a server gets that error, too", async () => {
  const { client } = await serving("memory", "outgoingResults");
  expect(await failureOf(client.readResource("x:/odd"))).toMatchObject({
    rpcCode: -32603,
    message: expect.stringContaining(carried) as string,
  });
});

describe("a result of a tool that the client cannot read", () => {
  const unread = "; the request was carried out";
  /** The results of a third-party server, by name of the tool. */
  const sent: { readonly [tool: string]: object } = {
    wrong: { content: [{ type: "text" }] },
    odd: { content: [], odd: 1 },
  };
  const tables = { ...rows, "tools/call": carriedOut(refusing) };

  async function calling(wire: Wire) {
    let ran = 0;
    const server = serverWith({ validation: { send: "off" } });
    for (const [name, answer] of Object.entries(sent))
      server.tool(name, { annotations: { readOnlyHint: true, idempotentHint: true } }, () => {
        ran++;
        return answer as never;
      });
    const revisions = stepping(clientRevisions, "incomingResults", tables);
    const client = await clientOf(server, wire, older, { revisions });
    await client.listTools();
    return { client, ran: () => ran };
  }

  test.each(
    wires.flatMap((wire) =>
      [true, false].flatMap((resend) =>
        [
          ["wrong", "invalid-result"],
          ["odd", "not-expressible"],
        ].map(([tool, code]) => [tool!, code!, wire, resend] as const),
      ),
    ),
  )(
    "is in the error, and the call is not made again (%s, %s, %s, resend: %s)",
    async (tool, code, wire, resend) => {
      const { client, ran } = await calling(wire);
      const error = (await failureOf(client.callTool(tool, {}, { resend }))) as McpError;
      expect(error).toMatchObject({ code, data: { result: sent[tool] } });
      expect(error.message.split(unread)).toHaveLength(2);
      expect(ran()).toBe(1);
    },
  );
});
