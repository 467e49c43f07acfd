import { describe, expect, test } from "vitest";
import { adapters, serve } from "../support/http-adapters.js";
import { Party, messagesOf } from "../support/raw-http-client.js";
import { clientOf, served } from "../support/raw-stdio-client.js";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const wrong = [null, [1], "x", 5, true];
const methods = ["tools/call", "tools/list", "prompts/get", "ping", "acme/none"];

/** The code of the error for wrong params: of a method that the server has, and of one that it does not have. */
const codeFor = (method: string): number => (method === "acme/none" ? -32601 : -32602);

const withTool = () => {
  const events: unknown[] = [];
  const made = served((server) => {
    server.tool("t", {}, () => "here");
    server.prompt("p", {}, () => "here");
    server.onEvent((event) => events.push(event));
  });
  return { ...made, events };
};

describe.each(revisions)("params that are not an object, at %s", (revision) => {
  const requests = methods.flatMap((method) =>
    wrong
      // Null counts as absent where a method needs no params.
      .filter((params) => params !== null || !["tools/list", "ping"].includes(method))
      .map((params, at) => ({ jsonrpc: "2.0", id: `${method} ${at}`, method, params })),
  );
  const codes = requests.map(({ id, method }) => [id, codeFor(method)]);

  test("are refused on a pipe, and the server continues", async () => {
    const made = withTool();
    const client = await clientOf(made, revision);
    for (const request of requests) client.write(`${JSON.stringify(request)}\n`);
    const answers = await Promise.all(requests.map(({ id }) => client.answer(id)));
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual(codes);
    expect((await client.call("t")).result).toBeDefined();
    expect(
      made.events.filter((event) => (event as { type: string }).type === "request-refused"),
    ).toHaveLength(requests.length);
  });

  test.each(adapters)(
    "are refused over HTTP (%s), with and without permit, and the server continues",
    async (adapter) => {
      for (const options of [{}, { permit: () => undefined }]) {
        const { url } = await serve(adapter, withTool().server, options);
        const party = await new Party(url, revision).open();
        const answers = await Promise.all(requests.map((request) => party.post(request)));
        for (const answer of answers) await answer.whole();
        expect(answers.map(messagesOf).map(([message]) => [message?.id, message?.error?.code])).toEqual(
          codes,
        );
        expect((await party.tool("t"))["content"]).toBeDefined();
      }
    },
  );
});
