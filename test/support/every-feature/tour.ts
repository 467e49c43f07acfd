import type { Client, ClientHandlers, McpError, Subscription } from "@mcpgen/runtime";

/** Answers of the client to all requests of the server. */
export const answers: ClientHandlers = {
  elicit: {
    form: ({ message }) =>
      message.startsWith("Decline") ? { action: "decline" } : { action: "accept", content: { name: "Ada" } },
    url: () => ({ action: "accept" }),
  },
  sample: () => ({ role: "assistant", model: "test", content: { type: "text", text: "short" } }),
  roots: [{ uri: "file:///work", name: "work" }],
};

/** The results of using every feature of `everyFeature`; errors as codes. */
export interface Tour {
  readonly tools: readonly string[];
  readonly sum: unknown;
  readonly kinds: unknown;
  readonly failed: unknown;
  readonly progress: readonly number[];
  readonly logged: readonly unknown[];
  readonly cancelled: unknown;
  readonly greeted: unknown;
  readonly visited: unknown;
  readonly chosen: unknown;
  readonly gathered: unknown;
  readonly summary: unknown;
  readonly folders: unknown;
  readonly note: unknown;
  readonly named: unknown;
  readonly missing: unknown;
  readonly templates: readonly string[];
  readonly suggestions: unknown;
  readonly prompts: readonly string[];
  readonly prompt: unknown;
  readonly shown: unknown;
  readonly changes: readonly string[];
}

/** A part of the tour: uses one feature, and resolves with its results. */
type Stop = (client: Client) => Promise<Partial<Tour>>;

/** The parts of the tour, in order. */
export const stops: readonly Stop[] = [
  async (client) => ({ tools: (await client.listTools()).items.map(({ name }) => name) }),
  async (client) => {
    await client.ping();
    return worked(client);
  },
  async (client) => ({ sum: (await client.callTool("add", { a: 2, b: 3 })).structuredContent }),
  async (client) => ({ kinds: (await client.callTool("media")).content.map(({ type }) => type) }),
  async (client) => ({ failed: (await client.callTool("fail")).isError }),
  async (client) => ({ cancelled: await cancelled(client) }),
  async (client) => ({ greeted: await text(client, "greet") }),
  async (client) => ({ visited: await text(client, "visit") }),
  async (client) => ({ chosen: await text(client, "choose") }),
  async (client) => ({ gathered: await text(client, "gather") }),
  async (client) => ({ summary: await text(client, "summarise") }),
  async (client) => ({ folders: await text(client, "folders") }),
  async (client) => ({ note: (await client.readResource("note://one")).contents }),
  async (client) => ({ named: (await client.readResource("note://named/other")).contents }),
  async (client) => ({ missing: await outcome(client.readResource("note://nowhere")) }),
  async (client) => ({
    templates: (await client.listResourceTemplates()).items.map(({ uriTemplate }) => uriTemplate),
  }),
  async (client) => ({ suggestions: await suggestions(client) }),
  async (client) => ({ prompts: (await client.listPrompts()).items.map(({ name }) => name) }),
  async (client) => ({ prompt: (await client.getPrompt("write", { topic: "tides" })).messages }),
  async (client) => ({
    shown: (await client.getPrompt("show")).messages.map(({ content }) => content.type),
  }),
  async (client) => ({ changes: await changes(client) }),
];

/** Uses every feature. */
export async function tour(client: Client): Promise<Tour> {
  const brought: Partial<Tour> = {};
  for (const stop of stops) Object.assign(brought, await stop(client));
  return brought as Tour;
}

async function worked(client: Client): Promise<{ progress: number[]; logged: unknown[] }> {
  const progress: number[] = [];
  const logged: unknown[] = [];
  await client.setLogLevel("warning");
  const off = client.on("notifications/message", ({ level, data }) => logged.push([level, data]));
  await client.callTool("work", {}, { onProgress: (report) => progress.push(report.progress) });
  off();
  return { progress, logged };
}

async function cancelled(client: Client): Promise<unknown> {
  const controller = new AbortController();
  const waiting = outcome(client.callTool("wait", {}, { signal: controller.signal }));
  // One more round trip, so that the server has begun the request.
  await client.ping();
  controller.abort();
  return waiting;
}

async function text(client: Client, tool: string): Promise<unknown> {
  const result = await outcome(client.callTool(tool));
  if (typeof result === "string") return result;
  const { content, isError } = result;
  const [block] = content;
  return isError ? { failed: block?.type === "text" && block.text } : block?.type === "text" && block.text;
}

async function outcome<T>(promise: Promise<T>): Promise<T | string> {
  return promise.catch((error: McpError) => `${error.code} ${error.rpcCode ?? ""}`.trim());
}

async function suggestions(client: Client): Promise<unknown> {
  const prompt = await client.complete({
    ref: { type: "ref/prompt", name: "write" },
    argument: { name: "topic", value: "ti" },
  });
  const template = await client.complete({
    ref: { type: "ref/resource", uri: "note://named/{name}" },
    argument: { name: "name", value: "on" },
  });
  return [prompt.completion.values, template.completion.values];
}

/**
 * Makes one change of each kind. Returns the names of the notifications that a subscription to all changes
 * receives.
 */
async function changes(client: Client): Promise<string[]> {
  const subscription = await client.subscribe({
    tools: true,
    prompts: true,
    resources: true,
    uris: ["note://one"],
  });
  const heard = gather(subscription, 4);
  // If a call fails, nothing awaits this promise.
  heard.catch(() => {});
  await client.callTool("change");
  const names = await heard;
  await subscription.close();
  return names.sort();
}

/** Collects `count` distinct names. On some transports notifications do not come in order with answers. */
async function gather(subscription: Subscription, count: number): Promise<string[]> {
  const heard = new Set<string>();
  for await (const { method, uri } of subscription) {
    heard.add(uri === undefined ? method : `${method} ${uri}`);
    if (heard.size === count) break;
  }
  return [...heard];
}
