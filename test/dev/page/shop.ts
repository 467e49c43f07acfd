// A server for the page of `mcpgen dev`: `node shop.mjs`.
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { tasks } from "@mcpgen/tasks";

const server = createServer(
  { name: "shop", title: "Shop <b>of</b> tests", version: "1.0.0" },
  {
    ...{
      revisions: serverRevisions,
      capabilities: { logging: {} },
      state: { keys: ["shop: a secret for tests"] },
    },
    extensions: [tasks(tasksExtension, { pollMs: 50 })],
  },
);

const address = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 }, express: { type: "boolean", default: false } },
  required: ["city"],
} as const;

server.tool(
  "order",
  {
    description: "Orders a thing <script>alert(1)</script>, after the user has named a place.",
    inputSchema: {
      type: "object",
      properties: {
        thing: { type: "string", description: "What to order." },
        count: { type: "integer", minimum: 1, default: 1 },
        color: { enum: ["red", "blue"] },
        day: { type: "string", format: "date" },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["thing", "count"],
    },
    outputSchema: {
      type: "object",
      properties: { thing: { type: "string" }, count: { type: "integer" }, city: { type: "string" } },
      required: ["thing", "count", "city"],
    },
  },
  async ({ thing, count }, { ask, progress }) => {
    const form = { message: "Where to?", requestedSchema: address };
    const answer = await ask.elicit<{ city: string }>("place", form);
    if (answer.action !== "accept")
      return { isError: true, content: [{ type: "text", text: `not ordered: ${answer.action}` }] };
    const { city } = answer.content;
    progress(1, 2, "packed");
    return {
      content: [{ type: "text", text: `${count} × ${thing} to ${city}` }],
      structuredContent: { thing, count, city },
    };
  },
);

server.tool("wait", { description: "Waits until it is cancelled." }, async (_args, { signal, log }) => {
  log("info", "waiting");
  await new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  return "cancelled";
});

server.tool(
  "bake",
  { description: "Bakes as a task.", task: { support: "required" } },
  async (_args, { ask, task }) => {
    task?.detach();
    const answer = await ask.elicit("bread", { message: "Which bread?", requestedSchema: address });
    return `baked: ${answer.action}`;
  },
);

server.tool(
  "look",
  { description: "Looks at the roots as a task.", task: { support: "required" } },
  async (_args, { ask, task }) => {
    task?.detach();
    return `${(await ask.roots("roots")).length} roots`;
  },
);

server.tool("pay", { description: "Has the user pay at a page." }, async (_args, { ask }) => {
  const { action } = await ask.url("pay", { message: "Pay here.", url: "https://pay.example/basket?for=1" });
  return `paid: ${action}`;
});

server.tool(
  "wrong",
  {
    description: "Promises a number, and gives a text.",
    // OpenAI refuses a schema without properties: `lint` has a finding.
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  },
  () => ({ isError: true, content: [{ type: "text", text: "it failed" }] }),
);

const echoed = { note: { type: "string" }, text: { type: "string" } } as const;
const stop = {
  properties: { city: { type: "string" }, zip: { type: "string" } },
  required: ["city"],
} as const;

/** Offers a tool that answers with its arguments; further members are optional. */
const echo = (more: Readonly<Record<string, { readonly type: "string" }>> = {}): { remove(): void } =>
  server.tool(
    "echo",
    {
      description: "Answers with its arguments.",
      inputSchema: {
        type: "object",
        properties: { ...echoed, ...more, place: { type: "object", ...stop } },
        required: ["text"],
      },
    },
    (args) => JSON.stringify(args),
  );

let offered = echo();

server.tool("extend", { description: "Adds an argument to echo." }, () => {
  offered.remove();
  offered = echo({ more: { type: "string" } });
  return "extended";
});

serveStdio(server);
