import type { Changelog } from "./changelog.js";

const batches =
  "JSONRPCMessage {((JSONRPCError | JSONRPCResponse)[]),((JSONRPCNotification | JSONRPCRequest)[])}";

/** From the revision before 2025-06-18 to it. */
export const to20250618: Changelog = {
  named: [
    { says: "no JSON-RPC batches", finds: [`union-member-removed ${batches}`] },
    {
      says: "structured tool output",
      finds: ["property-added-optional {Tool.outputSchema,CallToolResult.structuredContent}"],
    },
    {
      says: "elicitation",
      finds: [
        "request-added elicitation/create from server",
        "property-added-optional ClientCapabilities.elicitation",
      ],
    },
    { says: "resource links in results of tools", finds: ["union-member-added ContentBlock (ResourceLink)"] },
    {
      says: "_meta in more places",
      finds: [
        "property-added-optional {AudioContent,BlobResourceContents,EmbeddedResource,ImageContent,Prompt,Resource}._meta",
        "property-added-optional {ResourceTemplate,Root,TextContent,TextResourceContents,Tool}._meta",
      ],
    },
    { says: "completion knows a context", finds: ["property-added-optional CompleteRequest.params.context"] },
    {
      says: "titles",
      finds: [
        "property-added-optional {Implementation,Prompt,PromptArgument,PromptReference,Resource}.title",
        "property-added-optional {ResourceTemplate,Tool}.title",
      ],
    },
  ],
  unseen: [
    "resource servers of OAuth",
    "resource indicators",
    "security considerations",
    "the header MCP-Protocol-Version",
    "a SHOULD that became a MUST in the lifecycle",
  ],
  unnamed: [
    {
      says: "annotations tell when something was changed last",
      finds: ["property-added-optional Annotations.lastModified"],
    },
  ],
};
