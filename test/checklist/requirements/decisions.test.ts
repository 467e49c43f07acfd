import { revisionIds } from "@mcpgen/protocol";
import { type CodeFirstServer, McpError } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { connected } from "../../support/scripted-stdio-server.js";
import { type Members, raw } from "../../support/raw-stdio-client.js";

/** The form of a failure: the code of an error, the `isError` of a result, or nothing at all. */
type Verdict = number | "isError" | "nothing";

/**
 * R35: which failures are protocol errors and which are results, by revision (server/tools, error handling). A call
 * that cannot run is an error. A failure that a model can correct is a result; since 2025-11-25, this includes wrong
 * arguments.
 */
const decisions: readonly (readonly [what: string, params: Members, (revision: string) => Verdict])[] = [
  ["an unknown tool", { name: "no-such" }, () => -32602],
  ["a request without a name", {}, () => -32602],
  ["arguments that are no object", { name: "add", arguments: 5 }, () => -32602],
  [
    "wrong arguments",
    { name: "add", arguments: { a: "1" } },
    (revision) => (revision < "2025-11" ? -32602 : "isError"),
  ],
  ["a handler that throws", { name: "throws" }, () => "isError"],
  ["a handler that rejects", { name: "rejects" }, () => "isError"],
  ["a handler that names a code", { name: "names-a-code" }, () => -32050],
  ["an answer against the output schema", { name: "breaks-its-word" }, () => -32603],
  ["the handler's own error, against the output schema, too", { name: "fails-by-itself" }, () => "isError"],
  ["a call that was cancelled", { name: "cancelled" }, () => "nothing"],
];

const outputSchema = {
  type: "object" as const,
  properties: { sum: { type: "number" } },
  required: ["sum"],
};

function define(server: CodeFirstServer): void {
  const inputSchema = { type: "object" as const, properties: { a: { type: "number" } } };
  server.tool("add", { inputSchema }, () => "done");
  server.tool("throws", {}, () => {
    throw new Error("the disk is full");
  });
  server.tool("rejects", {}, () => Promise.reject(new TypeError("the disk is full")));
  server.tool("names-a-code", {}, () => {
    throw new McpError("internal-error", "the disk is full", { rpcCode: -32050 });
  });
  server.tool("breaks-its-word", { outputSchema }, () => ({ structuredContent: { sum: "3" } }));
  server.tool("fails-by-itself", { outputSchema }, () => ({
    content: [{ type: "text", text: "the disk is full" }],
    structuredContent: { sum: "3" },
    isError: true,
  }));
  server.tool(
    "cancelled",
    {},
    (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("late"))),
  );
}

describe.each(revisionIds)("R35, at %s", (revision) => {
  test.each(decisions)("%s", async (_, params, verdict) => {
    const { client } = await raw(revision, define);
    const id = client.start("tools/call", params);
    if (verdict(revision) === "nothing") {
      client.cancel(id);
      const since = await client.settled();
      return expect(since.filter((message) => message.id === id)).toEqual([]);
    }
    const { error, result } = await client.answer(id);
    const outcome = result?.["isError"] === true ? "isError" : "success";
    expect(error?.code ?? outcome).toBe(verdict(revision));
    // The text explains the failure to a model or a person.
    const text = error?.message ?? (result?.["content"] as Members[] | undefined)?.[0]?.["text"];
    expect(String(text).length).toBeGreaterThan(10);
    if (/disk|itself/.test(String(params["name"]))) expect(text).toContain("the disk is full");
  });

  test("one setting decides about wrong arguments, at every revision", async () => {
    const wrong = { name: "add", arguments: { a: "1" } };
    const asError = await raw(revision, define, {}, { wrongArguments: "error" });
    expect((await asError.client.request("tools/call", wrong)).error).toMatchObject({ code: -32602 });
    const asResult = await raw(revision, define, {}, { wrongArguments: "result" });
    expect((await asResult.client.request("tools/call", wrong)).result).toMatchObject({ isError: true });
  });

  test("a caller gets results as results, and everything else as one class of error", async () => {
    const failed = { content: [{ type: "text", text: "no" }], isError: true };
    const { client, clock, peer } = await connected(revision, {
      "tools/call": ({ params }) => {
        const { name } = params as { readonly name: string };
        if (name === "silent") return undefined;
        if (name === "isError")
          return { result: { ...failed, ...(revision < "2026" ? {} : { resultType: "complete" }) } };
        return { error: { code: Number(name), message: "no", data: { more: 1 } } };
      },
    });
    expect(await client.callTool("isError")).toMatchObject(failed);
    for (const code of [-32602, -32603, -32050, 7])
      await expect(client.callTool(String(code))).rejects.toMatchObject({
        name: "McpError",
        code: "remote-error",
        rpcCode: code,
        data: { more: 1 },
      });
    const stop = new AbortController();
    const cancelled = expect(client.callTool("silent", {}, { signal: stop.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    const late = expect(client.callTool("silent", {}, { timeout: 10 })).rejects.toMatchObject({
      code: "timeout",
    });
    await peer.until("tools/call", 7);
    stop.abort();
    await clock.advance(10);
    await Promise.all([cancelled, late]);
  });
});
