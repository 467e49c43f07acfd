/** The messages for the benchmark: typical messages of servers and clients, several of each kind. */

const legacy = "2025-11-25";

/** Returns a fresh copy, as JSON.parse makes it. */
export const parsed = (value) => JSON.parse(JSON.stringify(value));

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

function requestMeta(revision, index) {
  if (revision === legacy) return index % 2 ? { progressToken: index } : undefined;
  return {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": index % 2 ? { elicitation: {} } : {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    progressToken: index,
  };
}

export function toolCall(revision, index) {
  return {
    jsonrpc: "2.0",
    id: index % 3 ? index : `request-${index}`,
    method: "tools/call",
    params: {
      name: `tool_${index}`,
      arguments: { city: "Paris", days: index, detailed: true },
      _meta: requestMeta(revision, index),
    },
  };
}

function tool(index) {
  return {
    name: `tool_${index}`,
    ...(index % 2 && { title: `Tool ${index}` }),
    description: "Looks up the weather for a city and a number of days.",
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" }, detailed: { type: "boolean" } },
      required: ["city"],
    },
    ...(index % 3 === 0 && { annotations: { readOnlyHint: true, openWorldHint: false, title: "Weather" } }),
    ...(index % 5 === 0 && { outputSchema: { type: "object", properties: { text: { type: "string" } } } }),
    ...(index % 7 === 0 && { icons: [{ src: "https://example.com/icon.png", sizes: ["48x48"] }] }),
  };
}

const resultParts = (revision) => (revision === legacy ? {} : { resultType: "complete" });

export function toolList(revision) {
  const cache = revision === legacy ? {} : { ttlMs: 1000, cacheScope: "public" };
  return { tools: times(50, tool), nextCursor: "50", ...resultParts(revision), ...cache };
}

function block(index) {
  switch (index % 5) {
    case 0:
    case 1:
      return { type: "text", text: `Result ${index}` };
    case 2:
      return {
        type: "image",
        data: "aGVsbG8=",
        mimeType: "image/png",
        annotations: { priority: 0.5, audience: ["user"] },
      };
    case 3:
      return { type: "resource", resource: { uri: "file:///a.txt", text: "hello", mimeType: "text/plain" } };
    default:
      return { type: "resource_link", uri: "file:///b.txt", name: "b", size: 12 };
  }
}

export function toolResult(revision, index) {
  return {
    content: times(10, block),
    ...resultParts(revision),
    ...(index % 2 && { isError: false }),
    ...(index % 3 === 0 && { structuredContent: { temperature: 21 } }),
  };
}

export function initialize(index) {
  return {
    jsonrpc: "2.0",
    id: index,
    method: "initialize",
    params: {
      protocolVersion: legacy,
      capabilities: {
        roots: { listChanged: true },
        sampling: {},
        ...(index % 2 && { elicitation: { form: {} } }),
      },
      clientInfo: { name: "client", version: "1.2.3", ...(index % 2 && { title: "Client" }) },
    },
  };
}

export function progress(index) {
  return {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: {
      progressToken: index % 2 ? index : `token-${index}`,
      progress: index / 10,
      total: 100,
      message: "Working",
    },
  };
}

export function createMessage(revision, index) {
  return {
    ...(revision === legacy && { jsonrpc: "2.0", id: index }),
    method: "sampling/createMessage",
    params: {
      messages: times(3, (at) => ({
        role: at % 2 ? "assistant" : "user",
        content: { type: "text", text: `Hello ${at}` },
      })),
      modelPreferences: { hints: [{ name: "sonnet" }], intelligencePriority: 0.8 },
      systemPrompt: "You are a helpful assistant.",
      maxTokens: 100 + index,
    },
  };
}

export function request(revision, method, params, index) {
  return { jsonrpc: "2.0", id: index, method, params: { ...params, _meta: requestMeta(revision, index) } };
}

export function notification(method, params) {
  return { jsonrpc: "2.0", method, ...(params && { params }) };
}
