import * as messages from "./messages.mjs";

const { parsed } = messages;
const variants = 16;

const several = (make) => Array.from({ length: variants }, (_, index) => parsed(make(index)));

/**
 * Returns copies of `values` with one error in each; the functions in `breakers`, used in turn, change a copy
 * in place.
 */
function broken(values, breakers) {
  return values.map((value, index) => {
    const copy = parsed(value);
    breakers[index % breakers.length](copy);
    return copy;
  });
}

/**
 * The cases of a revision: a definition, values that it accepts and values that it refuses. Some errors are
 * found early, others late.
 */
export function casesFor(revision) {
  const legacy = revision === "2025-11-25";
  const cases = [
    [
      "tools/call request",
      "CallToolRequest",
      several((i) => messages.toolCall(revision, i)),
      [
        (m) => (m.params.name = 1),
        (m) => (m.params.arguments = []),
        (m) => (m.id = null),
        (m) => delete m.params,
      ],
    ],
    [
      "tools/list result, 50 tools",
      "ListToolsResult",
      several(() => messages.toolList(revision)),
      [
        (m) => (m.tools[49].name = 1),
        (m) => (m.tools[49].inputSchema.type = "string"),
        (m) => (m.tools[48].annotations = { readOnlyHint: 1 }),
        (m) => (m.tools[47].description = null),
      ],
    ],
    [
      "tools/call result, 10 blocks",
      "CallToolResult",
      several((i) => messages.toolResult(revision, i)),
      [
        (m) => delete m.content[9].name,
        (m) => (m.content[8].resource.uri = 1),
        (m) => (m.content[9].type = "unknown"),
        (m) => (m.content[7].annotations.priority = 2),
      ],
    ],
    ...(legacy
      ? [
          [
            "initialize request",
            "InitializeRequest",
            several(messages.initialize),
            [
              (m) => delete m.params.clientInfo.version,
              (m) => (m.params.protocolVersion = 1),
              (m) => (m.params.capabilities.roots = true),
              (m) => (m.method = "initialise"),
            ],
          ],
        ]
      : []),
    [
      "progress notification",
      "ProgressNotification",
      several(messages.progress),
      [
        (m) => (m.params.progress = "1"),
        (m) => (m.params.progressToken = null),
        (m) => (m.params.message = 1),
        (m) => delete m.params,
      ],
    ],
    [
      "sampling/createMessage",
      "CreateMessageRequest",
      several((i) => messages.createMessage(revision, i)),
      [
        (m) => (m.params.messages[2].content.text = 1),
        (m) => (m.params.maxTokens = 1.5),
        (m) => (m.params.messages[1].role = "system"),
        (m) => (m.params.modelPreferences.hints = {}),
      ],
    ],
    [
      "union JSONRPCMessage",
      "JSONRPCMessage",
      several((i) => anyMessage(revision, i)),
      [
        (m) => (m.jsonrpc = "1.0"),
        (m) => {
          delete m.method;
          delete m.result;
          delete m.error;
        },
        (m) => {
          if (m.method) m.params = [];
          else if (m.result) m.result = 1;
          else m.error.code = "1";
        },
        (m) => {
          if (m.method) m.method = 1;
          else m.id = {};
        },
      ],
    ],
    [
      "union ClientRequest",
      "ClientRequest",
      several((i) => clientRequest(revision, i)),
      [
        (m) => (m.method = "tools/unknown"),
        (m) => (m.params = 1),
        (m) => (m.id = null),
        (m) => (m.params._meta = 1),
      ],
    ],
    [
      "union ServerNotification",
      "ServerNotification",
      several(serverNotification),
      [
        (m) => (m.method = "notifications/unknown"),
        (m) => (m.params = 1),
        (m) => (m.jsonrpc = "2"),
        (m) => (m.params = { _meta: 1 }),
      ],
    ],
  ];
  return cases.flatMap(([name, definition, valid, breakers]) => [
    { name, definition, expected: true, values: valid },
    { name, definition, expected: false, values: broken(valid, breakers) },
  ]);
}

function anyMessage(revision, index) {
  switch (index % 4) {
    case 0:
      return messages.toolCall(revision, index);
    case 1:
      return messages.progress(index);
    case 2:
      return { jsonrpc: "2.0", id: index, result: messages.toolResult(revision, index) };
    default:
      return {
        jsonrpc: "2.0",
        id: index,
        error: { code: -32602, message: "Invalid params", data: { index } },
      };
  }
}

function clientRequest(revision, index) {
  const make = (method, params) => messages.request(revision, method, params, index);
  switch (index % 8) {
    case 0:
    case 1:
      return messages.toolCall(revision, index);
    case 2:
      return make("tools/list", { cursor: "10" });
    case 3:
      return make("resources/read", { uri: "file:///a.txt" });
    case 4:
      return make("prompts/get", { name: "greet", arguments: { who: "you" } });
    case 5:
      return make("completion/complete", {
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "who", value: "y" },
      });
    case 6:
      return make("resources/templates/list", {});
    default:
      return make("prompts/list", {});
  }
}

function serverNotification(index) {
  switch (index % 5) {
    case 0:
      return messages.progress(index);
    case 1:
      return messages.notification("notifications/message", {
        level: "info",
        data: { index },
        logger: "bench",
      });
    case 2:
      return messages.notification("notifications/resources/updated", { uri: "file:///a.txt" });
    case 3:
      return messages.notification("notifications/tools/list_changed", {});
    default:
      return messages.notification("notifications/cancelled", { requestId: index, reason: "late" });
  }
}
