import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { Revision, Role, Step, Steps } from "@mcpgen/protocol/model";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { heard } from "../../support/heard.mjs";
import { pinnedAt } from "../../support/pinned-revisions.js";

const form = {
  message: "?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
} as const;

const older = "2025-11-25";

/**
 * Adds steps like those from notes of the kind `reshaped` with `$request`, which copy members of the request into the
 * result.
 */
function hearing<R extends Role>(
  revisions: readonly Revision<R>[],
  tables: readonly (keyof Steps & `${string}Results`)[],
  methods: readonly string[],
): Revision<R>[] {
  return revisions.map((revision) => {
    const { steps } = revision;
    if (revision.id !== older || !steps) return revision;
    const changed = tables.map((name) => {
      const heard = methods.map((method): [string, Step] => [
        method,
        (value, report) => {
          const result = (steps[name].get(method)?.(value, report) ?? value) as { _meta?: object };
          return { ...result, _meta: { ...result._meta, heard: report.request ?? "nothing" } };
        },
      ]);
      return [name, new Map([...steps[name], ...heard])] as const;
    });
    return { ...revision, steps: { ...steps, ...Object.fromEntries(changed) } };
  });
}

describe("a step of results gets the params of the request", () => {
  const methods = ["tools/call", "tools/list", "elicitation/create"];

  test("in a server, for results that it sends and receives", async () => {
    const heard: unknown[] = [];
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: hearing(serverRevisions, ["outgoingResults", "incomingResults"], methods) },
    );
    server.tool("ask", {}, async (_, { ask }) => {
      heard.push(await ask.elicit("name", form));
      return "done";
    });
    const { client, close } = await createTestPair({
      ...{ server, revisions: clientRevisions, revision: older },
      elicit: () => ({ action: "accept", content: { ok: true } }),
    });
    const result = await client.callTool("ask", { a: 1 });
    expect(result._meta).toMatchObject({ heard: { name: "ask", arguments: { a: 1 } } });
    expect(heard).toMatchObject([{ action: "accept", _meta: { heard: { message: "?" } } }]);
    await close();
  });

  test("including members that only the message has, because the vocabulary may lack them", async () => {
    const lacking: Step = (params) =>
      Object.fromEntries(Object.entries(params).filter(([name]) => name !== "wanted"));
    const revisions = hearing(serverRevisions, ["outgoingResults"], methods).map((each) =>
      each.id === older
        ? { ...each, steps: { ...each.steps!, incomingRequests: new Map([["tools/call", lacking]]) } }
        : each,
    );
    const server = createServer({ name: "s", version: "1" }, { revisions });
    server.tool("ask", {}, () => "done");
    const { client, close } = await createTestPair({ server, revisions: clientRevisions, revision: older });
    const result = await client.request("tools/call", { name: "ask", wanted: ["a"] } as never);
    expect(result._meta).toMatchObject({ heard: { name: "ask", wanted: ["a"] } });
    await close();
  });

  test("and a list that depends on them is made for each request", async () => {
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: hearing(serverRevisions, ["outgoingResults"], ["tools/list"]), lists: { pageSize: 1 } },
    );
    for (const name of ["a", "b"]) server.tool(name, {}, () => name);
    const { client, close } = await createTestPair({ server, revisions: clientRevisions, revision: older });
    const first = await client.request("tools/list", { _meta: { query: "x" } } as never);
    const second = await client.request("tools/list", { _meta: { query: "y" } } as never);
    expect([first, second].map(({ _meta }) => _meta)).toMatchObject([
      { heard: { _meta: { query: "x" } } },
      { heard: { _meta: { query: "y" } } },
    ]);
    await close();
  });

  test.each([false, true])(
    "including members that only the message has, for asks in rounds (replay: %s)",
    async (replay) => {
      // The revision requires a param that the vocabulary (the previous revision) does not have.
      const requiring: Step = (params, report) => {
        report.lost({ pointer: "/required", what: "required", how: "filled" });
        return { ...params, required: "here" };
      };
      const hearingIt: Step = (value, { request }) => ({ ...value, _meta: { heard: request } });
      const revisions = pinnedAt(older).server.map((each) =>
        each.peerSteps
          ? {
              ...each,
              peerSteps: {
                ...each.peerSteps,
                incomingRequests: new Map([["elicitation/create", requiring]]),
                outgoingResults: new Map([["elicitation/create", hearingIt]]),
              },
            }
          : each,
      );
      const requests: unknown[] = [];
      const losses: unknown[] = [];
      const server = createServer(
        { name: "s", version: "1" },
        {
          revisions,
          validation: { send: "off" },
          onEvent: heard({ loss: ({ what }) => losses.push(what) }),
          ...(replay && { state: { parking: false } }),
        },
      );
      server.tool("ask", { replay }, async (_, { ask }) => {
        requests.push(await ask.elicit("name", form));
        return "done";
      });
      const { client, close } = await createTestPair({
        ...{ server, revisions: clientRevisions, revision: "2026-07-28", validation: { send: "off" } },
        elicit: () => ({ action: "accept", content: { ok: true } }),
      });
      await client.callTool("ask");
      expect(requests).toMatchObject([{ _meta: { heard: { message: "?", required: "here" } } }]);
      expect(losses).toEqual(["required"]);
      await close();
    },
  );

  test("in a client, for results that it receives", async () => {
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("echo", {}, () => "done");
    const { client, close } = await createTestPair({
      ...{ server, revision: older },
      revisions: hearing(clientRevisions, ["incomingResults"], methods),
    });
    const result = await client.callTool("echo", { a: 1 });
    expect(result._meta).toMatchObject({ heard: { name: "echo", arguments: { a: 1 } } });
    await close();
  });
});
