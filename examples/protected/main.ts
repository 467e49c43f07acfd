// A protected server: access tokens as JWT, and scopes for each tool. ISSUER is the authorization server, RESOURCE the URL of
// this server for clients.
import { jwks, resourceServer } from "@mcpgen/auth/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";

const {
  ISSUER = "https://auth.example.com",
  RESOURCE = "https://notes.example.com/mcp",
  PORT = "3000",
} = process.env;

const auth = resourceServer({
  resource: RESOURCE,
  issuers: [jwks(ISSUER)],
  scopes: { required: ["notes"], hierarchy: { "notes:write": ["notes:read"] } },
});

/** Notes by their owner. */
const notes = new Map<string, string[]>();

/** The issuer and the subject. A token of a client without a user may have none: then the client is the owner. */
function ownerOf(given: unknown): string {
  const { issuer, subject, clientId } = auth.requireScopes(given, []);
  return JSON.stringify(subject === undefined ? { issuer, clientId } : { issuer, subject });
}

const server = createServer({ name: "notes", version: "1.0.0" }, { revisions: serverRevisions });

server.tool("list_notes", { description: "Your notes.", scopes: ["notes:read"] }, (_, context) => {
  return (notes.get(ownerOf(context.auth)) ?? []).join("\n");
});

server.tool(
  "add_note",
  {
    description: "Adds a note.",
    scopes: ["notes:write"],
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  ({ text }, context) => {
    const owner = ownerOf(context.auth);
    notes.set(owner, [...(notes.get(owner) ?? []), text]);
    return "added";
  },
);

const http = await serveHttp(server, { port: Number(PORT), ...auth.http });
console.log(http.url);
process.once("SIGTERM", () => void http.close());
