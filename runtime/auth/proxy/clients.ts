import type { Client, SealedClient } from "./client.js";
import { type ClientDocuments, isDocumentUrl } from "./client-documents.js";
import type { KnownClient, Settings } from "./options.js";

/** Maximum length of a client id; longer ones are refused. */
const maxId = 4096;

/** Computes the secret of a dynamically registered client, so that it need not be stored. */
export async function secretOf(settings: Settings, id: string): Promise<string | undefined> {
  return settings.keys.mac("client secret", id, id.slice(0, id.indexOf(".")));
}

/**
 * Finds a client by its id.
 *
 * @param isKnown whether the request proves a login with this client
 * @throws {AuthError} as `ClientDocuments`
 */
export async function findClient(
  settings: Settings,
  documents: ClientDocuments,
  id: string,
  isKnown = false,
): Promise<Client | undefined> {
  if (id.length > maxId) return undefined;
  const known = settings.clients.known.find((client) => client.id === id);
  if (known) return knownClient(known);
  if (isDocumentUrl(id)) return settings.clients.cimd ? documents.client(id, isKnown) : undefined;
  return settings.clients.dcr === "sealed" ? sealedClient(settings, id) : undefined;
}

function knownClient({ id, name, secret, method, redirectUris }: KnownClient): Client {
  return {
    id,
    kind: "known",
    name,
    redirectUris,
    method: secret === undefined ? "none" : (method ?? "client_secret_basic"),
    ...(secret !== undefined && { secret }),
    refreshes: true,
  };
}

async function sealedClient(settings: Settings, id: string): Promise<Client | undefined> {
  const sealed = (await settings.keys.open("client", id)) as SealedClient | undefined;
  if (!sealed) return undefined;
  const secret = sealed.m === "none" ? undefined : await secretOf(settings, id);
  return {
    id,
    kind: "sealed",
    name: sealed.n,
    redirectUris: sealed.r,
    method: sealed.m,
    ...(secret !== undefined && { secret }),
    refreshes: sealed.g,
  };
}
