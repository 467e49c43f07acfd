import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";

/** The tools of all protected servers here. */
export function protectedTools() {
  const server = createServer(
    { name: "protected", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("whoami", {}, (_, { auth: { clientId, scopes, subject } }) =>
    JSON.stringify({ clientId, scopes, subject }),
  );
  server.tool("write", { scopes: ["files:write"] }, () => "written");
  return server;
}
