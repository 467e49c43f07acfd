import { serverRevisions } from "@mcpgen/protocol";
import { type Client, type CodeFirstServer, McpError, createServer } from "@mcpgen/runtime";
import { until } from "../support/until.mjs";

// A server with each feature of the protocol, and what a client sees of each: the same directly and through a bridge.

type Speaks = "legacy" | "modern" | "all";

const isOf = (era: Speaks) => (id: string) => era === "all" || id < "2026" === (era === "legacy");

const text = (value: unknown) => ({
  type: "text" as const,
  text: typeof value === "string" ? value : JSON.stringify(value),
});
const png = "iVBORw0KGgo=";
const form = {
  type: "object",
  properties: { name: { type: "string" }, kind: { type: "string", enum: ["a", "b"] } },
} as const;
const page = { message: "open?", url: "https://example.com/page" };
const sampling = { messages: [{ role: "user" as const, content: text("write") }], maxTokens: 9 };

/** A promise with its resolution. */
class Gate {
  open!: (value?: unknown) => void;
  readonly opened = new Promise((resolve) => (this.open = resolve));
}

/** @param era the revisions that it speaks */
export function probe(era: Speaks): CodeFirstServer {
  const known = serverRevisions;
  const speaks = known.map(({ id }) => id).filter(isOf(era));
  const server = createServer(
    { name: "probe", version: "3.2.1", title: "Probe" },
    {
      revisions: { known, speaks },
      onEvent: () => true,
      instructions: "Read this.",
      capabilities: { logging: {}, experimental: { "example.com/x": { a: 1 } } },
      lists: { pageSize: 7, cache: { ttlMs: 5000, cacheScope: "private" } },
    },
  );
  const gates = new Map<unknown, Gate>();
  const gate = (key: unknown): Gate => gates.get(key) ?? gates.set(key, new Gate()).get(key)!;
  const tool = server.tool.bind(server);

  tool("text", { title: "Text", description: "says", annotations: { readOnlyHint: true } }, () => "héllo ✓");
  tool("binary", {}, () => ({ content: [{ type: "image", data: png, mimeType: "image/png" }] }));
  tool("audio", {}, () => ({ content: [{ type: "audio", data: png, mimeType: "audio/wav" }] }));
  tool("links", {}, () => ({
    content: [
      { type: "resource", resource: { uri: "mem:blob", blob: png, mimeType: "image/png" } },
      { type: "resource_link", uri: "mem:text", name: "link" },
    ],
  }));
  tool(
    "structured",
    { outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    () => ({ n: 5 }),
  );
  tool("failed", {}, () => ({ isError: true, content: [text("no")] }));
  tool("refused", {}, () => {
    throw new McpError("invalid-params", "not so", { rpcCode: -31999, data: { why: ["x"] } });
  });
  tool(
    "picky",
    { inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
    ({ n }) => `${n}`,
  );
  tool(
    "mirrored",
    {
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
        required: ["region"],
      },
    } as never,
    (args: unknown) => JSON.stringify(args),
  );
  tool("meta", {}, (_, { meta }) => ({
    content: [text(meta["example.com/trace"])],
    _meta: { "example.com/back": { b: 2 } },
  }));
  tool("caller", {}, (_, { clientInfo, clientCapabilities: { elicitation, sampling: samples, roots } }) =>
    JSON.stringify([clientInfo, elicitation !== undefined, samples !== undefined, roots !== undefined]),
  );
  tool("progress", {}, async (_, { progress }) => {
    for (const step of [1, 2, 3]) progress(step, 3, `step ${step}`);
    return "done";
  });
  tool("logs", {}, (_, { log }) => {
    log("debug", "not wanted");
    log("warning", { key: "value" }, "logger");
    return "logged";
  });
  tool(
    "waits",
    { inputSchema: { type: "object" } },
    ({ id }: Record<string, unknown>, { signal, progress }) => {
      progress(1);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          gate(id).open();
          reject(new Error("aborted"));
        });
      });
    },
  );
  tool("aborted", { inputSchema: { type: "object" } }, async ({ id }: Record<string, unknown>) => {
    await gate(id).opened;
    return "aborted";
  });
  tool("form", {}, async (_, { ask }) =>
    JSON.stringify(await ask.elicit("f", { message: "who?", requestedSchema: form })),
  );
  tool("page", {}, async (_, { ask }) => JSON.stringify(await ask.url("p", page as never)));
  tool("sample", {}, async (_, { ask }) => JSON.stringify(await ask.sample("s", sampling)));
  tool("sample tools", {}, async (_, { ask }) =>
    JSON.stringify(
      await ask.sample("s", { ...sampling, tools: [{ name: "t", inputSchema: { type: "object" } }] }),
    ),
  );
  tool("rejected", {}, async (_, { ask }) => {
    const messages = [{ role: "user" as const, content: text("reject") }];
    return JSON.stringify(await ask.sample("s", { ...sampling, messages }));
  });
  tool("roots", {}, async (_, { ask }) => JSON.stringify(await ask.roots("r")));
  tool("rounds", {}, async (_, { ask }) => {
    const heard: unknown[] = [];
    for (const round of [1, 2, 3])
      heard.push(await ask.elicit(`r${round}`, { message: `${round}?`, requestedSchema: form }));
    return JSON.stringify(heard);
  });
  tool("at once", {}, async (_, { ask }) =>
    JSON.stringify(
      await ask.all({
        a: { method: "elicitation/create", params: { mode: "form", message: "a?", requestedSchema: form } },
        b: { method: "sampling/createMessage", params: sampling },
        c: { method: "roots/list" },
      }),
    ),
  );
  tool("large", {}, () => "x".repeat(200_000));
  tool("large answer", {}, async (_, { ask }) => {
    const first = await ask.elicit("l", { message: "large?", requestedSchema: form });
    const second = await ask.elicit("m", { message: "and?", requestedSchema: form });
    return `${JSON.stringify(first).length} ${JSON.stringify(second)}`;
  });
  tool("asks", { inputSchema: { type: "object" } }, async ({ id }: Record<string, unknown>, { ask }) =>
    JSON.stringify([id, await ask.elicit("q", { message: `echo ${id as string}`, requestedSchema: form })]),
  );
  tool("news", {}, (_, { notify }) => {
    notify("vendor/news", { n: 7 });
    return "sent";
  });
  tool("vendor asks", {}, async (_, { ask }) =>
    JSON.stringify(await ask.request("v", { method: "vendor/ask", params: { q: 1 } })),
  );
  tool("told", {}, async () => JSON.stringify(await gate("told").opened));
  tool("grow", {}, () => {
    server.tool("grown", {}, () => "g");
    server.prompt("grown", {}, () => "g");
    server.resource("mem:grown", { name: "grown" }, () => "g");
    return "grown";
  });
  tool("touch", {}, () => {
    server.resourceUpdated("mem:text");
    return "touched";
  });

  server.resource("mem:text", { name: "text", mimeType: "text/plain", size: 5 }, () => "hello");
  server.resource("mem:blob", { name: "blob", mimeType: "image/png" }, () => ({
    contents: [{ uri: "mem:blob", blob: png, mimeType: "image/png" }],
  }));
  server.resource("mem:asks", { name: "asks" }, async (_uri, { ask }) =>
    JSON.stringify(await ask.elicit("r", { message: "read?", requestedSchema: form })),
  );
  server.resourceTemplate(
    "mem:item/{id}",
    { name: "items", complete: { id: () => ["one", "two"] } } as never,
    ({ id }: { id: string }) => `item ${id}`,
  );
  server.prompt(
    "greet",
    {
      arguments: [{ name: "who", required: true }],
      complete: {
        who: (value: string, { arguments: others }: { arguments?: object }) => [
          `${value}!`,
          JSON.stringify(others ?? {}),
        ],
      },
    } as never,
    ({ who }: { who: string }) => `Hello ${who}`,
  );
  server.prompt("asks", {}, async (_: unknown, { ask }) =>
    JSON.stringify(await ask.elicit("p", { message: "prompt?", requestedSchema: form })),
  );

  server.handle("vendor/echo", {}, (params: object) => ({ echoed: params }));
  server.on("vendor/told", {}, (params) => gate("told").open(params));
  return server;
}

/** A client, and what it heard. */
export interface Seen {
  readonly client: Client;
  /** Messages of the questions that it got. */
  readonly asked: unknown[];
}

/** What its users answer. */
export function user(asked: unknown[]) {
  return {
    info: { name: "front", version: "7.7.7" },
    logLevel: "info" as const,
    elicit: {
      form: ({ message, requestedSchema }: { message: string; requestedSchema: unknown }) => {
        asked.push([message, requestedSchema]);
        if (message === "2?") return { action: "decline" as const };
        const name = message === "large?" ? "n".repeat(100_000) : `answer to ${message}`;
        return { action: "accept" as const, content: { name, kind: "b" } };
      },
      url: ({ message, url }: { message: string; url: string }) => {
        asked.push([message, url]);
        return { action: "accept" as const };
      },
    },
    sample: {
      tools: true,
      answer: ({ messages, tools }: { messages: unknown; tools?: unknown }) => {
        asked.push([messages, tools]);
        if (JSON.stringify(messages).includes("reject"))
          throw new McpError("cancelled", "the user said no", { rpcCode: -1 });
        return { role: "assistant" as const, content: text("written"), model: "m" };
      },
    },
    roots: () => {
      asked.push("roots");
      return [{ uri: "file:///home/me", name: "home" }];
    },
    prepare: (client: Client) => {
      client.handle("vendor/ask", ({ q }) => ({ answer: q }));
    },
  };
}

type Feature = (seen: Seen) => Promise<unknown>;

const called =
  (name: string, args: object = {}, more: object = {}): Feature =>
  ({ client }) =>
    client.request("tools/call", { name, arguments: args, ...more } as never);

/** A call, and the questions that came. */
const asking =
  (name: string): Feature =>
  async (seen) => {
    seen.asked.length = 0;
    const outcome = await outcomeOf(() => called(name)(seen));
    return {
      outcome,
      asked: [...seen.asked].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    };
  };

/** A call, and the first notification of a method. */
const hearing =
  (method: string, name: string): Feature =>
  async ({ client }) => {
    const heard: unknown[] = [];
    const off = client.on(method, (params) => void heard.push(params));
    const result = await client.callTool(name);
    await until(`${method} of ${name}`, () => heard.length > 0);
    off();
    return [result, heard];
  };

const list =
  (method: "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list"): Feature =>
  async ({ client }) => {
    const first = await client.request(method, {});
    const { nextCursor: cursor } = first;
    return [first, cursor === undefined ? undefined : await client.request(method, { cursor })];
  };

/** The features, by name. Each gives what a client sees. */
export const features: { readonly [name: string]: Feature } = {
  "what the server says of itself": async ({ client: { serverInfo, instructions, serverCapabilities } }) => [
    serverInfo,
    instructions,
    serverCapabilities,
  ],
  ping: ({ client }) => client.ping(),
  "tools/list": list("tools/list"),
  text: called("text"),
  "image content": called("binary"),
  "audio content": called("audio"),
  "resources as content": called("links"),
  "structured content": called("structured"),
  "failed result": called("failed"),
  "JSON-RPC error with data": called("refused"),
  "unknown tool": called("nothing"),
  "wrong arguments": called("picky", { n: "x" }),
  "right arguments": called("picky", { n: 3 }),
  "arguments in headers": called("mirrored", { region: "west ✓" }),
  _meta: called("meta", {}, { _meta: { "example.com/trace": { t: 1 } } }),
  "who calls": called("caller"),
  progress: async ({ client }) => {
    const heard: unknown[] = [];
    const { content } = await client.callTool(
      "progress",
      {},
      { onProgress: (progress) => void heard.push(progress) },
    );
    return [content, heard];
  },
  logs: hearing("notifications/message", "logs"),
  cancellation: async ({ client }) => {
    const id = Math.random();
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    const call = await outcomeOf(() => client.callTool("waits", { id }, options));
    return [call, await client.callTool("aborted", { id })];
  },
  "a form": asking("form"),
  "a page": asking("page"),
  sampling: asking("sample"),
  "sampling with tools": asking("sample tools"),
  "sampling that the user rejects": asking("rejected"),
  roots: asking("roots"),
  "three rounds": asking("rounds"),
  "questions at once": asking("at once"),
  "large result": called("large"),
  "large answer, then another question": asking("large answer"),
  "calls at once": ({ client }) =>
    Promise.all(
      Array.from({ length: 8 }, (_, id) => outcomeOf(() => client.callTool("asks", { id: `${id}` }))),
    ),
  "resources/list": list("resources/list"),
  "resources/templates/list": list("resources/templates/list"),
  "text resource": ({ client }) => client.readResource("mem:text"),
  "binary resource": ({ client }) => client.readResource("mem:blob"),
  "resource of a template": ({ client }) => client.readResource("mem:item/9"),
  "unknown resource": ({ client }) => client.readResource("mem:nothing"),
  "resource that asks": ({ client }) => client.readResource("mem:asks"),
  "prompts/list": list("prompts/list"),
  "prompts/get": ({ client }) => client.getPrompt("greet", { who: "you" }),
  "unknown prompt": ({ client }) => client.getPrompt("nothing"),
  "prompt that asks": ({ client }) => client.getPrompt("asks"),
  "completion with context": ({ client }) =>
    client.complete({
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "who", value: "w" },
      context: { arguments: { other: "o" } },
    }),
  "completion of a template": ({ client }) =>
    client.complete({
      ref: { type: "ref/resource", uri: "mem:item/{id}" },
      argument: { name: "id", value: "" },
    }),
  "subscription to a resource": async ({ client }) => {
    const subscription = await client.subscribe({ uris: ["mem:text"] });
    await client.callTool("touch");
    const { value } = await subscription[Symbol.asyncIterator]().next();
    await subscription.close();
    return [subscription.honoured, value];
  },
  "changes of lists": async ({ client }) => {
    const subscription = await client.subscribe({ tools: true, prompts: true, resources: true });
    await client.callTool("grow");
    const heard = new Set<string>();
    for await (const { method } of subscription) if (heard.add(method).size === 3) break;
    return [subscription.honoured, [...heard].sort()];
  },
  "vendor request": ({ client }) => client.request("vendor/echo", { a: [1] }, { result: {} }),
  "unknown method": ({ client }) => client.request("vendor/nothing", {}, { result: {} }),
  "vendor notification to the server": async ({ client }) => {
    await client.notify("vendor/told", { fact: 1 });
    return client.callTool("told");
  },
  "vendor notification to the client": hearing("vendor/news", "news"),
  "vendor request to the client": called("vendor asks"),
};

/** What a feature gives, or the error that it ends with. */
export async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return { result: JSON.parse(JSON.stringify((await work()) ?? null)) as unknown };
  } catch (error) {
    if (!(error instanceof McpError)) return { failure: String(error) };
    const { code, rpcCode, message, data } = error;
    return { error: { code, rpcCode, message, data } };
  }
}
