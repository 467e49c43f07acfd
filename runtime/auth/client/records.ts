import { malformedMember, type Members } from "@mcpgen/base";
import { jsonObject } from "../shared/json-object.js";
import type { Grant } from "./grant.js";
import type { TokenStore } from "./store.js";

// Records in a store of tokens: a file or a keychain may hold what another program wrote, so they are judged.

/**
 * The JSON object of a key, and its text. A value that is no such record counts as absent: the user logs in again.
 *
 * @param members what the members of the record must be
 * @param required those that it must have
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

/** Which login a server has. */
interface Pointer {
  readonly issuer: string;
  readonly resource?: string;
}

/** The pointer of a key to the login of a server. */
export async function readPointer(store: TokenStore, key: string): Promise<Pointer | undefined> {
  return (await readRecord<Pointer>(store, key, { issuer: "text", resource: "text" }, ["issuer"])).value;
}

/** The grant of a key. */
export async function readGrant(store: TokenStore, key: string): Promise<Grant | undefined> {
  const { value } = await readRecord<Grant>(store, key);
  return value && isGrant(value) ? value : undefined;
}

/** Writes a record over whatever is there. */
export async function writeRecord(store: TokenStore, key: string, value: object | undefined): Promise<void> {
  const text = value && JSON.stringify(value);
  for (let tries = 0; tries < 10; tries++) if (await store.put(key, text, await store.get(key))) return;
}

/** Whether an object has these members, and each of the table is what the table says. */
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

/** Whether a stored value is a grant. */
function isGrant(value: Partial<Grant>): value is Grant {
  const { issuer, endpoint, tokens, client } = value;
  return (
    isWhole(value, grantMembers, ["id", "issuer", "scopes", "tokens"]) &&
    isWhole(tokens!, tokenMembers, ["access", "obtained"]) &&
    URL.canParse(String(endpoint)) &&
    (client === undefined || (isWhole(client, clientMembers) && client.issuer === issuer))
  );
}
