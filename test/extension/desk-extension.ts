import { type ExtensionText, notification, request, result } from "./models.js";

export const bases = ["2025-11-25", "2026-07-28"] as const;

const text = { type: "object", required: ["text"], properties: { text: { type: "string" } } };

export const sent = (target: string | string[], sender: string, receiver: string) => ({
  ...{ kind: "channel", target, sender, receiver },
});

export const handshake = { request: "desk/hello", confirmation: "notifications/desk/ready" };

/** An extension with three roles, own methods, methods of the base, and one of neither. */
export const desk: ExtensionText = {
  id: "com.example/desk",
  bases,
  about: { channel: { roles: ["pen", "paper", "lamp"], handshake } },
  definitions: {
    HelloRequest: request("desk/hello", text),
    HelloResult: result({ tools: { type: "array", items: { $ref: "base#/$defs/Tool" } } }),
    ReadyNotification: notification("notifications/desk/ready"),
    ShownNotification: notification("notifications/desk/shown", { $ref: "base#/$defs/CallToolResult" }),
    LightRequest: request("desk/light", text),
    LightResult: result({ lit: { type: "boolean" } }),
    FindRequest: request("desk/find", { $ref: "base#/$defs/CallToolRequestParams" }),
    FindResult: result({ found: { type: "string" } }),
  },
  notes: [
    sent(["desk/hello", "notifications/desk/ready", "tools/call", "desk/find"], "pen", "paper"),
    sent(["notifications/desk/shown", "tools/call"], "paper", "pen"),
    sent("desk/light", "paper", "lamp"),
    sent("tools/list", "lamp", "paper"),
    {
      ...sent("desk/blink", "lamp", "paper"),
      message: "base#/$defs/JSONRPCRequest",
      result: "base#/$defs/EmptyResult",
    },
    { kind: "sender", target: "desk/find", sender: "client" },
  ],
};
