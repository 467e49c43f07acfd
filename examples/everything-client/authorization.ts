import type { Authorizer } from "@mcpgen/runtime";
import {
  type RedirectReceiver,
  clientCredentials,
  enterprise,
  inspectServer,
  oauth,
  workloadIdentity,
} from "@mcpgen/auth/client";

/** What the suite gives a scenario of authorization. */
export interface Credentials {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly valid_jwt?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_issuer?: string;
}

/** A user who consents at once: the authorization server redirects without a page. */
const redirect: RedirectReceiver = {
  uri: "http://localhost:3000/callback",
  receive: async (url, _, signal) => {
    const { headers } = await fetch(url, { redirect: "manual", signal });
    return headers.get("location") ?? "";
  },
};

/** The client id metadata document that the suite knows. */
const metadataUrl = "https://conformance-test.local/client-metadata.json";

/**
 * The issuer that the server names. Credentials need one, and the suite names none for some scenarios; a real program asks
 * the user who gave it the credentials, and never the server.
 */
async function issuerOf(server: string): Promise<string> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const { issuers } = await inspectServer(server, await fetch(server, { method: "POST", headers, body }));
  return issuers[0]!;
}

type Flow = (given: Credentials, issuer: string) => Authorizer;

const login: Flow = ({ client_id: id, client_secret: secret }, issuer) =>
  oauth({
    redirect,
    client: {
      name: "everything-client",
      ...(id === undefined ? { metadataUrl } : { id }),
      ...(secret !== undefined && { secret }),
      ...(issuer !== "" && { issuer }),
    },
    legacy: "2025-03-26",
  });

/** How the scenarios authorize that need no user; all others log in. */
const flows: Readonly<Record<string, Flow>> = {
  "auth/client-credentials-jwt": ({ client_id, private_key_pem, signing_algorithm }, issuer) =>
    clientCredentials({ issuer, id: client_id!, key: { pem: private_key_pem!, alg: signing_algorithm! } }),
  "auth/client-credentials-basic": ({ client_id, client_secret }, issuer) =>
    clientCredentials({ issuer, id: client_id!, secret: client_secret! }),
  "auth/wif-jwt-bearer": ({ client_id, valid_jwt }, issuer) =>
    workloadIdentity({ issuer, clientId: client_id!, assertion: () => valid_jwt! }),
  "auth/enterprise-managed-authorization": (given, issuer) =>
    enterprise({
      idp: given.idp_issuer!,
      idToken: () => given.idp_id_token!,
      client: { id: given.client_id!, secret: given.client_secret!, issuer },
      idpClient: { id: given.idp_client_id! },
    }),
};

/** What authorizes the requests of a scenario; nothing, if it is not about authorization. */
export async function authorizerFor(
  scenario: string,
  given: Credentials,
  server: string,
): Promise<Authorizer | undefined> {
  if (!scenario.startsWith("auth/")) return undefined;
  const flow = flows[scenario] ?? login;
  const needsIssuer = flow !== login || given.client_secret !== undefined;
  return flow(given, given.issuer ?? (needsIssuer ? await issuerOf(server) : ""));
}

/** The revision that a scenario is about, where its name says so. */
export function revisionOf(scenario: string): string | undefined {
  return /^auth\/(\d{4}-\d\d-\d\d)-/.exec(scenario)?.[1];
}
