import { describe, expect, test } from "vitest";
import {
  clientTable,
  serverTable,
} from "../../generated/extensions/io.modelcontextprotocol/tasks/2026-07-28/methods.js";
import * as of from "../../generated/extensions/io.modelcontextprotocol/tasks/2026-07-28/validators.js";

// Compares the messages in the text of the extension with the output of its schema and notes.

const taskId = "6e2c4f30-0d2b-4c58-9a58-2f5b6a7f10b1";
const task = {
  taskId,
  createdAt: "2026-08-01T08:00:00Z",
  lastUpdatedAt: "2026-08-01T08:00:05Z",
  ttlMs: 90_000,
  pollIntervalMs: 1500,
};
const complete = { resultType: "complete" };
const answer = { content: [{ type: "text", text: "It is sunny." }], isError: false };
const inputRequests = {
  city: {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Which city?",
      requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
};
const states = {
  working: { ...task, status: "working" },
  "working, with a message and without an end": {
    ...task,
    status: "working",
    statusMessage: "Half",
    ttlMs: null,
  },
  input_required: { ...task, status: "input_required", inputRequests },
  completed: { ...task, status: "completed", result: answer },
  "completed, with an error of the tool": {
    ...task,
    status: "completed",
    result: { ...answer, isError: true },
  },
  failed: { ...task, status: "failed", error: { code: -32603, message: "too many requests" } },
  cancelled: { ...task, status: "cancelled" },
};

const request = (method: string, params: object) => ({
  jsonrpc: "2.0",
  id: 3,
  method,
  params: { ...params, _meta },
});
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

describe("messages that the text shows", () => {
  test.each(Object.entries(states))("a task that is %s", (_, state) => {
    expect(of.isGetTaskResult({ ...state, ...complete })).toBe(true);
    expect(of.acceptsGetTaskResult({ ...state, ...complete })).toBe(true);
    const notification = { jsonrpc: "2.0", method: "notifications/tasks", params: state };
    expect(of.isTaskStatusNotification(notification)).toBe(true);
    expect(of.isDetailedTask(state)).toBe(true);
  });

  test("a new task instead of a result", () => {
    expect(of.isCreateTaskResult({ ...states.working, resultType: "task" })).toBe(true);
  });

  test("requests and their answers", () => {
    expect(of.isGetTaskRequest(request("tasks/get", { taskId }))).toBe(true);
    expect(of.isCancelTaskRequest(request("tasks/cancel", { taskId }))).toBe(true);
    const inputResponses = { city: { action: "accept", content: { city: "Oslo" } } };
    expect(of.isUpdateTaskRequest(request("tasks/update", { taskId, inputResponses }))).toBe(true);
    expect(of.isUpdateTaskResult(complete)).toBe(true);
    expect(of.isCancelTaskResult(complete)).toBe(true);
  });

  test("an update with unknown keys of questions is accepted", () => {
    const inputResponses = { "unknown-key": { ignored: true } };
    expect(of.acceptsUpdateTaskRequest(request("tasks/update", { taskId, inputResponses }))).toBe(true);
  });

  test("the settings, and the filter of a subscription", () => {
    expect(of.isTasksExtensionCapability({})).toBe(true);
    expect(of.isTaskSubscriptionNotifications({ taskIds: [taskId] })).toBe(true);
  });
});

describe("messages that the text excludes", () => {
  test.each([
    ["a status without what belongs to it", { ...task, status: "completed" }],
    ["a failure without its error", { ...task, status: "failed" }],
    ["a question without its text", { ...task, status: "input_required" }],
    ["members of the revision before", { ...task, status: "working", ttlMs: undefined, ttl: 90_000 }],
    ["a nested task", { task: states.working }],
    ["a lifetime with a fraction", { ...states.working, ttlMs: 0.5 }],
  ])("%s", (_, state) => {
    const sent = JSON.parse(JSON.stringify({ ...state, ...complete })) as object;
    expect(of.acceptsGetTaskResult(sent)).toBe(false);
  });

  // Two examples of the text, of a failed task and of an error of a tool, contradict it: they have the type `task`.
  test("a task of the type `task` is not an answer to tasks/get", () => {
    expect(of.acceptsGetTaskResult({ ...states.failed, resultType: "task" })).toBe(false);
    expect(of.acceptsCreateTaskResult({ ...states.working, ...complete })).toBe(false);
  });
});

test("an unknown status does not end a task", () => {
  expect(of.acceptsGetTaskResult({ ...task, ...complete, status: "paused" })).toBe(true);
  expect(of.isGetTaskResult({ ...task, ...complete, status: "paused" })).toBe(false);
});

describe("the tables", () => {
  const path = ["extensions", "io.modelcontextprotocol/tasks"];
  const requires = { of: "client", path, error: "MISSING_REQUIRED_CLIENT_CAPABILITY" };

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "%s has a gate, and a header with the task",
    (method) => {
      expect(serverTable.incomingRequests.get(method)).toMatchObject({
        requires,
        capability: { of: "server", path },
        headers: [{ header: "Mcp-Name", from: ["params", "taskId"] }],
      });
      expect(clientTable.outgoingRequests.has(method)).toBe(true);
      expect(clientTable.incomingRequests.size).toBe(0);
    },
  );

  test("a subscription by task has the same gate", () => {
    expect(serverTable.outgoingNotifications.get("notifications/tasks")).toMatchObject({
      requires,
      filter: "taskIds",
      filterKey: "taskId",
    });
  });

  test("a task may only answer tools/call, for clients that declared the extension", () => {
    expect([...serverTable.augments.keys()]).toEqual(["tools/call"]);
    expect(serverTable.augments.get("tools/call")).toMatchObject([
      { name: "CreateTaskResult", key: "resultType", value: "task", requires },
    ]);
  });
});
