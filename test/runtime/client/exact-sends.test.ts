// Messages of a client are checked like messages of a server, and every generated vector passes the check.
import { readFileSync } from "node:fs";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type ClientHandlers, type McpError, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { heard } from "../../support/heard.mjs";

const revisions = clientRevisions.map(({ id }) => id);

async function pairOf(revision: string, handlers: ClientHandlers = {}) {
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("asks", {}, async (_, { ask }) => {
    const { model } = await ask.sample("s", {
      maxTokens: 1,
      messages: [{ role: "user", content: { type: "text", text: "a" } }],
    });
    return model;
  });
  server.prompt("p", { arguments: [{ name: "a" }] }, () => "");
  const reported: unknown[] = [];
  const handlerError = (error: unknown) => reported.push(error);
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    onEvent: heard({ handlerError }),
    ...handlers,
  });
  onTestFinished(() => pair.close());
  return { ...pair, reported };
}

describe.each(revisions)("a client at %s", (revision) => {
  test("rejects an invalid request and an invalid notification, and does not send them", async () => {
    const { client, wire } = await pairOf(revision);
    const before = wire.session.length;
    await expect(
      client.request("prompts/get", { name: "p", arguments: { a: 3 } } as never),
    ).rejects.toMatchObject({
      code: "invalid-message",
      data: { pointer: "/params/arguments/a" },
    });
    await expect(client.notify("notifications/cancelled", { requestId: {} })).rejects.toMatchObject({
      code: "invalid-message",
      data: { pointer: "/params/requestId" },
    });
    expect(wire.session).toHaveLength(before);
  });

  test("does not send an invalid answer", async () => {
    const { client, reported } = await pairOf(revision, {
      sample: () => ({ role: "assistant", model: 3, content: { type: "text", text: "a" } }) as never,
    });
    const outcome = await client.callTool("asks").catch((error: McpError) => error);
    const text = JSON.stringify(outcome instanceof Error ? outcome.message : outcome.content);
    expect(text).toContain(`is not a CreateMessageResult of ${revision}: model: expected string`);
    expect(reported).toEqual([expect.objectContaining({ code: "invalid-message" })]);
  });
});

interface Vector {
  /** Of a request or notification. */
  readonly method?: string;
  /** The method of the request to which a result belongs. */
  readonly answers?: string;
  readonly from: readonly ("client" | "server")[];
  readonly valid: boolean;
  readonly message: { readonly [name: string]: unknown };
}

test.each(
  [...clientRevisions, ...serverRevisions].map((revision) => [revision.role, revision.id, revision] as const),
)("the check of a %s at %s stops no valid vector", (role, id, { developmentSends: table }) => {
  const file = JSON.parse(readFileSync(`generated/${id}/vectors.json`, "utf8")) as {
    vectors: readonly Vector[];
  };
  const sent = file.vectors.filter(({ from, valid }) => valid && from.includes(role));
  expect(sent.length).toBeGreaterThan(10);
  const stopped = sent.filter(({ method, answers, message }) => {
    const kind = answers === undefined ? ("id" in message ? "requests" : "notifications") : "results";
    const value = kind === "results" ? (message["result"] ?? message) : message;
    const found = table!.find(kind, (answers ?? method)!, value);
    // The schema, and so a vector, does not say what base64 is.
    return found !== undefined && found.pointer === undefined;
  });
  expect(stopped).toEqual([]);
});
