import { describe, expect, test } from "vitest";
import { serverRevisions } from "@mcpgen/protocol/server";
import { serverTable as at20250618 } from "../../generated/extensions/dev.mcpgen/experimental-tasks/2025-06-18/methods.js";
import * as of20241105 from "../../generated/extensions/dev.mcpgen/experimental-tasks/2024-11-05/validators.js";
import * as of20250326 from "../../generated/extensions/dev.mcpgen/experimental-tasks/2025-03-26/validators.js";
import * as of20250618 from "../../generated/extensions/dev.mcpgen/experimental-tasks/2025-06-18/validators.js";

// The messages of the dialect, as its examples show them.

const taskId = "task-17";
const createdAt = "2026-02-01T08:00:00Z";
const request = (method: string, params: object) => ({ method, params });

describe.each([
  ["2024-11-05", of20241105],
  ["2025-03-26", of20250326],
  ["2025-06-18", of20250618],
])("at %s", (_, of) => {
  test("a task is created, polled and cancelled", () => {
    const parameters = { source: "orders", rows: 5000 };
    const wanted = { name: "export", description: "Exports the orders", parameters };
    expect(of.isCreateTaskRequest(request("tasks/create", wanted))).toBe(true);
    expect(of.isCreateTaskRequest(request("tasks/create", { name: "export" }))).toBe(true);
    expect(of.isCreateTaskResult({ taskId, status: "pending", createdAt })).toBe(true);
    expect(of.isGetTaskRequest(request("tasks/get", { taskId }))).toBe(true);
    expect(
      of.isGetTaskResult({
        ...{ taskId, status: "running", createdAt, startedAt: createdAt },
        ...{ progress: 0.45, currentStep: "Reading rows" },
      }),
    ).toBe(true);
    expect(of.isCancelTaskRequest(request("tasks/cancel", { taskId }))).toBe(true);
    expect(of.isCancelTaskResult({ taskId, status: "cancelled", cancelledAt: createdAt })).toBe(true);
  });

  test("its progress and its end are announced", () => {
    const progress = { taskId, progress: 0.75, currentStep: "Writing" };
    expect(of.isTaskProgressNotification(request("notifications/tasks/progress", progress))).toBe(true);
    const result = { content: [{ type: "text", text: "5000 rows" }] };
    const end = { taskId, status: "completed", result, completedAt: createdAt };
    expect(of.isTaskCompletedNotification(request("notifications/tasks/completed", end))).toBe(true);
    // A lost notification does not lose the end of the task.
    const { status, completedAt } = end;
    expect(of.isGetTaskResult({ taskId, status, createdAt, result, completedAt })).toBe(true);
    const error = { code: -32603, message: "the disk is full" };
    expect(of.isGetTaskResult({ taskId, status: "failed", createdAt, error })).toBe(true);
  });

  test("an unknown state is accepted, but never sent", () => {
    const state = { taskId, status: "paused", createdAt };
    expect([of.acceptsGetTaskResult(state), of.isGetTaskResult(state)]).toEqual([true, false]);
  });

  test.each([
    ["a task without a tool", { method: "tasks/create", params: {} }],
    ["parameters that are no object", { method: "tasks/create", params: { name: "export", parameters: [] } }],
  ])("%s is refused", (__, message) => expect(of.isCreateTaskRequest(message)).toBe(false));

  test("progress is a fraction of one", () => {
    expect(of.isGetTaskResult({ taskId, status: "running", createdAt, progress: 45 })).toBe(false);
  });
});

test("the errors have the codes of the dialect", () => {
  // The code for an unknown resource is defined by the revision itself.
  const { table } = serverRevisions.find((revision) => revision.id === "2025-06-18")!;
  const { RESOURCE_NOT_FOUND } = table.errors;
  const codes = Object.values({ RESOURCE_NOT_FOUND, ...at20250618.errors }).map((error) => error!.code);
  expect(codes.sort((one, other) => other - one)).toEqual([
    -32001, -32002, -32003, -32004, -32005, -32006, -32007,
  ]);
});

test("clients declare `experimental.tasks`, and servers serve none but those", () => {
  const path = ["experimental", "tasks"];
  expect(at20250618.declared).toMatchObject({ client: { path }, server: { path } });
  for (const method of ["tasks/create", "tasks/get", "tasks/cancel"])
    expect(at20250618.incomingRequests.get(method)).toMatchObject({
      requires: { of: "client", path, error: "MISSING_REQUIRED_CLIENT_CAPABILITY" },
    });
});
