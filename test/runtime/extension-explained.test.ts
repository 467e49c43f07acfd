import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { explained } from "@mcpgen/protocol/explained";
import { tasks as tasksOfClients } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { explained as explainedTasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/explained";
import { tasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import type { CodeFirstServer, ServerOptions } from "@mcpgen/runtime";
import { failureOf } from "../support/failure-of.js";
import { clientOf, serverWith } from "../support/served.js";

const task = { createdAt: "now", lastUpdatedAt: "now", ttlMs: null } as const;

const handlers: Parameters<typeof tasks.implement>[0] = {
  "tasks/cancel": () => ({}),
  "tasks/get": ({ taskId }) =>
    (taskId === "wrong"
      ? { status: "working", taskId: 7, createdAt: 1 }
      : { ...task, status: "working", taskId }) as never,
  "tasks/update": () => ({}),
};

const around = {
  "tools/call": () => ({ ...task, resultType: "task", taskId: "1", status: "broken", ttlMs: "1" }),
};

type Used = NonNullable<ServerOptions["extensions"]>[number];

function serving(used: Used, options: Partial<ServerOptions> = {}): CodeFirstServer {
  const server = serverWith({ extensions: [used], ...options });
  server.tool("later", {}, () => "now");
  return server;
}

const connected = (server: CodeFirstServer, isExplained = false) =>
  clientOf(server, "memory", "2026-07-28", {
    extensions: [isExplained ? explainedTasks(tasksOfClients) : tasksOfClients],
    validation: { send: "off" },
  });

const wrong = { taskId: 1, inputResponses: 2 } as never;

describe("refused messages of an extension", () => {
  test("are answered with the first wrong place", async () => {
    const client = await connected(serving(tasks.implement(handlers)));
    expect(await failureOf(client.request("tasks/update", wrong))).toMatchObject({
      rpcCode: -32_602,
      message: expect.stringMatching(/^tasks\/update: params\.\w+: expected [^\n]*$/) as string,
    });
  });

  test("are answered with all wrong places, if the extension is explained", async () => {
    const client = await connected(serving(explainedTasks(tasks).implement(handlers)));
    expect(await failureOf(client.request("tasks/update", wrong))).toMatchObject({
      rpcCode: -32_602,
      message:
        "tasks/update: params.inputResponses: expected object, got 2 (number)\nparams.taskId: expected string, got 1 (number)",
    });
  });

  test("explain the faults of a result to a client: of a result that the extension adds, and of a plain one", async () => {
    const off = { validation: { send: "off" } } as const;
    const client = await connected(serving(tasks.implement(handlers), off), true);
    const wrongTask = await failureOf(client.request("tasks/get", { taskId: "wrong" }));
    expect(wrongTask).toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("\n") as string,
    });
    const adding = await connected(serving(tasks.implement(handlers, { around }), off), true);
    const added = await failureOf(adding.callTool("later"));
    expect(added).toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("ttlMs: expected") as string,
    });
    expect((added as Error).message).not.toContain("content");
    const plain = tasks.implement(handlers, { around: { "tools/call": () => ({ content: 7 }) } });
    expect(await failureOf((await connected(serving(plain, off), true)).callTool("later"))).toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("content: expected array") as string,
    });
  });
});

describe("validation.send: always", () => {
  const always = { revisions: explained(serverRevisions), validation: { send: "always" } } as const;

  test("judges the results of an explained extension, and those that it adds", async () => {
    const client = await connected(serving(explainedTasks(tasks).implement(handlers, { around }), always));
    expect(await failureOf(client.request("tasks/get", { taskId: "wrong" }))).toMatchObject({
      rpcCode: -32_603,
      message: expect.stringContaining(
        "the result of tasks/get is not a GetTaskResult of 2026-07-28",
      ) as string,
    });
    expect(await failureOf(client.callTool("later"))).toMatchObject({
      rpcCode: -32_603,
      message: expect.stringContaining("is not a CreateTaskResult of 2026-07-28") as string,
    });
    expect(await client.request("tasks/get", { taskId: "1" })).toMatchObject({ status: "working" });
  });

  test("validates the messages that a client sends", async () => {
    const client = await clientOf(serving(tasks.implement(handlers)), "memory", "2026-07-28", {
      revisions: explained(clientRevisions),
      validation: { send: "always" },
      extensions: [explainedTasks(tasksOfClients)],
    });
    expect(await failureOf(client.request("tasks/update", wrong))).toMatchObject({ code: "invalid-message" });
  });

  test("refuses an extension that is not explained", () => {
    expect(() => serving(tasks.implement(handlers), always)).toThrow(
      expect.objectContaining({
        code: "invalid-definition",
        message: expect.stringContaining(
          "extension io.modelcontextprotocol/tasks: validation.send",
        ) as string,
      }),
    );
  });
});
