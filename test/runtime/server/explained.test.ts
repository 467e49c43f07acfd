import { expect, test } from "vitest";
import { serverRevisions } from "@mcpgen/protocol";
import { explained } from "@mcpgen/protocol/explained";
import { createServer, memoryChannels } from "@mcpgen/runtime";

/** The error of a server for a request that it refuses. */
async function refusal(revisions: typeof serverRevisions, request: object): Promise<unknown> {
  const server = createServer({ name: "s", version: "1" }, { revisions });
  const complete = { a: () => ["x"] };
  server.prompt("p", { arguments: [{ name: "a" }], complete }, () => "text");
  const [here, there] = memoryChannels();
  const answered = new Promise<{ error: unknown }>((resolve) =>
    here.open({
      message: (text) => {
        const answer = JSON.parse(text) as { id: number; error: unknown };
        if (answer.id === 1) resolve(answer);
      },
      turn: () => {},
      tooLong: () => {},
      closed: () => {},
    }),
  );
  server.connect(there);
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  here.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  here.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  here.send(JSON.stringify({ jsonrpc: "2.0", id: 1, ...request }));
  const { error } = await answered;
  await here.close();
  return error;
}

const request = {
  method: "completion/complete",
  params: { ref: { type: "ref/promt", name: "p" }, argument: { name: 1, value: "" } },
};

test("by default, the error for a refused request has the first wrong place", async () => {
  expect(await refusal(serverRevisions, request)).toEqual({
    code: -32602,
    message: "params.argument.name: expected string, got 1 (number)",
  });
});

test("with explained revisions, the error lists all wrong places", async () => {
  expect(await refusal(explained(serverRevisions), request)).toEqual({
    code: -32602,
    message:
      "params.argument.name: expected string, got 1 (number)\n" +
      'params.ref.type: expected one of "ref/prompt", "ref/resource", got "ref/promt" (string); did you mean "ref/prompt"?',
  });
});
