import { type CodeFirstServer, type ServerOptions, createServer } from "@mcpgen/runtime";

const icons = [
  { src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const },
];

/**
 * Adds an example of every feature to a server.
 *
 * @param create makes the server
 */
export function everyFeature(
  revisions: ServerOptions["revisions"],
  options: Partial<ServerOptions> = {},
  create: typeof createServer = createServer,
): CodeFirstServer {
  const server = create(
    {
      name: "every-feature",
      version: "1.0.0",
      title: "Every feature",
      description: "Something of everything",
      websiteUrl: "https://example.com/",
      icons,
    },
    {
      revisions,
      instructions: "Try everything.",
      capabilities: { logging: {} },
      lists: { pageSize: 4 },
      onEvent: () => true,
      ...options,
    },
  );
  addTools(server);
  addWorkingTools(server);
  addForms(server);
  addAskingTools(server);
  addChangingTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: CodeFirstServer): void {
  server.tool<{ a: number; b: number }>(
    "add",
    {
      title: "Add",
      description: "Adds two numbers.",
      annotations: { readOnlyHint: true, title: "Adding" },
      icons,
      _meta: { "example.com/kind": "arithmetic" },
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    },
    ({ a, b }) => ({ structuredContent: { sum: a + b } }),
  );
  server.tool("media", { description: "One block of each kind." }, () => ({
    content: [
      {
        type: "text",
        text: "text",
        annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-01T00:00:00Z" },
      },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "note://one", text: "one" } },
      { type: "resource_link", uri: "note://one", name: "one", title: "One", size: 10, icons },
    ],
    _meta: { "example.com/seen": true },
  }));
}

function addWorkingTools(server: CodeFirstServer): void {
  server.tool("work", { description: "Reports its progress." }, (_, { progress, log }) => {
    log("debug", "starting");
    progress(1, 2, "half");
    log("warning", { almost: "there" }, "worker");
    progress(2, 2);
    return "worked";
  });
  server.tool("fail", {}, () => {
    throw new Error("this tool always fails");
  });
  server.tool("wait", { description: "Ends when it is cancelled." }, (_, { signal }) => {
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  });
}

function addForms(server: CodeFirstServer): void {
  server.tool("greet", {}, async (_, { ask, once }) => {
    const started = await once("started", () => "started");
    const answer = await ask.elicit("name", {
      message: "Who is it?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return answer.action === "accept" ? `${started}: hello ${String(answer.content["name"])}` : answer.action;
  });
  server.tool("choose", {}, async (_, { ask }) => {
    const { action } = await ask.elicit("choice", {
      message: "Decline this",
      requestedSchema: {
        type: "object",
        properties: {
          one: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
          titled: { type: "string", oneOf: [{ const: "a", title: "A" }] },
          several: { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 2 },
          count: { type: "integer", minimum: 1, default: 1 },
          sure: { type: "boolean", default: true },
        },
      },
    });
    return action;
  });
}

function addAskingTools(server: CodeFirstServer): void {
  server.tool("gather", {}, async (_, { ask }) => {
    const { folders, summary } = await ask.all({
      folders: { method: "roots/list" },
      summary: {
        method: "sampling/createMessage",
        params: {
          messages: [
            {
              role: "user",
              content: [{ type: "text", text: "a list of one" }],
            },
          ],
          maxTokens: 10,
          systemPrompt: "Be short.",
          temperature: 0,
          stopSequences: ["."],
          modelPreferences: { hints: [{ name: "small" }], speedPriority: 1 },
        },
      },
    });
    return `${folders.roots.length} ${summary.model}`;
  });
  server.tool("visit", {}, async (_, { ask }) => {
    const { action } = await ask.url("page", { message: "Please look", url: "https://example.com/" });
    return action;
  });
  server.tool("summarise", {}, async (_, { ask }) => {
    const { content } = await ask.sample("summary", {
      messages: [{ role: "user", content: { type: "text", text: "long" } }],
      maxTokens: 10,
    });
    return JSON.stringify(content);
  });
  server.tool("folders", {}, async (_, { ask }) => {
    const roots = await ask.roots("folders");
    return roots.map(({ uri }) => uri).join(" ");
  });
}

function addChangingTools(server: CodeFirstServer): void {
  server.tool("change", { description: "Changes every list, and a resource." }, () => {
    server.tool("late", {}, () => "late").remove();
    server.prompt("late", {}, () => "late").remove();
    server.resource("note://late", {}, () => "late").remove();
    server.resourceUpdated("note://one");
    return "changed";
  });
}

function addResources(server: CodeFirstServer): void {
  const described = { title: "One", size: 10, icons, annotations: { lastModified: "2026-01-01T00:00:00Z" } };
  server.resource("note://one", { name: "one", mimeType: "text/plain", ...described }, () => "first note");
  server.resource("note://bytes", { name: "bytes" }, (uri) => ({ contents: [{ uri, blob: "AA==" }] }));
  server.resourceTemplate(
    "note://named/{name}",
    {
      name: "named",
      complete: { name: (start) => ["one", "other"].filter((name) => name.startsWith(start)) },
    },
    ({ name }) => `note of ${name}`,
  );
}

function addPrompts(server: CodeFirstServer): void {
  server.prompt<{ topic: string }>(
    "write",
    {
      description: "Asks for a text.",
      title: "Write",
      icons,
      arguments: [{ name: "topic", title: "Topic", description: "About what", required: true }],
      complete: { topic: (start) => ["tides", "time"].filter((topic) => topic.startsWith(start)) },
    },
    ({ topic }) => `Write about ${topic}.`,
  );
  server.prompt("show", {}, () => ({
    messages: [
      { role: "assistant", content: { type: "audio", data: "AA==", mimeType: "audio/wav" } },
      { role: "user", content: { type: "resource_link", uri: "note://one", name: "one" } },
    ],
  }));
}
