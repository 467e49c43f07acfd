import type { JsonObject } from "@mcpgen/engine";
import {
  addRequest,
  declare,
  membersOf,
  object,
  reference,
  remove,
  text,
  without,
} from "../support/schema-changes/edits.js";
import { type Trial, pin } from "./trial.js";

/** Trials that change the methods and the handshake. */
export const methodTrials: readonly Trial[] = [
  {
    name: "roots, sampling and logging are gone",
    of: "methods",
    change: (definitions) => {
      without(definitions["InputRequest"]!, "CreateMessageRequest", "ListRootsRequest");
      without(definitions["InputResponse"]!, "CreateMessageResult", "ListRootsResult");
      without(definitions["ServerNotification"]!, "LoggingMessageNotification");
      remove(definitions["RequestMetaObject"]!, "io.modelcontextprotocol/logLevel");
      remove(definitions["ClientCapabilities"]!, "roots", "sampling");
      remove(definitions["ServerCapabilities"]!, "logging");
      for (const name of Object.keys(definitions)) {
        const isGone =
          /^(?:LoggingMessage|LoggingLevel|ListRoots|Root$|CreateMessage|Sampling|Model|ToolChoice)/.test(
            name,
          );
        if (isGone) delete definitions[name];
      }
      delete definitions["ToolUseContent"];
      delete definitions["ToolResultContent"];
    },
    without: ["logged", "gathered", "summary", "folders"],
    seen: () => true,
  },
  {
    name: "a method becomes two",
    of: "methods",
    change: (definitions) => {
      const texts = structuredClone(definitions["ReadResourceResult"]!);
      const bytes = structuredClone(definitions["ReadResourceResult"]!);
      declare(texts, { contents: { type: "array", items: reference("TextResourceContents") } });
      declare(bytes, { contents: { type: "array", items: reference("BlobResourceContents") } });
      definitions["ReadResourceResult"] = texts;
      definitions["DownloadResourceResult"] = bytes;
      definitions["DownloadResourceRequestParams"] = structuredClone(
        definitions["ReadResourceRequestParams"]!,
      );
      addRequest(
        definitions,
        "DownloadResource",
        "resources/download",
        reference("DownloadResourceRequestParams"),
        reference("DownloadResourceResult"),
      );
    },
    notes: [
      {
        kind: "lift",
        target: "/$defs/BlobResourceContents",
        previous: pin,
        how: "refuse",
        code: "binary",
      },
    ],
    seen: () => true,
  },
  {
    name: "the handshake is another one",
    of: "methods",
    change: (definitions) => {
      without(definitions["ClientRequest"]!, "DiscoverRequest");
      for (const name of ["DiscoverRequest", "DiscoverResult", "DiscoverResultResponse"])
        delete definitions[name];
      without(definitions["ServerResult"]!, "DiscoverResult");
      definitions["HelloParams"] = object(
        { versions: { type: "array", items: text }, client: reference("Implementation") },
        ["versions", "client"],
      );
      definitions["HelloResult"] = object({ version: text, server: reference("Implementation") }, [
        "version",
        "server",
      ]);
      addRequest(definitions, "Hello", "hello", reference("HelloParams"), reference("HelloResult"));
      const meta = membersOf(definitions["RequestMetaObject"]!) as JsonObject;
      const { "io.modelcontextprotocol/protocolVersion": version } = meta;
      remove(
        definitions["RequestMetaObject"]!,
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientCapabilities",
        "io.modelcontextprotocol/clientInfo",
      );
      declare(definitions["RequestMetaObject"]!, { "mcp/connection": version! }, ["mcp/connection"]);
    },
    seen: () => true,
  },
  {
    name: "a method has another name",
    of: "methods",
    change: (definitions) => {
      const { method } = membersOf(definitions["CompleteRequest"]!) as { method: JsonObject };
      declare(definitions["CompleteRequest"]!, { method: { ...method, const: "completion/suggest" } });
    },
    without: ["suggestions"],
    seen: () => true,
  },
];
