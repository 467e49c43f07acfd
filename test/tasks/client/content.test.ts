// Results of tasks whose images are not base64: the client warns of them, as of other results of tools.
import { expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { ScriptedServer, clientOf, during, extensionDeclared, taskAt } from "./scripted.js";

const content = [{ type: "image", data: "!", mimeType: "image/png" }];
const warning = (method: string, member: string): string =>
  `${method}: ${member}[0].data of the result is not base64`;

test("of 2026-07-28", async () => {
  const warnings: string[] = [];
  const server = new ScriptedServer("2026-07-28", extensionDeclared, {
    "tools/list": () => ({ resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" }),
    "tools/call": () => ({ ...taskAt("working"), resultType: "task" }),
    "tasks/get": () => ({ ...taskAt("completed"), result: { resultType: "complete", content } }),
  });
  const more = { onEvent: heard({ warning: (text) => warnings.push(text) }) };
  const { client, clock } = await clientOf(server, { push: false }, more);
  expect(await during(clock, client.callTool("slow"))).toMatchObject({ content });
  expect(warnings).toEqual([warning("tasks/get", "result.content")]);
});

test("of 2025-11-25", async () => {
  const warnings: string[] = [];
  const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z" };
  const task = { taskId: "one", ...times, ttl: null, pollInterval: 1000 };
  const server = new ScriptedServer(
    "2025-11-25",
    { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    {
      "tools/list": () => ({
        tools: [{ name: "must", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }],
      }),
      "tools/call": () => ({ task: { ...task, status: "working" } }),
      "tasks/get": () => ({ ...task, status: "completed" }),
      "tasks/result": () => ({ content }),
    },
  );
  const more = { onEvent: heard({ warning: (text) => warnings.push(text) }) };
  const { client, clock } = await clientOf(server, {}, more);
  expect(await during(clock, client.callTool("must"))).toMatchObject({ content });
  expect(warnings).toEqual([warning("tasks/result", "content")]);
});
