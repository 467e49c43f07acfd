import { expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { schemaOf } from "../../../support/revisions.js";
import { loadExplanations } from "../../../support/emitted-explanations.js";

const explanations = {
  "2024-11-05": await loadExplanations(schemaOf("2024-11-05")),
  "2025-06-18": await loadExplanations(schemaOf("2025-06-18")),
  "2025-11-25": await loadExplanations(schemaOf("2025-11-25")),
  "2026-07-28": await loadExplanations(schemaOf("2026-07-28")),
};

/** The exact texts for invalid messages. */
const table: readonly (readonly [
  revision: keyof typeof explanations,
  definition: string,
  value: JsonValue,
  said: string,
])[] = [
  ["2025-11-25", "CallToolRequest", null, "expected object, got null"],
  [
    "2025-11-25",
    "CallToolRequest",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 3 } },
    "params.name: expected string, got 3 (number)",
  ],
  [
    "2025-11-25",
    "CallToolRequest",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { nmae: "weather" } },
    'params.name: expected string, got nothing; did you mean "name" by "nmae"?',
  ],
  [
    "2025-11-25",
    "CallToolRequest",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "weather", arguments: "{}" } },
    'params.arguments: expected object, got "{}" (string)',
  ],
  [
    "2025-11-25",
    "CallToolRequest",
    { jsonrpc: "2.0", method: "tools/call", params: { name: "x" } },
    "id: expected integer or string, got nothing",
  ],
  [
    "2025-11-25",
    "ClientRequest",
    { jsonrpc: "2.0", id: 1, method: "tools/cal", params: { name: "x" } },
    'method: expected one of "completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list", "resources/read", "resources/subscribe", … (8 more), got "tools/cal" (string); did you mean "tools/call"?',
  ],
  [
    "2025-11-25",
    "ClientRequest",
    { jsonrpc: "2.0", id: 1, method: "weather/today" },
    'method: expected one of "completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list", "resources/read", "resources/subscribe", … (8 more), got "weather/today" (string)',
  ],
  [
    "2025-11-25",
    "ClientRequest",
    { jsonrpc: "2.0", id: null, method: "tools/call", params: { name: "x", task: { ttl: "1" } } },
    'id: expected integer or string, got null\nparams.task.ttl: expected integer, got "1" (string)',
  ],
  [
    "2025-11-25",
    "ServerNotification",
    { jsonrpc: "2.0", method: "notifications/unheard" },
    'method: expected one of "notifications/cancelled", "notifications/elicitation/complete", "notifications/message", "notifications/progress", "notifications/prompts/list_changed", … (4 more), got "notifications/unheard" (string)',
  ],
  [
    "2025-11-25",
    "JSONRPCMessage",
    { jsonrpc: "1.0", id: 1, method: "ping" },
    'jsonrpc: expected "2.0", got "1.0" (string)',
  ],
  [
    "2025-11-25",
    "JSONRPCMessage",
    { jsonrpc: "2.0", id: 1 },
    'expected the key "error", "method" or "result", got none of them',
  ],
  [
    "2025-11-25",
    "JSONRPCMessage",
    { jsonrpc: "2.0", id: 1, result: 7 },
    "result: expected object, got 7 (number)",
  ],
  ["2025-11-25", "JSONRPCMessage", [], "expected object, got array"],
  ["2025-11-25", "CallToolResult", { content: "hello" }, 'content: expected array, got "hello" (string)'],
  [
    "2025-11-25",
    "CallToolResult",
    { content: [{ type: "text" }] },
    "content[0].text: expected string, got nothing",
  ],
  [
    "2025-11-25",
    "CallToolResult",
    { content: [{ type: "txt", text: "hello" }] },
    'content[0].type: expected one of "audio", "image", "resource", "resource_link", "text", got "txt" (string); did you mean "text"?',
  ],
  [
    "2025-11-25",
    "CallToolResult",
    { content: [{ text: "hello" }] },
    'content[0].type: expected one of "audio", "image", "resource", "resource_link", "text", got nothing',
  ],
  [
    "2025-11-25",
    "CallToolResult",
    { content: [{ type: "resource", resource: { uri: "a:b" } }] },
    'content[0].resource: expected the key "blob" or "text", got none of them',
  ],
  [
    "2025-11-25",
    "CallToolResult",
    { content: [null, null, null, null] },
    "content[0]: expected object, got null\ncontent[1]: expected object, got null\nand 2 more",
  ],
  [
    "2025-11-25",
    "CreateMessageRequest",
    {
      jsonrpc: "2.0",
      id: 7,
      method: "sampling/createMessage",
      params: {
        maxTokens: 100,
        messages: [
          { role: "user", content: { type: "text", text: "hello" } },
          {
            role: "user",
            content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "image", data: "AA==" }] }],
          },
        ],
      },
    },
    "params.messages[1].content[0].content[0].mimeType: expected string, got nothing",
  ],
  [
    "2025-11-25",
    "CreateMessageRequestParams",
    { maxTokens: 1.5, messages: [{ role: "system", content: { type: "text", text: "" } }] },
    'maxTokens: expected integer, got 1.5 (number)\nmessages[0].role: expected one of "assistant", "user", got "system" (string)',
  ],
  [
    "2025-11-25",
    "LoggingMessageNotification",
    { jsonrpc: "2.0", method: "notifications/message", params: { level: "warn", data: 1 } },
    'params.level: expected one of "alert", "critical", "debug", "emergency", "error", "info", "notice", "warning", got "warn" (string)',
  ],
  ["2025-11-25", "Annotations", { priority: 2 }, "priority: expected at most 1, got 2 (number)"],
  [
    "2025-11-25",
    "ElicitRequestParams",
    { message: "m", mode: "form", requestedSchema: { type: "object", properties: { a: { type: "strin" } } } },
    'requestedSchema.properties.a.type: expected one of "array", "boolean", "integer", "number", "string", got "strin" (string); did you mean "string"?',
  ],
  [
    "2025-11-25",
    "ElicitRequestParams",
    { message: "m", mode: "urls" },
    'mode: expected one of "form", "url", got "urls" (string); did you mean "url"?',
  ],
  [
    "2025-11-25",
    "ElicitRequestParams",
    { message: "m", mode: "url", url: "https://example.com/" },
    "elicitationId: expected string, got nothing",
  ],
  [
    "2025-11-25",
    "ElicitResult",
    { action: "accept", content: { name: {} } },
    "content.name: expected array, boolean, integer or string, got object",
  ],
  [
    "2025-06-18",
    "InitializeRequest",
    { method: "initialize", params: { protocolVersion: 1, capabilities: [], clientInfo: {} } },
    "params.capabilities: expected object, got array\nparams.clientInfo.name: expected string, got nothing\nand 2 more",
  ],
  [
    "2024-11-05",
    "ReadResourceResult",
    { contents: [{ uri: "a:b", text: 1 }] },
    "contents[0].text: expected string, got 1 (number)",
  ],
  [
    "2024-11-05",
    "PromptMessage",
    { role: "user", content: { type: "audio", data: "", mimeType: "" } },
    'content.type: expected one of "image", "resource", "text", got "audio" (string)',
  ],
  [
    "2026-07-28",
    "CallToolRequest",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } },
    "params._meta: expected object, got nothing",
  ],
  [
    "2026-07-28",
    "InputRequest",
    { method: "elicitation/create", params: { message: 1, mode: "url", url: "a:b" } },
    "params.message: expected string, got 1 (number)",
  ],
];

test.each(table)("%s %s %j", (revision, definition, value, said) => {
  expect(explanations[revision].summary(explanations[revision].explain(definition, value))).toBe(said);
});
