import type { Changelog } from "./changelog.js";

const contents =
  "{CallToolResult.content[],CreateMessageResult.content,PromptMessage.content,SamplingMessage.content}";
const batches =
  "JSONRPCMessage {((JSONRPCError | JSONRPCResponse)[]),((JSONRPCNotification | JSONRPCRequest)[])}";

/** From the revision before 2025-03-26 to it. */
export const to20250326: Changelog = {
  named: [
    { says: "JSON-RPC batches", finds: [`union-member-added ${batches}`] },
    { says: "tool annotations", finds: ["property-added-optional Tool.annotations"] },
    {
      says: "progress has a message",
      finds: ["property-added-optional ProgressNotification.params.message"],
    },
    { says: "audio content", finds: [`union-member-added ${contents} (AudioContent)`] },
    {
      says: "a capability for completions",
      finds: ["property-added-optional ServerCapabilities.completions"],
    },
  ],
  unseen: ["authorization", "Streamable HTTP"],
  unnamed: [],
};
