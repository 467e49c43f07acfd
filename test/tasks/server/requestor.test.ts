import { expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { until } from "../../support/until.mjs";
import { serverOf, text } from "./served.js";
import { type Message, RawClient } from "./raw.js";

// Tasks that servers request of clients (2025-11-25, tasks), by the ids of the list of requirements, C01 to C23.

const relatedKey = "io.modelcontextprotocol/related-task";
const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;
const prompt = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 9 } as const;
const runs = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  tasks: { cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
};
const ann = { action: "accept", content: { name: "Ann" } };
const time = "2026-01-01T00:00:00.000Z";
const taskOf = (status = "working", more: object = {}) => ({
  taskId: "c1",
  status,
  createdAt: time,
  lastUpdatedAt: time,
  ttl: 1000,
  pollInterval: 5000,
  ...more,
});

type Answers = { readonly [method: string]: (request: Message) => object | undefined };

/** A server that asks, and a client whose answers a test writes. */
async function opened(
  answers: Answers,
  capabilities: object = runs,
  revision = "2025-11-25",
  warning = (_text: string): void => {},
) {
  const served = serverOf({ waitMs: 600_000, pollMs: 1000 }, { onEvent: heard({ warning }) });
  const { server } = served;
  const task = { support: "optional" } as const;
  server.tool("asks", { task }, async (_, { ask }) => {
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  server.tool("page", { task }, async (_, { ask }) => {
    const { action } = await ask.url("page", { message: "Visit", url: "https://example.com/" });
    return action;
  });
  server.tool("model", { task }, async (_, { ask }) => {
    const { content } = await ask.sample("words", prompt as never);
    return (content as { readonly text: string }).text;
  });
  server.tool("soon", { task }, async (_, { ask }) => {
    const answer = await ask.elicit("name", form, { totalTimeout: 20_000 });
    return answer.action;
  });
  server.tool("plain", {}, async (_, { ask }) => (await ask.elicit("name", form)).action);
  const client = new RawClient(server, "ann");
  const asked: Message[] = [];
  client.answer = (request) => {
    asked.push(request);
    return answers[request.method!]?.(request);
  };
  await client.open(capabilities, revision);
  const call = (name: string, more: object = {}) =>
    client.request("tools/call", { name, arguments: {}, ...more });
  /** The requests of the server so far. */
  const methods = () => asked.map(({ method }) => method);
  return { ...served, client, asked, call, methods };
}

const created = () => ({ result: { task: taskOf() } });
const related = { _meta: { [relatedKey]: { taskId: "c1" } } };
const paramsOf = ({ params }: Message) => {
  const { _meta, ...rest } = params as { readonly _meta?: object };
  return rest;
};

test("C02, C12: a client that runs elicitation as a task is asked by a task", async () => {
  const { call, asked } = await opened({
    "elicitation/create": created,
    "tasks/result": () => ({ result: { ...ann, ...related } }),
  });
  expect((await call("asks")).result.content).toEqual(text("Hello, Ann"));
  expect(asked.map((request) => [request.method, paramsOf(request)])).toEqual([
    ["elicitation/create", { mode: "form", ...form, task: { ttl: 600_000 } }],
    ["tasks/result", { taskId: "c1" }],
  ]);
  // C16: requests that name the task by a parameter do not name it twice.
  expect((asked[1]!.params as { _meta: object })._meta).not.toHaveProperty(relatedKey);
});

test("both modes of elicitation, and sampling, are tasks", async () => {
  const message = { role: "assistant", model: "m", content: { type: "text", text: "words" } };
  const { call, asked } = await opened({
    "elicitation/create": created,
    "sampling/createMessage": created,
    "tasks/result": () => ({
      result: asked[0]!.method === "sampling/createMessage" ? message : { action: "decline" },
    }),
  });
  expect((await call("page")).result.content).toEqual(text("decline"));
  expect(asked[0]!.params).toMatchObject({ mode: "url", task: { ttl: 600_000 } });
  asked.length = 0;
  expect((await call("model")).result.content).toEqual(text("words"));
  expect(asked.map(({ method }) => method)).toEqual(["sampling/createMessage", "tasks/result"]);
});

test("a task result with an image that is not base64 causes a warning", async () => {
  const warnings: string[] = [];
  const content = [{ type: "image", data: "!", mimeType: "image/png" }];
  const { call } = await opened(
    {
      "sampling/createMessage": created,
      "tasks/result": () => ({ result: { role: "assistant", model: "m", content } }),
    },
    runs,
    "2025-11-25",
    (warning) => void warnings.push(warning),
  );
  await call("model");
  expect(warnings).toEqual(["tasks/result: content[0].data of the result is not base64"]);
});

test.each([
  ["declares no tasks", { elicitation: {} }, "2025-11-25"],
  [
    "runs sampling alone",
    { ...runs, tasks: { requests: { sampling: { createMessage: {} } } } },
    "2025-11-25",
  ],
  ["has a revision without tasks", runs, "2025-06-18"],
])("C02: a client that %s gets a plain request", async (_, capabilities, revision) => {
  const { call, asked } = await opened(
    { "elicitation/create": () => ({ result: ann }) },
    capabilities,
    revision,
  );
  expect((await call("asks")).result.content).toEqual(text("Hello, Ann"));
  expect(asked).toHaveLength(1);
  expect(asked[0]!.params).not.toHaveProperty("task");
});

test("a tool without tasks asks by plain requests", async () => {
  const { call, asked } = await opened({ "elicitation/create": () => ({ result: ann }) });
  expect((await call("plain")).result.content).toEqual(text("accept"));
  expect(asked[0]!.params).not.toHaveProperty("task");
});

test("an immediate answer of a client instead of a task is accepted", async () => {
  const { call, methods } = await opened({ "elicitation/create": () => ({ result: ann }) });
  expect((await call("asks")).result.content).toEqual(text("Hello, Ann"));
  expect(methods()).toEqual(["elicitation/create"]);
});

test("a task that was not requested is refused as an answer", async () => {
  const { call, errors, methods } = await opened({ "elicitation/create": created }, { elicitation: {} });
  expect((await call("asks")).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "invalid-result" }]);
  expect(methods()).toEqual(["elicitation/create"]);
});

test.each([
  ["without times", { task: { taskId: "c1", status: "working", ttl: 1 } }],
  ["with an id that is a number", { task: taskOf("working", { taskId: 1 }) }],
  ["with a huge id", { task: taskOf("working", { taskId: "x".repeat(2000) }) }],
  ["that is a list", { task: [] }],
  ["with nothing", {}],
])("a task %s is refused", async (_, result) => {
  const { call, errors } = await opened({ "elicitation/create": () => ({ result }) });
  expect((await call("asks")).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "invalid-result" }]);
});

test("C12: the error of the task becomes the error of the ask, and the task is not cancelled", async () => {
  const error = { code: -1, message: "the user rejected the request" };
  const { call, errors, methods } = await opened({
    "elicitation/create": created,
    "tasks/result": () => ({ error }),
  });
  expect((await call("asks")).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "remote-error", message: error.message, data: error }]);
  expect(methods()).toEqual(["elicitation/create", "tasks/result"]);
});

test.each([
  ["of another request", { role: "assistant", model: "m", content: { type: "text", text: "?" } }],
  ["that does not fit the form", { action: "accept", content: { name: 1 } }],
  ["that is a task again", { task: taskOf() }],
  ["that is empty", {}],
])("a result %s is refused", async (_, result) => {
  const { call, errors } = await opened({
    "elicitation/create": created,
    "tasks/result": () => ({ result }),
  });
  expect((await call("asks")).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "invalid-result" }]);
});

test("C20: the end of the call cancels the task, without a notification", async () => {
  const { client, call, asked, methods } = await opened({ "elicitation/create": created });
  void call("asks");
  await until("tasks/result", () => methods().includes("tasks/result"));
  client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  await until("tasks/cancel", () => methods().includes("tasks/cancel"));
  expect(paramsOf(asked.at(-1)!)).toEqual({ taskId: "c1" });
  const notified = client.heard.filter(({ method }) => method === "notifications/cancelled");
  const ends = notified.map(({ params }) => (params as { requestId: number }).requestId);
  // The request that became a task is not among them.
  expect(ends).toEqual([asked[1]!.id]);
});

test("C20: a task that is created after the end of the call is cancelled", async () => {
  const { client, call, asked, methods } = await opened({});
  void call("asks");
  await until("elicitation/create", () => methods().includes("elicitation/create"));
  client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  client.send({ jsonrpc: "2.0", id: asked[0]!.id, ...created() });
  await until("tasks/cancel", () => methods().includes("tasks/cancel"));
  expect(methods()).toEqual(["elicitation/create", "tasks/cancel"]);
  expect(client.heard.filter(({ method }) => method === "notifications/cancelled")).toEqual([]);
});

test("C10: a task that never ends is polled less and less often, and cancelled after waitMs", async () => {
  const { call, clock, methods, errors } = await opened({
    "elicitation/create": created,
    "tasks/get": () => ({ result: taskOf() }),
    "tasks/cancel": () => ({ result: taskOf("cancelled") }),
  });
  const waiting = call("asks");
  await until("tasks/result", () => methods().includes("tasks/result"));
  await clock.advance(4900);
  expect(methods()).not.toContain("tasks/get");
  await clock.advance(600_000);
  expect((await waiting).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "timeout" }]);
  const polls = methods().filter((method) => method === "tasks/get").length;
  expect(polls).toBeGreaterThan(10);
  expect(polls).toBeLessThan(30);
  await until("tasks/cancel", () => methods().includes("tasks/cancel"));
  expect(clock.waiting).toBe(0);
});

test("the timeouts of an ask bound its task", async () => {
  const { call, clock, methods, errors, asked } = await opened({ "elicitation/create": created });
  const waiting = call("soon");
  await until("tasks/result", () => methods().includes("tasks/result"));
  expect(asked[0]!.params).toMatchObject({ task: { ttl: 20_000 } });
  await clock.advance(21_000);
  expect((await waiting).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "timeout" }]);
  await until("tasks/cancel", () => methods().includes("tasks/cancel"));
});

test("C10: a result that was lost is fetched again when a poll shows the end", async () => {
  let polls = 0;
  let fetches = 0;
  const { call, clock } = await opened({
    "elicitation/create": created,
    "tasks/get": () => ({ result: taskOf(++polls > 2 ? "completed" : "working") }),
    "tasks/result": () => (++fetches > 1 ? { result: ann } : undefined),
  });
  const waiting = call("asks");
  await until("a fetch", () => fetches === 1);
  await clock.advance(60_000);
  expect((await waiting).result.content).toEqual(text("Hello, Ann"));
  expect([polls, fetches]).toEqual([3, 2]);
});

test("an ended task without a result ends the ask", async () => {
  let polls = 0;
  const { call, clock, errors, methods } = await opened({
    "elicitation/create": created,
    // Then it is said to work again.
    "tasks/get": () => ({ result: taskOf(++polls === 1 ? "completed" : "working") }),
  });
  const waiting = call("asks");
  await until("tasks/result", () => methods().includes("tasks/result"));
  await clock.advance(100_000);
  expect((await waiting).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code: "timeout" }]);
  expect(methods()).toEqual([
    "elicitation/create",
    "tasks/result",
    "tasks/get",
    "tasks/result",
    "tasks/cancel",
  ]);
});

test.each([
  ["that is unknown", { error: { code: -32602, message: "there is no such task" } }, "remote-error"],
  ["of another id", { result: taskOf("completed", { taskId: "other" }) }, "invalid-result"],
  ["without a status", { result: { taskId: "c1" } }, "invalid-result"],
])("a poll that shows a task %s ends the ask", async (_, answer, code) => {
  const { call, clock, errors, methods } = await opened({
    "elicitation/create": created,
    "tasks/get": () => answer,
  });
  const waiting = call("asks");
  await until("tasks/result", () => methods().includes("tasks/result"));
  await clock.advance(10_000);
  expect((await waiting).result).toMatchObject({ isError: true });
  expect(errors).toMatchObject([{ code }]);
});

test("C14, C15: a task of the server asks by a task of the client, once, whatever becomes of tasks/result", async () => {
  const answers: object[] = [];
  const { client, call, asked, methods } = await opened({
    "elicitation/create": created,
    "tasks/result": () => answers[0],
  });
  const { taskId } = (await call("asks", { task: {} })).result.task;
  void client.request("tasks/result", { taskId });
  await until("tasks/result", () => methods().includes("tasks/result"));
  expect(asked[0]!.params).toMatchObject({
    task: { ttl: 600_000 },
    _meta: { [relatedKey]: { taskId } },
  });
  // The client gives up the request, and asks again later.
  client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
  answers.push({ result: ann });
  const { result } = await client.request("tasks/result", { taskId });
  expect(result.content).toEqual(text("Hello, Ann"));
  expect(methods()).toEqual(["elicitation/create", "tasks/result", "tasks/result"]);
});

test("a client that has forgotten its task is asked again", async () => {
  let isKnown = false;
  const { client, call, methods } = await opened({
    "elicitation/create": created,
    "tasks/result": () => {
      if (isKnown) return { result: ann };
      const isSecond = methods().filter((method) => method === "tasks/result").length > 1;
      isKnown = isSecond;
      return isSecond ? { error: { code: -32602, message: "there is no such task" } } : undefined;
    },
  });
  const { taskId } = (await call("asks", { task: {} })).result.task;
  void client.request("tasks/result", { taskId });
  await until("tasks/result", () => methods().includes("tasks/result"));
  client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
  const { result } = await client.request("tasks/result", { taskId });
  expect(result.content).toEqual(text("Hello, Ann"));
  expect(methods()).toEqual([
    "elicitation/create",
    "tasks/result",
    "tasks/result",
    "elicitation/create",
    "tasks/result",
  ]);
});

test("C20: the cancellation of a server's task cancels the client's task for its open request", async () => {
  const { client, call, asked, methods } = await opened({ "elicitation/create": created });
  const { taskId } = (await call("asks", { task: {} })).result.task;
  void client.request("tasks/result", { taskId });
  await until("tasks/result", () => methods().includes("tasks/result"));
  expect((await client.request("tasks/cancel", { taskId })).result).toMatchObject({ status: "cancelled" });
  await until("tasks/cancel", () => methods().includes("tasks/cancel"));
  expect(paramsOf(asked.at(-1)!)).toEqual({ taskId: "c1" });
});
