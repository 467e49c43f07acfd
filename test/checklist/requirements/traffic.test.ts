import { readFileSync } from "node:fs";
import { clientRevisions, revisionIds } from "@mcpgen/protocol";
import type { ReceiveTable } from "@mcpgen/protocol/model";
import type { McpError } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { definitionOf } from "../../support/definition-names.js";
import { type Members, connected, reply } from "../../support/scripted-stdio-server.js";

interface Vector {
  readonly validator: string;
  readonly method?: string;
  readonly answers?: readonly string[];
  readonly from?: readonly string[];
  readonly valid: boolean;
  readonly message: Members;
}

function vectorsIn(revision: string): Vector[] {
  const file = new URL(`../../../generated/${revision}/vectors.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] }).vectors.filter(
    ({ valid }) => valid,
  );
}

const vectors = new Map(revisionIds.map((revision) => [revision as string, vectorsIn(revision)] as const));

/** Messages of a revision: requests and notifications whole, results as what they answer with. */
function vectorsOf(revision: string): Vector[] {
  return vectors.get(revision)!;
}

function tableOf(revision: string): ReceiveTable<"client"> {
  return clientRevisions.find(({ id }) => id === revision)!.table;
}

function isPlainResult(revision: string, method: string, definition: string): boolean {
  const result = tableOf(revision).outgoingRequests.get(method)?.result;
  return result !== undefined && definitionOf(revision, result.accepts) === definition;
}

/** What settles the revision, and what stays open: other tests are about them. */
const opening = new Set(["initialize", "server/discover", "subscriptions/listen"]);

/** Parameters of a request that the revision takes. */
function paramsOf(revision: string, method: string): Members | undefined {
  const found = vectorsOf(revision).find((vector) => vector.method === method);
  const { _meta, ...params } = (found?.message["params"] ?? {}) as Members;
  return found && params;
}

/** What the server sends in a revision where the client speaks another: all pairs. */
const pairs = revisionIds.flatMap((negotiated) =>
  revisionIds.filter((sent) => sent !== negotiated).map((sent) => [negotiated, sent] as const),
);

/** What the era says with a result, beside what the result says. */
const owned = new Set(["resultType", "ttlMs", "cacheScope", "_meta"]);

function said(result: Members): Members {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !owned.has(name)));
}

describe.each(pairs)("R12: a client of %s receives messages of %s", (negotiated, sent) => {
  const fromServer = vectorsOf(sent).filter(({ from }) => from?.includes("server"));

  test("results are read whole; values in place of a result are refused by a typed error", async () => {
    const methods = tableOf(negotiated).outgoingRequests;
    const answers = fromServer.flatMap(({ answers: answered = [], message, validator }) =>
      answered
        .filter((method) => !opening.has(method) && methods.has(method))
        .map((method) => ({
          method,
          // The sampler's text for the type of a result is none that exists.
          result: {
            ...message,
            ...(message["resultType"] === "resultType" ? { resultType: "complete" } : {}),
          },
          plain: isPlainResult(sent, method, validator),
        })),
    );
    let current: Members = {};
    const script = Object.fromEntries(
      answers.map(({ method }) => [method, () => ({ result: current })] as const),
    );
    const { client } = await connected(negotiated, script);
    for (const { method, result, plain } of answers) {
      current = result;
      const outcome = await client
        .request<Members>(method, paramsOf(negotiated, method))
        .catch((error: unknown) => error as McpError);
      if (plain) expect(outcome, method).toMatchObject(said(result));
      else if (outcome instanceof Error) expect(outcome, method).toMatchObject({ name: "McpError" });
    }
    expect(answers.filter(({ plain }) => plain).length).toBeGreaterThan(10);
  });

  test("notifications reach the application as they are", async () => {
    const { client, peer } = await connected(negotiated);
    const heard: Members[] = [];
    client.on("*", (params, method) => heard.push({ method, params }));
    const notifications = fromServer.filter(
      ({ method, message }) =>
        message["id"] === undefined &&
        method !== undefined &&
        // A request for input is a part of a result.
        message["jsonrpc"] === "2.0" &&
        !["notifications/progress", "notifications/cancelled"].includes(method),
    );
    for (const { message } of notifications) peer.send(message);
    await client.callTool("after");
    const expected = notifications.map(({ message }) => ({
      method: message["method"],
      params: message["params"] ?? {},
    }));
    expect(heard).toMatchObject(expected);
    expect(expected.length).toBeGreaterThan(4);
  });

  test("requests are answered where there are any, and the session lives on", async () => {
    const { client, peer } = await connected(
      negotiated,
      {},
      { roots: [], elicit: () => ({ action: "cancel" }) },
    );
    const mark = peer.received.length;
    const requests = fromServer.filter(
      ({ method, message }) => method !== undefined && message["id"] !== undefined,
    );
    for (const [index, { message }] of requests.entries()) {
      const id = `r${index}`;
      if (negotiated < "2026") {
        const { result, error } = await peer.ask(message["method"] as string, message["params"], id);
        expect(result ?? error).toBeDefined();
      } else peer.send({ ...message, id });
    }
    if (negotiated >= "2026") await peer.nothingSince(mark, client);
    expect((await client.callTool("after")).content).toEqual([]);
  });
});

const ids = clientRevisions.map(({ id }) => id);

test.each(ids)(
  "R12, at %s: content, levels, roles and notifications of later revisions survive",
  async (revision) => {
    const later = { type: "hologram", voxels: [[0]], annotations: { audience: ["robot"] } };
    const content = [
      { type: "text", text: "t" },
      later,
      { type: "resource_link", name: "r", uri: "file:///a" },
    ];
    const { client, peer } = await connected(revision, {
      "tools/call": (_, self) => reply(self, { content }),
      "prompts/get": (_, self) => reply(self, { messages: [{ role: "user", content: later }] }),
      "tools/list": (_, self) =>
        reply(self, {
          tools: [{ name: "t", inputSchema: { type: "object" }, annotations: { laterHint: true }, later: 1 }],
        }),
    });
    const heard: Members[] = [];
    client.on("*", (params, method) => heard.push({ method, params }));
    // What came can be written again as it was.
    expect(JSON.parse(JSON.stringify((await client.callTool("t")).content))).toEqual(content);
    expect((await client.getPrompt("p")).messages).toEqual([{ role: "user", content: later }]);
    expect((await client.listTools()).items).toMatchObject([
      { name: "t", annotations: { laterHint: true }, later: 1 },
    ]);
    const note = { method: "notifications/holograms/changed", params: { voxels: 1 } };
    peer.notify(note.method, note.params);
    await client.callTool("t");
    expect(heard).toEqual([note]);
  },
);
