import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { tasks as serverTasks } from "@mcpgen/tasks";
import { tasks } from "@mcpgen/tasks/client";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { weatherClient } from "../golden/contract/weather/client.js";
import { failureOf } from "../support/failure-of.js";

async function connected(revision: string, extensions: Parameters<typeof createTestPair>[0]["extensions"]) {
  const created: string[] = [];
  const extension = serverTasks(serverExtension, {
    pollMs: 1,
    onEvent: ({ type, tool = "" }) => type === "created" && created.push(tool),
  });
  onTestFinished(() => extension.close());
  const server = createServer(
    { name: "weather", version: "1" },
    { revisions: serverRevisions, extensions: [extension], onEvent: () => true },
  );
  const inputSchema = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  } as const;
  server.tool("get_weather", { inputSchema, task: { support: "required" } }, async ({ city }, { task }) => {
    task?.detach();
    await Promise.resolve();
    if (city === "Nowhere")
      return { content: [{ type: "text", text: "there is no such city" }], isError: true };
    return { content: [], structuredContent: { temperature: city === "Bern" ? 20 : "warm" } };
  });
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    extensions: extensions!,
  });
  onTestFinished(() => pair.close());
  return { ...weatherClient(pair.client), created };
}

test.each(["2026-07-28", "2025-11-25"])(
  "functions of a contract call tools that must run as tasks, %s",
  async (revision) => {
    const { tools, created } = await connected(revision, [tasks(clientExtension)]);
    const outcome = await tools.getWeather({ city: "Bern" });
    expect(created).toEqual(["get_weather"]);
    if (outcome.isError) throw new Error("the tool failed");
    expectTypeOf(outcome.structuredContent.temperature).toBeNumber();
    expect(outcome.structuredContent).toEqual({ temperature: 20 });
    expect(await tools.getWeather({ city: "Nowhere" })).toEqual({
      isError: true,
      content: [{ type: "text", text: "there is no such city" }],
    });
    // The result of a task is checked as that of a call.
    expect(await failureOf(tools.getWeather({ city: "Oz" }))).toMatchObject({ code: "invalid-result" });
    expect(created).toHaveLength(3);
  },
);

test.each(["2026-07-28", "2025-11-25"])(
  "without the extension such a call is refused, %s",
  async (revision) => {
    const { tools } = await connected(revision, []);
    expect(await failureOf(tools.getWeather({ city: "Bern" }))).toMatchObject({ name: "McpError" });
  },
);
