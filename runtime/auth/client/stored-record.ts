import { type Members, malformedMember } from "@mcpgen/runtime/extending";
import type { Grant } from "./grant.js";

// What may stand in a store of tokens: a file or a keychain may hold what another program wrote. Loaded with the first record.

/** Whether an object has these members, and each of the table is what the table says. */
export function isRecord(value: object, members: Members, required: readonly string[]): boolean {
  return malformedMember(value, members, required) === undefined;
}

const grantMembers: Members = {
  ...{ id: "text", issuer: "text", endpoint: "text", resource: "text", clientId: "string", client: "object" },
  ...{ scopes: "texts", tokens: "object", dpopKey: "text" },
};
const tokenMembers: Members = {
  ...{ access: "text", refresh: "text", scope: "string", obtained: "time", expiresIn: "seconds" },
};
const clientMembers: Members = { id: "text", issuer: "text", secret: "text", method: "text" };

/** Whether a stored value is a grant. */
export function isGrant(value: Partial<Grant>): value is Grant {
  const { issuer, endpoint, tokens, client } = value;
  return (
    isRecord(value, grantMembers, ["id", "issuer", "scopes", "tokens"]) &&
    isRecord(tokens!, tokenMembers, ["access", "obtained"]) &&
    URL.canParse(String(endpoint)) &&
    (client === undefined || (isRecord(client, clientMembers, []) && client.issuer === issuer))
  );
}
