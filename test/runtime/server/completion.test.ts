import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { expect, test } from "vitest";

test("a server of only 2024-11-05, which has no capability for completions, answers without a completer", async () => {
  const isOldest = ({ id }: { readonly id: string }): boolean => id === "2024-11-05";
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions.filter(isOldest) });
  server.prompt("known", { arguments: [{ name: "topic" }] }, () => "");
  const { client, close } = await createTestPair({ server, revisions: clientRevisions.filter(isOldest) });
  const complete = (name: string) =>
    client.complete({ ref: { type: "ref/prompt", name }, argument: { name: "topic", value: "" } });
  expect((await complete("known")).completion.values).toEqual([]);
  await expect(complete("unknown")).rejects.toMatchObject({ rpcCode: -32602 });
  await close();
});
