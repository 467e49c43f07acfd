import { setImmediate as turn } from "node:timers/promises";
import { explained as explainedDialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/explained";
import { experimentalTasks as dialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import { explained as explainedTasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/explained";
import { tasks as extension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol";
import { explained } from "@mcpgen/protocol/explained";
import { createServer } from "@mcpgen/runtime";
import { type TasksOptions, tasks } from "@mcpgen/tasks";
import { experimentalTasks } from "@mcpgen/tasks/experimental";
import { describe, expect, onTestFinished, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { type Json, type Peer, newest, relatedKey, transports, wired } from "./wire.js";
import { text } from "./served.js";

// One tool serves clients of all kinds: it reports progress, asks once, and answers with the same text.

const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;
const accepted = { action: "accept", content: { name: "Ada" } };
const elicitation = { elicitation: {} };
const _meta = { progressToken: "token" };

/** A server that refuses to send messages that its revisions do not define, and the refused messages. */
function served(options: TasksOptions = {}) {
  const refused: unknown[] = [];
  const own = tasks(explainedTasks(extension), {
    pollMs: 1,
    limits: { work: Infinity },
    ...options,
  });
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: explained(serverRevisions),
      validation: { send: "always" },
      extensions: [own, experimentalTasks(explainedDialect(dialect), own)],
      capabilities: { logging: {} },
      onEvent: heard({ handlerError: (error) => refused.push(error) }),
    },
  );
  onTestFinished(() => own.close());
  let runs = 0;
  const task = { support: "optional", inlineMs: 60_000, onRestart: "replay" } as const;
  server.tool("greet", { task }, async (_, context) => {
    // Each answer to a task starts another run, in which the code before the question runs again.
    runs++;
    context.task?.detach();
    context.progress(1, 4, "asking");
    context.log("info", "asking");
    const answer = await context.ask.elicit("name", form);
    context.progress(3, 4, "greeting");
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  return { server, refused, runs: () => runs };
}

/** The task as soon as its status is not one of `passing`. */
async function after(peer: Peer, taskId: string, ...passing: readonly string[]): Promise<Json> {
  for (;;) {
    const found = await peer.task(taskId);
    if (!passing.includes(found.status as string)) return found;
    await turn();
  }
}

const paramsOf = (peer: Peer, method: string): Json[] =>
  peer.heard.filter((message) => message.method === method).map(({ params }) => params as Json);

const progress = "notifications/progress";
const related = (taskId: string) => ({ [relatedKey]: { taskId } });

type Kind = readonly [name: string, options: object, drive: (peer: Peer) => Promise<Json>];

/**
 * The way in which each client gets the result of the tool. It returns the result, after checks of the earlier
 * messages.
 */
const peers: readonly Kind[] = [
  [
    "2026-07-28 with the extension",
    { revision: newest },
    async (peer) => {
      const { taskId, resultType } = (await peer.call("greet", {}, undefined, { _meta })).result;
      expect(resultType).toBe("task");
      const { inputRequests, statusMessage } = await after(peer, taskId, "working");
      expect([Object.keys(inputRequests), statusMessage]).toEqual([["name"], "asking"]);
      await peer.request("tasks/update", { taskId, inputResponses: { name: accepted } });
      const { status, result } = await after(peer, taskId, "working", "input_required");
      expect(status).toBe("completed");
      // Tasks of this revision send nothing beside their answers.
      expect(peer.heard).toEqual([]);
      return result;
    },
  ],
  [
    "2026-07-28 without the extension",
    { revision: newest, capabilities: elicitation },
    async (peer) => {
      const { inputRequests, requestState } = (await peer.call("greet", {}, undefined, { _meta })).result;
      expect(Object.keys(inputRequests)).toEqual(["name"]);
      const more = { _meta, requestState, inputResponses: { name: accepted } };
      const { result } = await peer.call("greet", {}, undefined, more);
      expect(paramsOf(peer, progress).map((each) => each.message)).toEqual(["asking", "greeting"]);
      return result;
    },
  ],
  [
    "2025-11-25 with a task",
    {},
    async (peer) => {
      const { taskId, status } = await peer.start("greet", {}, {}, { _meta });
      expect(status).toBe("working");
      const { result } = await peer.request("tasks/result", { taskId });
      const asked = paramsOf(peer, "elicitation/create");
      expect(asked).toMatchObject([{ message: "Your name?", _meta: related(taskId) }]);
      await peer.until(({ params }) => params?.message === "greeting");
      expect(paramsOf(peer, progress)).toEqual([
        { progressToken: "token", progress: 1, total: 4, message: "asking", _meta: related(taskId) },
        { progressToken: "token", progress: 3, total: 4, message: "greeting", _meta: related(taskId) },
      ]);
      for (const params of paramsOf(peer, "notifications/message"))
        expect(params).toMatchObject({ data: "asking", _meta: related(taskId) });
      const { [relatedKey]: named, ...meta } = result._meta;
      expect([named, meta]).toEqual([{ taskId }, {}]);
      const { _meta: _, ...rest } = result;
      return rest;
    },
  ],
  [
    "2025-11-25 without a task",
    {},
    async (peer) => {
      const { result } = await peer.call("greet", {}, undefined, { _meta });
      expect(paramsOf(peer, "elicitation/create")).toHaveLength(1);
      expect(paramsOf(peer, progress).map((each) => each.message)).toEqual(["asking", "greeting"]);
      return result;
    },
  ],
  [
    "2025-06-18 with experimental.tasks",
    { revision: "2025-06-18", capabilities: { ...elicitation, experimental: { tasks: {} } } },
    async (peer) => {
      const { taskId, status } = (await peer.request("tasks/create", { name: "greet" })).result;
      expect(status).toBe("pending");
      const { status: end, result } = await after(peer, taskId, "pending", "running");
      expect(end).toBe("completed");
      expect(paramsOf(peer, "elicitation/create")).toHaveLength(1);
      await peer.until(({ method }) => method === "notifications/tasks/completed");
      expect(paramsOf(peer, "notifications/tasks/progress")).toEqual([
        { taskId, progress: 0.25, currentStep: "asking" },
        { taskId, progress: 0.25, currentStep: "waiting for input" },
        { taskId, progress: 0.25, currentStep: "asking" },
        { taskId, progress: 0.75, currentStep: "greeting" },
      ]);
      expect(paramsOf(peer, "notifications/tasks/completed")).toMatchObject([{ taskId, result }]);
      return result;
    },
  ],
  [
    "2025-06-18 without tasks",
    { revision: "2025-06-18" },
    async (peer) => {
      const { result } = await peer.call("greet", {}, undefined, { _meta });
      expect(paramsOf(peer, progress).map((each) => each.message)).toEqual(["asking", "greeting"]);
      return result;
    },
  ],
];

/** A client without tasks of a server with the option `fallback`. */
const fallback: Kind = [
  "2025-06-18 with fallback tools",
  { revision: "2025-06-18" },
  async (peer) => {
    const { result: listed } = await peer.request("tools/list");
    const names = (listed.tools as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["greet", "task_status", "task_result", "task_cancel"]);
    const { result: started } = await peer.call("greet", {}, undefined, { _meta });
    const [, taskId] = /as task (\S+)\. /.exec(started.content[0].text as string)!;
    const { result } = await peer.call("task_result", { taskId });
    expect(paramsOf(peer, "elicitation/create")).toHaveLength(1);
    const { result: state } = await peer.call("task_status", { taskId });
    expect(state.content).toEqual(text(`Task ${taskId} has completed: task_result has its result`));
    return result;
  },
];

describe.each(transports)("over %s", (transport) => {
  test("B18: clients of six kinds get the same text, each by messages of its revision", async () => {
    const sides = [
      // Clients without tasks get the result from the first run.
      { of: served(), kinds: peers, runs: 3 * 2 + 3 },
      { of: served({ fallback: "tools" }), kinds: [fallback], runs: 2 },
    ];
    for (const { of, kinds, runs } of sides) {
      const open = await wired(of.server, transport);
      for (const [name, options, drive] of kinds) {
        const peer = await open(options);
        peer.answer = () => ({ result: accepted });
        const { content, isError } = await drive(peer);
        expect({ name, content, isError }).toEqual({ name, content: text("Hello, Ada"), isError: undefined });
      }
      expect(of.refused).toEqual([]);
      expect(of.runs()).toBe(runs);
    }
  });
});
