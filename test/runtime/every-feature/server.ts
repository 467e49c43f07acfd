import type { Revision } from "@mcpgen/protocol/model";
import { type CodeFirstServer, type ServerOptions, createServer } from "@mcpgen/runtime";

/** A server with something of everything. */
export function everyFeature(
  revisions: readonly Revision<"server">[],
  options: Partial<ServerOptions> = {},
): CodeFirstServer {
  const server = createServer(
    { name: "every-feature", version: "1.0.0", title: "Every feature" },
    {
      revisions,
      instructions: "Try everything.",
      capabilities: { logging: {} },
      pageSize: 4,
      onWarning: () => {},
      ...options,
    },
  );
  addTools(server);
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
      annotations: { readOnlyHint: true },
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
      { type: "text", text: "text", annotations: { audience: ["user"], priority: 1 } },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "note://one", text: "one" } },
      { type: "resource_link", uri: "note://one", name: "one" },
    ],
  }));
  server.tool("work", { description: "Tells how far it is." }, (_, { progress, log }) => {
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

function addAskingTools(server: CodeFirstServer): void {
  server.tool("greet", {}, async (_, { ask, once }) => {
    const started = await once("started", () => "started");
    const answer = await ask.elicit("name", {
      message: "Who is it?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return answer.action === "accept" ? `${started}: hello ${String(answer.content["name"])}` : answer.action;
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
  server.resource("note://one", { name: "one", mimeType: "text/plain" }, () => "first note");
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
      arguments: [{ name: "topic", description: "About what", required: true }],
      complete: { topic: (start) => ["tides", "time"].filter((topic) => topic.startsWith(start)) },
    },
    ({ topic }) => `Write about ${topic}.`,
  );
}
