import { malformedMember, type Members } from "@mcpgen/base";
import { jsonObject } from "../shared/json-object.js";
import type { Grant } from "./grant.js";
import type { TokenStore } from "./store.js";

// Records in a token store. They are validated, because another program may write to a file or keychain.

/**
 * Reads the JSON object under a key, with its text. An invalid value counts as absent: the user logs in again.
 *
 * @param members types of the record's members
 * @param required names of required members
 */
export async function readRecord<T extends object>(
  store: TokenStore,
  key: string,
  members: Members = {},
  required: readonly string[] = [],
): Promise<{ readonly text: string | undefined; readonly value: T | undefined }> {
  const text = await store.get(key);
  const found = text === undefined ? undefined : jsonObject(text);
  return { text, value: found && isWhole(found, members, required) ? (found as T) : undefined };
}

/** The key parts of a server's login. */
interface Pointer {
  readonly issuer: string;
  readonly resource?: string;
}

/** Reads the pointer to the login of a server. */
export async function readPointer(store: TokenStore, key: string): Promise<Pointer | undefined> {
  return (await readRecord<Pointer>(store, key, { issuer: "text", resource: "text" }, ["issuer"])).value;
}

/** Reads the grant under a key. */
export async function readGrant(store: TokenStore, key: string): Promise<Grant | undefined> {
  const { value } = await readRecord<Grant>(store, key);
  return value && isGrant(value) ? value : undefined;
}

/** Writes a record, and replaces any earlier value. */
export async function writeRecord(store: TokenStore, key: string, value: object | undefined): Promise<void> {
  const text = value && JSON.stringify(value);
  for (let tries = 0; tries < 10; tries++) if (await store.put(key, text, await store.get(key))) return;
}

/** Whether an object has the required members, and each member has the type in the table. */
function isWhole(value: object, members: Members, required: readonly string[] = []): boolean {
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

/** Whether a stored value is a valid grant. */
function isGrant(value: Partial<Grant>): value is Grant {
  const { issuer, endpoint, tokens, client } = value;
  return (
    isWhole(value, grantMembers, ["id", "issuer", "scopes", "tokens"]) &&
    isWhole(tokens!, tokenMembers, ["access", "obtained"]) &&
    URL.canParse(String(endpoint)) &&
    (client === undefined || (isWhole(client, clientMembers) && client.issuer === issuer))
  );
}
